#include <png.h>

#include <array>
#include <cstddef>
#include <string>
#include <vector>

#include "features/decode_formats.h"

namespace leafglyph::detail {
namespace {

// libpng's simplified interface, which never prints.
class PngReader {
 public:
  explicit PngReader(const OpenFile& file) : file_(file) { image_.version = PNG_IMAGE_VERSION; }
  ~PngReader() { png_image_free(&image_); }
  PngReader(const PngReader&) = delete;
  PngReader& operator=(const PngReader&) = delete;

  DecodedImage read() {
    if (png_image_begin_read_from_stdio(&image_, file_.handle.get()) == 0) refuse_damaged();
    check_pixel_count(file_.path, image_.width, image_.height);
    DecodedImage decoded;
    decoded.file_width = static_cast<int>(image_.width);
    decoded.file_height = static_cast<int>(image_.height);
    decoded.grey = Image<std::uint8_t>(decoded.file_width, decoded.file_height);
    // Without this flag 16-bit values without a gamma chunk would be taken as linear light.
    image_.flags |= PNG_IMAGE_FLAG_16BIT_sRGB;
    const bool plain = (image_.format & (PNG_FORMAT_FLAG_COLOR | PNG_FORMAT_FLAG_ALPHA)) == 0;
    if (plain) {
      read_as(PNG_FORMAT_GRAY, decoded.grey.data());
    } else {
      read_colour(decoded.grey);
    }
    return decoded;
  }

 private:
  void read_as(png_uint_32 format, std::uint8_t* pixels) {
    image_.format = format;
    if (png_image_finish_read(&image_, nullptr, pixels, 0, nullptr) == 0) refuse_damaged();
  }

  void read_colour(Image<std::uint8_t>& grey) {
    std::vector<std::uint8_t> rgba(4 * grey.size());
    read_as(PNG_FORMAT_RGBA, rgba.data());
    for (std::size_t i = 0; i < grey.size(); ++i) {
      const std::uint8_t* p = rgba.data() + 4 * i;
      grey.data()[i] = grey_on_white(p[0], p[1], p[2], p[3]);
    }
  }

  [[noreturn]] void refuse_damaged() const {
    refuse(file_.path, std::string("is a truncated or damaged PNG file (") + image_.message +
                           "); copy it again from its source");
  }

  const OpenFile& file_;
  png_image image_{};
};

std::uint32_t big_endian(const unsigned char* bytes) {
  return std::uint32_t{bytes[0]} << 24 | std::uint32_t{bytes[1]} << 16 |
         std::uint32_t{bytes[2]} << 8 | bytes[3];
}

// The simplified interface does not give the eXIf chunk, so the list of chunks is walked for it.
int png_orientation(std::FILE* file) {
  constexpr long kSignatureBytes = 8;
  constexpr std::uint32_t kLargestExif = 1 << 20;
  std::fseek(file, kSignatureBytes, SEEK_SET);
  std::array<unsigned char, 8> header;
  while (std::fread(header.data(), 1, header.size(), file) == header.size()) {
    const std::uint32_t length = big_endian(header.data());
    const std::string_view type(reinterpret_cast<const char*>(header.data()) + 4, 4);
    if (type == "eXIf" && length <= kLargestExif) {
      static constexpr std::string_view kPrefix("Exif\0\0", 6);
      std::vector<unsigned char> block(kPrefix.begin(), kPrefix.end());
      block.resize(kPrefix.size() + length);
      if (std::fread(block.data() + kPrefix.size(), 1, length, file) != length) return 1;
      return exif_orientation(block);
    }
    constexpr long kChecksumBytes = 4;
    if (std::fseek(file, static_cast<long>(length) + kChecksumBytes, SEEK_CUR) != 0) return 1;
  }
  return 1;
}

}  // namespace

StoredImage decode_png(const OpenFile& file) {
  StoredImage stored;
  stored.image = PngReader(file).read();
  stored.exif_orientation = png_orientation(file.handle.get());
  return stored;
}

}  // namespace leafglyph::detail
