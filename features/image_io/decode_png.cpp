#include <png.h>

#include <algorithm>
#include <array>
#include <bit>
#include <csetjmp>
#include <cstddef>
#include <cstdio>
#include <new>
#include <string>
#include <utility>
#include <vector>

#include "features/base/limits.h"
#include "features/image_io/decode_formats.h"
#include "features/image_io/deep_samples.h"

namespace leafglyph::detail {
namespace {

[[noreturn]] void refuse_damaged(const OpenFile& file, const char* message) {
  refuse(file.path, std::string("is a truncated or damaged PNG file (") + message +
                        "); copy it again from its source");
}

// Reads 8-bit samples in screen colours through libpng's simplified interface, which never prints.
// It undoes the file's gamma and shortens 16-bit values.
class ScreenReader {
 public:
  explicit ScreenReader(const OpenFile& file) : file_(file) { image_.version = PNG_IMAGE_VERSION; }
  ~ScreenReader() { png_image_free(&image_); }
  ScreenReader(const ScreenReader&) = delete;
  ScreenReader& operator=(const ScreenReader&) = delete;

  StoredImage read(const DecodeRequest& request) {
    if (png_image_begin_read_from_stdio(&image_, file_.handle.get()) == 0) fail();
    admit_pixels(file_, image_.width, image_.height);
    // Without this flag, 16-bit values without a gamma chunk would be read as linear light.
    image_.flags |= PNG_IMAGE_FLAG_16BIT_sRGB;
    const bool plain = (image_.format & (PNG_FORMAT_FLAG_COLOR | PNG_FORMAT_FLAG_ALPHA)) == 0;
    StoredImage stored;
    const std::size_t pixels = std::size_t{image_.width} * image_.height;
    if (plain) {
      store(stored, image_.width, image_.height, read_as(PNG_FORMAT_GRAY, pixels));
    } else {
      const bool colour = (image_.format & PNG_FORMAT_FLAG_COLOR) != 0;
      const auto rgba = read_as(PNG_FORMAT_RGBA, 4 * pixels);
      store(stored, image_.width, image_.height,
            laid_on<std::uint8_t>(request.ground, rgba, 4, request.grey || !colour));
    }
    return stored;
  }

 private:
  std::vector<std::uint8_t> read_as(png_uint_32 format, std::size_t samples) {
    std::vector<std::uint8_t> values(samples);
    image_.format = format;
    if (png_image_finish_read(&image_, nullptr, values.data(), 0, nullptr) == 0) fail();
    return values;
  }

  [[noreturn]] void fail() const { refuse_damaged(file_, image_.message); }

  const OpenFile& file_;
  png_image image_{};
};

// Reads samples as stored in the file, through libpng's full interface. It reports errors through a
// callback, and only longjmp leaves its C frames. Between setjmp and a jump, no object with a
// destructor is created, so no destructor is skipped.
class SampleReader {
 public:
  explicit SampleReader(const OpenFile& file) : file_(file) {
    png_ = png_create_read_struct(PNG_LIBPNG_VER_STRING, this, on_error, on_warning);
    if (png_ != nullptr) info_ = png_create_info_struct(png_);
    if (info_ == nullptr) {
      png_destroy_read_struct(&png_, nullptr, nullptr);
      throw std::bad_alloc();
    }
  }
  ~SampleReader() { png_destroy_read_struct(&png_, &info_, nullptr); }
  SampleReader(const SampleReader&) = delete;
  SampleReader& operator=(const SampleReader&) = delete;

  StoredImage read(const DecodeRequest& request, int stated_bits) {
    if (!read_header()) fail();
    admit_pixels(file_, png_get_image_width(png_, info_), png_get_image_height(png_, info_));
    if (!expand(request)) fail();
    StoredImage stored;
    if (png_get_bit_depth(png_, info_) == 16) {
      DeepSamples<std::uint16_t> deep{png_get_image_width(png_, info_),
                                      png_get_image_height(png_, info_),
                                      png_get_channels(png_, info_), values<std::uint16_t>()};
      deep.bits = 16;
      deep.stated = stated_bits;
      store_deep(stored, file_, request, std::move(deep));
    } else {
      store_bytes(stored, request);
    }
    return stored;
  }

 private:
  [[noreturn]] static void on_error(png_structp png, png_const_charp message) {
    auto* self = static_cast<SampleReader*>(png_get_error_ptr(png));
    std::snprintf(self->message_.data(), self->message_.size(), "%s", message);
    std::longjmp(self->jump_, 1);
  }
  static void on_warning(png_structp, png_const_charp) {}

  bool read_header() {
    if (setjmp(jump_) != 0) return false;
    png_init_io(png_, file_.handle.get());
    png_read_info(png_, info_);
    return true;
  }

  // Converts palettes to colours, transparency to an alpha channel, and values of fewer than 8 bits
  // to 0..255; numbers of labels become bytes alone. For the screen it undoes the file's gamma.
  bool expand(const DecodeRequest& request) {
    if (setjmp(jump_) != 0) return false;
    if (request.labels) {
      png_set_packing(png_);
    } else {
      png_set_expand(png_);
    }
    png_fixed_point gamma = 0;
    if (request.eight_bit && png_get_gAMA_fixed(png_, info_, &gamma) != 0) {
      png_set_gamma_fixed(png_, PNG_DEFAULT_sRGB, gamma);
    }
    if constexpr (std::endian::native == std::endian::little) png_set_swap(png_);
    passes_ = png_set_interlace_handling(png_);
    png_read_update_info(png_, info_);
    return true;
  }

  // Every sample of the file, channels interleaved.
  template <class T>
  std::vector<T> values() {
    const png_uint_32 height = png_get_image_height(png_, info_);
    std::vector<T> values(std::size_t{png_get_image_width(png_, info_)} * height *
                          png_get_channels(png_, info_));
    if (!read_rows(reinterpret_cast<png_bytep>(values.data()), height,
                   png_get_rowbytes(png_, info_))) {
      fail();
    }
    return values;
  }

  void store_bytes(StoredImage& stored, const DecodeRequest& request) {
    const int channels = png_get_channels(png_, info_);
    std::vector<std::uint8_t> bytes = values<std::uint8_t>();
    const bool kept = channels == 1 || (channels == 3 && !request.grey);
    store(stored, png_get_image_width(png_, info_), png_get_image_height(png_, info_),
          kept ? std::move(bytes)
               : laid_on<std::uint8_t>(request.ground, bytes, channels, request.grey));
  }

  bool read_rows(png_bytep rows, png_uint_32 height, std::size_t row_bytes) {
    if (setjmp(jump_) != 0) return false;
    for (int pass = 0; pass < passes_; ++pass) {
      for (png_uint_32 row = 0; row < height; ++row) {
        png_read_row(png_, rows + row * row_bytes, nullptr);
      }
    }
    return true;
  }

  [[noreturn]] void fail() const { refuse_damaged(file_, message_.data()); }

  const OpenFile& file_;
  png_structp png_ = nullptr;
  png_infop info_ = nullptr;
  int passes_ = 1;
  std::jmp_buf jump_;
  std::array<char, 200> message_{};
};

std::uint32_t big_endian(const unsigned char* bytes) {
  return std::uint32_t{bytes[0]} << 24 | std::uint32_t{bytes[1]} << 16 |
         std::uint32_t{bytes[2]} << 8 | bytes[3];
}

/// What chunks say that the simplified interface does not provide.
struct PngFacts {
  int depth = 8;        ///< bits of a sample
  int significant = 0;  ///< bits, if the file states them
  double pixel_aspect = 1;
  int orientation = 1;
};

/// Reads the chunk after its header. Returns how many bytes it has read.
std::size_t read_chunk(std::FILE* file, std::string_view type, std::size_t length,
                       PngFacts& facts) {
  static constexpr std::string_view kPrefix("Exif\0\0", 6);
  const bool is_exif = type == "eXIf" && length <= std::min(kMaxExifBytes, bytes_left(file));
  const std::size_t most = is_exif ? length
                           : type == "IHDR" || type == "sBIT" || type == "pHYs"
                               ? std::min<std::size_t>(length, 13)
                               : 0;
  if (most == 0) return 0;
  std::vector<unsigned char> bytes(kPrefix.begin(), kPrefix.end());
  bytes.resize(kPrefix.size() + most);
  unsigned char* const data = bytes.data() + kPrefix.size();
  const std::size_t count = std::fread(data, 1, most, file);
  if (count < most) return count;
  if (is_exif) facts.orientation = exif_orientation(bytes);
  if (type == "IHDR" && most == 13) facts.depth = data[8];
  if (type == "sBIT")
    facts.significant = *std::max_element(data, data + std::min<std::size_t>(most, 3));
  if (type == "pHYs" && most >= 8) {
    facts.pixel_aspect = pixel_aspect_of(big_endian(data), big_endian(data + 4));
  }
  return count;
}

PngFacts png_facts(std::FILE* file) {
  constexpr long kSignatureBytes = 8, kChecksumBytes = 4;
  PngFacts facts;
  std::fseek(file, kSignatureBytes, SEEK_SET);
  std::array<unsigned char, 8> header;
  while (std::fread(header.data(), 1, header.size(), file) == header.size()) {
    const std::uint32_t length = big_endian(header.data());
    const std::string_view type(reinterpret_cast<const char*>(header.data()) + 4, 4);
    const std::size_t read = read_chunk(file, type, length, facts);
    if (std::fseek(file, static_cast<long>(length - read) + kChecksumBytes, SEEK_CUR) != 0) break;
  }
  std::rewind(file);
  return facts;
}

}  // namespace

StoredImage decode_png(const OpenFile& file, const DecodeRequest& request) {
  const PngFacts facts = png_facts(file.handle.get());
  StoredImage stored = request.eight_bit && facts.depth <= 8
                           ? ScreenReader(file).read(request)
                           : SampleReader(file).read(request, facts.significant);
  stored.exif_orientation = facts.orientation;
  stored.image.pixel_aspect = facts.pixel_aspect;
  return stored;
}

}  // namespace leafglyph::detail
