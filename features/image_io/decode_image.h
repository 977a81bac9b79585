// The only way from an image file to pixels: JPEG, PNG, TIFF and BMP of any depth, with or without
// alpha; WebP and HEIF (HEIC), whose samples are returned in 8 bits; arrays in .npy and FITS files.
//
// FILE#2 is the second page of a file of several, if no file has that name itself. By default it is
// the first page that is not marked as a smaller copy of another, or a mask; if all are, the
// largest.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "features/base/memory.h"
#include "features/image/ground.h"
#include "features/image/image.h"
#include "features/image/sample_range.h"

namespace leafglyph {

/// A decoded photograph.
struct DecodedImage {
  Image<std::uint8_t> grey;  ///< 0 (black) to 255 (white), upright
  int file_width = 0;        ///< width of the image in the file, in pixels, when upright
  int file_height = 0;
  int reduction = 1;  ///< factor by which `grey` is smaller than the image in the file
};

/// A file and the number of its page, from 1; 0: none was named.
struct PageOfFile {
  std::filesystem::path file;
  int page = 0;
};
PageOfFile page_of_file(const std::filesystem::path& name);

/// Reads `file` as an upright grey image, rotated as its EXIF orientation says. Colours are
/// converted by grey_of. Most JPEG files store such a grey channel and two colour differences; then
/// that channel is used as it is. Values of more than 8 bits are scaled (DeepSamples), and
/// transparent pixels are composited onto white. Throws InputError, naming the file and the reason,
/// if the file is missing, empty, not a regular file, not an image, truncated, damaged, or too
/// large to decode. Throws Interrupted while a JPEG with many scans is decoded. Safe to call from
/// many threads.
DecodedImage decode_image(const std::filesystem::path& file);

/// The samples of an upright image with their values in the file. Sample c of pixel (row, column)
/// is element (row * width + column) * channels + c.
struct SampleImage {
  int width = 0;
  int height = 0;
  int channels = 1;  ///< 1: grey; 3: red, green, blue
  std::variant<std::vector<std::uint8_t>, std::vector<std::uint16_t>, std::vector<float>,
               std::vector<double>>
      samples;
  int file_width = 0;  ///< of the upright image in the file, which decode_picture may reduce
  int file_height = 0;
  double pixel_aspect = 1;  ///< width / height of a pixel, as the file's resolution says
  std::vector<std::string> notes = {};  ///< what a reader may not expect, one line each

  SampleDepth depth() const;
};

/// Reads `file` with the depth and colours that it has: integers of 8 or 16 bits, or numbers, in
/// which signed integers and those of 32 bits are read exactly. Palettes become colours. Values of
/// fewer than 8 bits are scaled to 0..255. Transparent pixels are composited onto white (the
/// highest integer; 1 for floats). The EXIF orientation is undone. Gamma, colour profiles and the
/// shape of pixels are not applied. With `grey`, colours become one channel by the weights of
/// decode_image; integers are rounded. Throws as decode_image, and also for an image beyond
/// kMaxDecodedPixels, since none is reduced, and for one of samples that are neither integers of up
/// to 32 bits nor numbers of 16, 32 or 64.
SampleImage decode_samples(const std::filesystem::path& file, bool grey = false);
/// The same from the bytes of a file. Messages use the name `file`.
SampleImage decode_samples(std::string_view bytes, const std::filesystem::path& file,
                           bool grey = false);

/// Reads one channel of numbers that name regions: those of a palette instead of its colours, and
/// grey values of any depth as they are stored. Throws as decode_samples.
SampleImage decode_labels(std::string_view bytes, const std::filesystem::path& file);

/// Decodes an image for a small picture: 8-bit samples, not reduced below `side` pixels on the
/// longer side. With `grey` it has one channel, as in decode_image. If `memory` is given, the
/// memory for decoding is reserved through it. `bits`, if it is not 0, states the values of deeper
/// samples instead of the file: 12 means that 4095 is white. Transparent pixels are composited onto
/// `ground`. Throws as decode_image and
/// MemoryReservation::take.
SampleImage decode_picture(const std::filesystem::path& file, int side, bool grey = false,
                           MemoryReservation* memory = nullptr, int bits = 0,
                           Ground ground = Ground::kWhite);
/// The same from the bytes of a file. Messages use the name `file`.
SampleImage decode_picture(std::string_view bytes, const std::filesystem::path& file, int side,
                           bool grey = false, MemoryReservation* memory = nullptr, int bits = 0,
                           Ground ground = Ground::kWhite);

}  // namespace leafglyph
