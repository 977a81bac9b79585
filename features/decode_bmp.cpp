#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <opencv2/imgcodecs.hpp>
#include <string>

#include "features/decode_formats.h"

namespace leafglyph::detail {
namespace {

std::int32_t little_endian(const unsigned char* bytes) {
  return static_cast<std::int32_t>(std::uint32_t{bytes[3]} << 24 | std::uint32_t{bytes[2]} << 16 |
                                   std::uint32_t{bytes[1]} << 8 | bytes[0]);
}

// Checks the header and the length of the file, so that OpenCV's reader, which prints when it
// fails, gets whole files only. Returns whether the pixels have an alpha value: the fourth byte of
// a pixel is that only when the header gives it a mask.
bool check_header(const OpenFile& file) {
  const char* const damaged = "is a truncated or damaged BMP file; copy it again from its source";
  std::array<unsigned char, 54> header;  // file header and the fields of every later version
  if (std::fread(header.data(), 1, header.size(), file.handle.get()) != header.size()) {
    refuse(file.path, damaged);
  }
  const std::int64_t pixels_at = little_endian(header.data() + 10);
  const std::int64_t width = little_endian(header.data() + 18);
  const std::int64_t height = std::abs(std::int64_t{little_endian(header.data() + 22)});
  const int bits = header[28] | header[29] << 8;
  const std::int32_t compression = little_endian(header.data() + 30);
  if (little_endian(header.data() + 14) < 40 || width <= 0 || height == 0) {
    refuse(file.path, damaged);
  }
  const bool bit_fields = compression == 3 && (bits == 16 || bits == 32);
  const bool plain = compression == 0 && (bits == 1 || bits == 4 || bits == 8 || bits == 24 ||
                                          bits == 16 || bits == 32);
  if (!plain && !bit_fields) {
    refuse(file.path, "is a BMP file of a kind that is not read (" + std::to_string(bits) +
                          " bits a pixel, compression " + std::to_string(compression) +
                          "); save it as PNG");
  }
  check_pixel_count(file.path, static_cast<std::uint64_t>(width),
                    static_cast<std::uint64_t>(height));
  const std::int64_t row_bytes = (width * bits + 31) / 32 * 4;
  if (pixels_at < 54 || pixels_at + row_bytes * height >
                            static_cast<std::int64_t>(std::filesystem::file_size(file.path))) {
    refuse(file.path, damaged);
  }
  if (compression != 3 || bits != 32 || little_endian(header.data() + 14) < 56) return false;
  std::array<unsigned char, 16> masks;  // red, green, blue, alpha
  return std::fread(masks.data(), 1, masks.size(), file.handle.get()) == masks.size() &&
         little_endian(masks.data() + 12) != 0;
}

}  // namespace

StoredImage decode_bmp(const OpenFile& file) {
  const bool alpha = check_header(file);
  const cv::Mat image =
      cv::imread(file.path.string(), alpha ? cv::IMREAD_UNCHANGED : cv::IMREAD_COLOR);
  if (image.empty() || image.depth() != CV_8U || image.channels() != (alpha ? 4 : 3)) {
    refuse(file.path, "is a BMP file that cannot be decoded; save it as PNG");
  }
  StoredImage stored;
  stored.image.file_width = image.cols;
  stored.image.file_height = image.rows;
  stored.image.grey = Image<std::uint8_t>(image.cols, image.rows);
  for (int row = 0; row < image.rows; ++row) {
    const std::uint8_t* p = image.ptr<std::uint8_t>(row);
    for (int column = 0; column < image.cols; ++column, p += image.channels()) {
      stored.image.grey.at(row, column) = grey_on_white(p[2], p[1], p[0], alpha ? p[3] : 255u);
    }
  }
  return stored;
}

}  // namespace leafglyph::detail
