// A photograph as the leaf is looked for in it: grey values and, where the file has them, colours.
#pragma once

#include <cstdint>
#include <filesystem>
#include <limits>
#include <string_view>
#include <vector>

#include "features/base/memory.h"
#include "features/image/image.h"

namespace leafglyph {

struct Photograph {
  Image<std::uint8_t> grey;  ///< 0 (black) to 255 (white), upright
  /// Red, green and blue of pixel i of `grey` at [3 i], [3 i + 1] and [3 i + 2]; empty for a
  /// photograph without colours.
  std::vector<std::uint8_t> colour = {};

  bool has_colour() const { return !colour.empty(); }
};

/// What is wanted of a photograph's file.
struct PhotographRequest {
  /// A JPEG file may be reduced by 2, 4 or 8 while it is decoded, to no less than so many pixels on
  /// the longer side; by default only what is too large to be decoded whole.
  int enough = std::numeric_limits<int>::max();
  bool colour = true;  ///< without it only grey values, in about half the time
  /// Where many photographs are read at once: what this one takes, for the life of the reservation.
  MemoryReservation* memory = nullptr;
};

/// decode_image with the colours of the file, where they are wanted and not all of them grey.
/// Throws as decode_image.
Photograph read_photograph(const std::filesystem::path& file,
                           const PhotographRequest& request = {});
/// The same from the bytes of a file that was read, which messages call `file`.
Photograph read_photograph(std::string_view bytes, const std::filesystem::path& file,
                           const PhotographRequest& request);

/// A photograph whose grey values are those of its colours (red, green, blue of each pixel), by
/// grey_of. Throws UsageError when the sizes do not fit.
Photograph colour_photograph(int width, int height, std::vector<std::uint8_t> colour);

/// The photograph enlarged or reduced to other sides; reductions average.
Photograph resized(const Photograph& photograph, int width, int height);

}  // namespace leafglyph
