// A photograph in which a leaf is searched: grey values and, if the file has them, colours.
#pragma once

#include <cstdint>
#include <filesystem>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include "features/base/memory.h"
#include "features/image/ground.h"
#include "features/image/image.h"

namespace leafglyph {

/// Width / height of a scene that a file of width x height pixels of this aspect shows. `stated`:
/// of scenes whose files were squeezed, 0: none were; files that have this shape, lying or upright,
/// were not.
double shape_of(int width, int height, double pixel_aspect, double stated);

struct Photograph {
  Image<std::uint8_t> grey;  ///< 0 (black) to 255 (white), upright
  /// Red, green and blue of pixel i of `grey` are at [3 i], [3 i + 1] and [3 i + 2]. Empty for a
  /// photograph without colours.
  std::vector<std::uint8_t> colour = {};
  int file_width = 0;   ///< of the upright image in its file, if it was reduced while it was read
  int file_height = 0;  ///< the same; 0: as high as `grey`
  double pixel_aspect = 1;              ///< width / height of a pixel of the file, in the scene
  std::vector<std::string> notes = {};  ///< SampleImage::notes

  bool has_colour() const { return !colour.empty(); }
  /// Pixels of the file per pixel of `grey`, along a row and along a column.
  double across() const {
    return file_width == 0 ? 1.0 : static_cast<double>(file_width) / grey.width();
  }
  double down() const {
    return file_height == 0 ? 1.0 : static_cast<double>(file_height) / grey.height();
  }
  /// Width / height of the scene: shape_of.
  double shape(double stated) const;
};

/// How to read the file of a photograph.
struct PhotographRequest {
  /// A JPEG file may be reduced by 2, 4 or 8 while it is decoded, to no fewer than this many pixels
  /// on the longer side. By default only files that are too large to decode in full are reduced.
  int enough = std::numeric_limits<int>::max();
  bool colour = true;              ///< without it only grey values, in about half the time
  int bits = 0;                    ///< decode_picture's
  Ground ground = Ground::kWhite;  ///< the same
  /// If many photographs are read at once, this holds the memory for this one during the life of
  /// the reservation.
  MemoryReservation* memory = nullptr;
};

/// decode_image, with the colours of the file if they are requested and not all of them are grey.
/// Throws as decode_image.
Photograph read_photograph(const std::filesystem::path& file,
                           const PhotographRequest& request = {});
/// The same from the bytes of a file. Messages use the name `file`.
Photograph read_photograph(std::string_view bytes, const std::filesystem::path& file,
                           const PhotographRequest& request);

/// A photograph from colours (red, green, blue of each pixel), with the grey values of grey_of.
/// Throws UsageError if the sizes do not match.
Photograph colour_photograph(int width, int height, std::vector<std::uint8_t> colour);

/// The photograph enlarged or reduced to the given sides. Reductions average.
Photograph resized(const Photograph& photograph, int width, int height);

}  // namespace leafglyph
