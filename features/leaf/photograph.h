// A photograph as the leaf is looked for in it: grey values and, where the file has them, colours.
#pragma once

#include <cstdint>
#include <filesystem>
#include <limits>
#include <string_view>
#include <vector>

#include "features/image/image.h"

namespace leafglyph {

struct Photograph {
  Image<std::uint8_t> grey;  ///< 0 (black) to 255 (white), upright
  /// Red, green and blue of pixel i of `grey` at [3 i], [3 i + 1] and [3 i + 2]; empty for a
  /// photograph without colours.
  std::vector<std::uint8_t> colour = {};

  bool has_colour() const { return !colour.empty(); }
};

/// decode_image with the colours of the file, which are dropped where all of them are grey. A JPEG
/// file may be reduced by 2, 4 or 8 while it is decoded, to no less than `enough` pixels on the
/// longer side; without it only what is too large to be decoded whole. Throws as decode_image.
Photograph read_photograph(const std::filesystem::path& file,
                           int enough = std::numeric_limits<int>::max());
/// The same from the bytes of a file that was read, which messages call `file`.
Photograph read_photograph(std::string_view bytes, const std::filesystem::path& file, int enough);

/// A photograph whose grey values are those of its colours (red, green, blue of each pixel), by
/// the weights of decode_image. Throws UsageError when the sizes do not fit.
Photograph colour_photograph(int width, int height, std::vector<std::uint8_t> colour);

/// The photograph enlarged or reduced to other sides; reductions average.
Photograph resized(const Photograph& photograph, int width, int height);

}  // namespace leafglyph
