// One reader a file format, behind decode_image. The libraries of the formats are called directly,
// since OpenCV's readers write to stderr and pass truncated JPEG files off as whole ones.
#pragma once

#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <span>
#include <string>

#include "features/decode_image.h"
#include "features/input_file.h"

namespace leafglyph::detail {

/// An image as it lies in the file: `exif_orientation` (1..8) still to be undone.
struct StoredImage {
  DecodedImage image;
  int exif_orientation = 1;
};

/// The file, named, and where it is read from; `handle` stands at the first byte.
struct OpenFile {
  std::filesystem::path path;
  FileHandle handle;
};

StoredImage decode_jpeg(const OpenFile& file);
StoredImage decode_png(const OpenFile& file);
StoredImage decode_tiff(const OpenFile& file);
StoredImage decode_bmp(const OpenFile& file);

/// Throws InputError "<file>: <reason>".
[[noreturn]] void refuse(const std::filesystem::path& file, const std::string& reason);

/// Refuses an image that is decoded whole and is larger than kMaxDecodedPixels.
void check_pixel_count(const std::filesystem::path& file, std::uint64_t width,
                       std::uint64_t height);

/// Grey value of a colour pixel of which `alpha` of 255 covers white.
inline std::uint8_t grey_on_white(unsigned red, unsigned green, unsigned blue, unsigned alpha) {
  const unsigned grey = (299 * red + 587 * green + 114 * blue + 500) / 1000;
  return static_cast<std::uint8_t>((grey * alpha + 255 * (255 - alpha) + 127) / 255);
}

/// Orientation 1..8 from an EXIF block ("Exif\0\0" and a TIFF header); 1 when it states none.
int exif_orientation(std::span<const unsigned char> block);

}  // namespace leafglyph::detail
