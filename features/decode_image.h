// Image files as grey images: JPEG, PNG, TIFF and BMP, of any depth, with or without alpha.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>

#include "features/image.h"

namespace leafglyph {

/// A decoded photograph.
struct DecodedImage {
  Image<std::uint8_t> grey;  ///< 0 (black) to 255 (white), upright
  int file_width = 0;        ///< width of the image in the file, in pixels, turned upright
  int file_height = 0;
  int reduction = 1;  ///< `grey` is the image in the file reduced by this factor
};

/// An image is decoded whole up to this many pixels. A larger JPEG is reduced while it is decoded
/// (by 2, 4 or 8), so that the memory stays bounded; other formats cannot and are refused.
inline constexpr std::size_t kMaxDecodedPixels = std::size_t{64} * 1024 * 1024;

/// Reads `file` as a grey image: colour by the weights 0.299, 0.587, 0.114 of ITU-R BT.601, 16-bit
/// values by their upper byte, transparent pixels laid on white, turned as the EXIF orientation
/// says. Throws InputError, naming the file and the reason, when it is missing, empty, a folder,
/// not an image, truncated or damaged, or too large to decode. Safe to call from many threads.
DecodedImage decode_image(const std::filesystem::path& file);

}  // namespace leafglyph
