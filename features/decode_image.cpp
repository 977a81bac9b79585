#include "features/decode_image.h"

#include <libexif/exif-data.h>

#include <algorithm>
#include <array>
#include <memory>
#include <string>
#include <utility>

#include "features/decode_formats.h"
#include "features/errors.h"
#include "features/input_file.h"

namespace leafglyph {
namespace detail {

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

using Pixels = Image<std::uint8_t>;

Pixels transposed(const Pixels& image) {
  Pixels result(image.height(), image.width());
  for (int row = 0; row < image.height(); ++row) {
    for (int column = 0; column < image.width(); ++column) {
      result.at(column, row) = image.at(row, column);
    }
  }
  return result;
}

void mirror_columns(Pixels& image) {
  for (int row = 0; row < image.height(); ++row) {
    std::uint8_t* first = image.data() + static_cast<std::size_t>(row) * image.width();
    std::reverse(first, first + image.width());
  }
}

void mirror_rows(Pixels& image) {
  for (int top = 0, bottom = image.height() - 1; top < bottom; ++top, --bottom) {
    std::uint8_t* first = image.data() + static_cast<std::size_t>(top) * image.width();
    std::swap_ranges(first, first + image.width(),
                     image.data() + static_cast<std::size_t>(bottom) * image.width());
  }
}

// EXIF orientations 5 to 8 swap rows and columns; the mirrors that remain follow from the table of
// the EXIF standard.
DecodedImage upright(detail::StoredImage stored) {
  DecodedImage image = std::move(stored.image);
  const int orientation = stored.exif_orientation;
  if (orientation >= 5) {
    image.grey = transposed(image.grey);
    std::swap(image.file_width, image.file_height);
  }
  if (orientation == 2 || orientation == 3 || orientation == 6 || orientation == 7) {
    mirror_columns(image.grey);
  }
  if (orientation == 3 || orientation == 4 || orientation == 7 || orientation == 8) {
    mirror_rows(image.grey);
  }
  return image;
}

bool starts_with(std::string_view head, std::string_view signature) {
  return head.substr(0, signature.size()) == signature;
}

}  // namespace

DecodedImage decode_image(const std::filesystem::path& path) {
  const detail::OpenFile file{path, open_input(path)};
  std::array<char, 8> bytes{};
  const std::size_t count = std::fread(bytes.data(), 1, bytes.size(), file.handle.get());
  std::rewind(file.handle.get());
  if (count == 0) detail::refuse(path, "the file is empty");
  const std::string_view head(bytes.data(), count);
  if (starts_with(head, "\xff\xd8\xff")) return upright(detail::decode_jpeg(file));
  if (starts_with(head, "\x89PNG\r\n\x1a\n")) return upright(detail::decode_png(file));
  if (starts_with(head, std::string_view("II*\0", 4)) ||
      starts_with(head, std::string_view("MM\0*", 4)) ||
      starts_with(head, std::string_view("II+\0", 4)) ||
      starts_with(head, std::string_view("MM\0+", 4))) {
    return upright(detail::decode_tiff(file));
  }
  if (starts_with(head, "BM")) return upright(detail::decode_bmp(file));
  detail::refuse(path, "is not a JPEG, PNG, TIFF or BMP image");
}

}  // namespace leafglyph
