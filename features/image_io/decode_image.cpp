#include "features/image_io/decode_image.h"

#include <libexif/exif-data.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cmath>
#include <memory>
#include <string>
#include <system_error>
#include <utility>

#include "features/base/errors.h"
#include "features/base/files.h"
#include "features/base/input_file.h"
#include "features/base/limits.h"
#include "features/base/numbers.h"
#include "features/image_io/array_file.h"
#include "features/image_io/decode_formats.h"

namespace leafglyph {
namespace detail {
namespace {

// Peak memory per pixel at 8 bits per sample: red, green, blue and alpha as decoded next to the
// colours laid on white, or three 16-bit coefficients of a progressive JPEG next to the colours.
// Grey values are computed after these are freed. Measured: 6.3.
constexpr double kBytesAPixel = 8;

}  // namespace

void refuse(const std::filesystem::path& file, const std::string& reason) {
  throw InputError(file.string() + ": " + reason);
}

void check_pixel_count(const std::filesystem::path& file, std::uint64_t width,
                       std::uint64_t height) {
  if (width > kMaxDecodedPixels || height > kMaxDecodedPixels ||
      width * height > kMaxDecodedPixels) {
    refuse(file, "the image of " + std::to_string(width) + " x " + std::to_string(height) +
                     " pixels is larger than " + std::to_string(kMaxDecodedPixels >> 20) +
                     " million pixels; make it smaller, or save it as a baseline JPEG");
  }
}

void admit_pixels(const OpenFile& file, std::uint64_t width, std::uint64_t height) {
  check_pixel_count(file.path, width, height);
  if (file.memory == nullptr) return;
  file.memory->take(kBytesAPixel * static_cast<double>(width * height), file.path.string());
}

void admit_bytes(const OpenFile& file, double bytes) {
  if (file.memory == nullptr) {
    check_memory(bytes, file.path.string(), "make the image smaller");
  } else {
    file.memory->take(bytes, file.path.string());
  }
}

unsigned reduction_of_huge(std::uint64_t width, std::uint64_t height, unsigned least) {
  constexpr unsigned kMost = 8;
  unsigned reduction = std::min(kMost, least);
  while (reduction < kMost && width * height / (reduction * reduction) > kMaxDecodedPixels) {
    reduction *= 2;
  }
  return reduction;
}

double pixel_aspect_of(double across, double down) {
  constexpr double kSquare = 0.01;  // resolutions are rounded: 300 and 299.9
  const double aspect = down / across;
  const bool is_shape = across > 0 && down > 0 && aspect <= kMaxPixelAspect &&
                        aspect >= 1 / kMaxPixelAspect && std::abs(aspect - 1) > kSquare;
  return is_shape ? aspect : 1;
}

int exif_orientation(std::span<const unsigned char> block) {
  const std::unique_ptr<ExifData, decltype(&exif_data_unref)> data(
      exif_data_new_from_data(block.data(), static_cast<unsigned>(block.size())), &exif_data_unref);
  if (!data) return 1;
  const ExifEntry* entry = exif_content_get_entry(data->ifd[EXIF_IFD_0], EXIF_TAG_ORIENTATION);
  if (entry == nullptr || entry->format != EXIF_FORMAT_SHORT || entry->components != 1) return 1;
  const int orientation = exif_get_short(entry->data, exif_data_get_byte_order(data.get()));
  return orientation >= 1 && orientation <= 8 ? orientation : 1;
}

}  // namespace detail

namespace {

// The position in the stored image, of `width` x `height` pixels, of a pixel of the upright image,
// from the table in the EXIF standard.
std::size_t stored_pixel(int orientation, std::size_t width, std::size_t height, std::size_t row,
                         std::size_t column) {
  if (orientation >= 5) std::swap(row, column);
  const bool from_right =
      orientation == 2 || orientation == 3 || orientation == 7 || orientation == 8;
  const bool from_below =
      orientation == 3 || orientation == 4 || orientation == 6 || orientation == 7;
  return (from_below ? height - 1 - row : row) * width + (from_right ? width - 1 - column : column);
}

// Orientations 5 to 8 swap rows and columns.
void turn_upright(detail::StoredImage& stored) {
  const int orientation = stored.exif_orientation;
  if (orientation == 1) return;
  const auto width = static_cast<std::size_t>(stored.image.width);
  const auto height = static_cast<std::size_t>(stored.image.height);
  if (orientation >= 5) {
    std::swap(stored.image.width, stored.image.height);
    std::swap(stored.file_width, stored.file_height);
    stored.image.pixel_aspect = 1 / stored.image.pixel_aspect;
  }
  const auto channels = static_cast<std::size_t>(stored.image.channels);
  std::visit(
      [&](auto& samples) {
        auto turned = samples;
        auto to = turned.begin();
        for (int row = 0; row < stored.image.height; ++row) {
          for (int column = 0; column < stored.image.width; ++column) {
            const std::size_t from =
                channels * stored_pixel(orientation, width, height, static_cast<std::size_t>(row),
                                        static_cast<std::size_t>(column));
            to = std::copy_n(samples.begin() + static_cast<std::ptrdiff_t>(from), channels, to);
          }
        }
        samples = std::move(turned);
      },
      stored.image.samples);
}

bool has_at(std::string_view head, std::size_t place, std::string_view signature) {
  return head.size() >= place + signature.size() &&
         head.substr(place, signature.size()) == signature;
}
bool starts_with(std::string_view head, std::string_view signature) {
  return has_at(head, 0, signature);
}

detail::StoredImage decode(const detail::OpenFile& file, const detail::DecodeRequest& request) {
  const std::filesystem::path& path = file.path;
  std::array<char, kHeadBytes> bytes{};
  const std::size_t count = std::fread(bytes.data(), 1, bytes.size(), file.handle.get());
  if (std::ferror(file.handle.get()) != 0) {
    detail::refuse(path, "cannot be read: " + std::generic_category().message(errno));
  }
  std::rewind(file.handle.get());
  if (count == 0) detail::refuse(path, "the file is empty");
  const std::string_view head(bytes.data(), count);
  const auto reader = [&]() -> detail::StoredImage (*)(const detail::OpenFile&,
                                                       const detail::DecodeRequest&) {
    if (starts_with(head, "\xff\xd8\xff")) return detail::decode_jpeg;
    if (starts_with(head, "\x89PNG\r\n\x1a\n")) return detail::decode_png;
    if (starts_with(head, std::string_view("II*\0", 4)) ||
        starts_with(head, std::string_view("MM\0*", 4)) ||
        starts_with(head, std::string_view("II+\0", 4)) ||
        starts_with(head, std::string_view("MM\0+", 4))) {
      return detail::decode_tiff;
    }
    if (starts_with(head, "RIFF") && has_at(head, 8, "WEBP")) {
      return detail::decode_webp;
    }
    if (is_array_file(head, path)) return detail::decode_array;
    // A file of boxes. The first box names the file type; brands of HEIF end in c, x or 1.
    if (has_at(head, 4, "ftyp")) return detail::decode_heif;
    if (starts_with(head, "BM")) return detail::decode_bmp;
    detail::refuse(
        path,
        "is not a JPEG, PNG, TIFF, BMP, WebP or HEIF image, nor a FITS, NIfTI, MRC or .npy "
        "array");
  }();
  if (file.page > 1 && reader != detail::decode_tiff && reader != detail::decode_array) {
    detail::refuse(path, "has one page only");
  }
  detail::StoredImage stored = reader(file, request);
  if (stored.image.pixel_aspect != 1) {
    stored.image.notes.push_back("its pixels are not square, as the resolution in the file says");
  }
  turn_upright(stored);
  stored.image.file_width = stored.file_width;
  stored.image.file_height = stored.file_height;
  return stored;
}

// The bytes of a file say its name as messages do: with the page.
detail::OpenFile open_page(const std::filesystem::path& name, MemoryReservation* memory = nullptr) {
  const PageOfFile page = page_of_file(name);
  return {name, open_input(page.file), memory, page.page};
}

detail::OpenFile open_page(std::string_view bytes, const std::filesystem::path& name,
                           MemoryReservation* memory = nullptr) {
  return {name, open_bytes(bytes, name), memory, page_of_file(name).page};
}

detail::DecodeRequest picture_request(int side, bool grey, int bits, Ground ground) {
  detail::DecodeRequest request;
  request.grey = grey;
  request.bits = bits;
  request.ground = ground;
  request.eight_bit = true;
  request.reduce_huge = true;
  request.enough = side;
  return request;
}

}  // namespace

SampleDepth SampleImage::depth() const {
  if (std::holds_alternative<std::vector<std::uint8_t>>(samples)) return SampleDepth::k8Bit;
  if (std::holds_alternative<std::vector<std::uint16_t>>(samples)) return SampleDepth::k16Bit;
  return SampleDepth::kFloat;
}

PageOfFile page_of_file(const std::filesystem::path& name) {
  const std::string text = name.string();
  const std::size_t at = text.find_last_not_of("0123456789");
  // "sheet.jpg #2" is a leaf on a sheet.
  const bool is_numbered = at != std::string::npos && at > 0 && text[at] == '#' &&
                           text[at - 1] != ' ' && at + 1 < text.size() && !is_there(name);
  const auto page = is_numbered ? number_in<int>(std::string_view(text).substr(at + 1)) : 0;
  if (!page || *page == 0) return {name, 0};
  return {text.substr(0, at), *page};
}

DecodedImage decode_image(const std::filesystem::path& file) {
  detail::DecodeRequest request;
  request.grey = true;
  request.eight_bit = true;
  request.reduce_huge = true;
  detail::StoredImage stored = decode(open_page(file), request);
  DecodedImage decoded;
  decoded.grey =
      Image<std::uint8_t>(stored.image.width, stored.image.height,
                          std::get<std::vector<std::uint8_t>>(std::move(stored.image.samples)));
  decoded.file_width = stored.file_width;
  decoded.file_height = stored.file_height;
  decoded.reduction = stored.reduction;
  return decoded;
}

SampleImage decode_samples(const std::filesystem::path& file, bool grey) {
  detail::DecodeRequest request;
  request.grey = grey;
  return decode(open_page(file), request).image;
}

SampleImage decode_samples(std::string_view bytes, const std::filesystem::path& file, bool grey) {
  detail::DecodeRequest request;
  request.grey = grey;
  return decode(open_page(bytes, file), request).image;
}

SampleImage decode_labels(std::string_view bytes, const std::filesystem::path& file) {
  detail::DecodeRequest request;
  request.labels = true;
  return decode(open_page(bytes, file), request).image;
}

SampleImage decode_picture(const std::filesystem::path& file, int side, bool grey,
                           MemoryReservation* memory, int bits, Ground ground) {
  return decode(open_page(file, memory), picture_request(side, grey, bits, ground)).image;
}

SampleImage decode_picture(std::string_view bytes, const std::filesystem::path& file, int side,
                           bool grey, MemoryReservation* memory, int bits, Ground ground) {
  return decode(open_page(bytes, file, memory), picture_request(side, grey, bits, ground)).image;
}

}  // namespace leafglyph
