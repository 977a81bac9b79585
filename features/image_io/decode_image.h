// The one way from an image file to pixels: JPEG, PNG, TIFF and BMP, of any depth, with or without
// alpha; WebP and HEIF (HEIC), whose samples come in 8 bits.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string_view>
#include <variant>
#include <vector>

#include "features/base/memory.h"
#include "features/image/image.h"
#include "features/image/sample_range.h"

namespace leafglyph {

/// A decoded photograph.
struct DecodedImage {
  Image<std::uint8_t> grey;  ///< 0 (black) to 255 (white), upright
  int file_width = 0;        ///< width of the image in the file, in pixels, turned upright
  int file_height = 0;
  int reduction = 1;  ///< `grey` is the image in the file reduced by this factor
};

/// Reads `file` as a grey image: colours by grey_of (in a JPEG file they mostly lie
/// as such a grey and two differences from it; it is taken as it is), 16-bit values by their upper
/// byte, transparent pixels laid on white, turned as the EXIF orientation says. Throws InputError,
/// naming the file and the reason, when it is missing, empty, no regular file, not an image,
/// truncated or damaged, or too large to decode; Interrupted while a JPEG of many scans is decoded.
/// Safe to call from many threads.
DecodedImage decode_image(const std::filesystem::path& file);

/// The samples of an image, upright, as they stand in the file: sample c of pixel (row, column) is
/// element (row * width + column) * channels + c.
struct SampleImage {
  int width = 0;
  int height = 0;
  int channels = 1;  ///< 1: grey; 3: red, green, blue
  std::variant<std::vector<std::uint8_t>, std::vector<std::uint16_t>, std::vector<float>,
               std::vector<double>>
      samples;

  SampleDepth depth() const;
};

/// Reads `file` with the depth and the colours that it has: 8-bit, 16-bit (PNG, TIFF) or float
/// (TIFF). Palettes become colours, values of fewer than 8 bits are stretched to 0..255,
/// transparent pixels are laid on white (the highest integer; 1 in a float), the EXIF orientation
/// is undone; gamma and colour profiles are not applied. With `grey` colours become one channel by
/// the weights of decode_image, rounded in integers. Throws as decode_image, also for a JPEG beyond
/// kMaxDecodedPixels, since none is reduced, and for a TIFF file whose samples would lose digits.
SampleImage decode_samples(const std::filesystem::path& file, bool grey = false);

/// The image for a small picture of it: 8-bit samples, not reduced below `side` pixels on the
/// longer side; with `grey` one channel, as decode_image has it. Where `memory` is given, what
/// decoding takes is taken from it. Throws as decode_image and MemoryReservation::take.
SampleImage decode_picture(const std::filesystem::path& file, int side, bool grey = false,
                           MemoryReservation* memory = nullptr);
/// The same from the bytes of a file that was read, which messages call `file`.
SampleImage decode_picture(std::string_view bytes, const std::filesystem::path& file, int side,
                           bool grey = false, MemoryReservation* memory = nullptr);

}  // namespace leafglyph
