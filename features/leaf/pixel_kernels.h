// Passes over the pixels of a photograph, compiled once for each instruction set and chosen at run
// time. Every set gives the same numbers to the last bit.
#pragma once

#include <cstddef>
#include <cstdint>

namespace leafglyph {

/// The colour that the light of a photograph has on its paper, and what makes another one.
struct PaperColour {
  float red = 0, green = 0;  ///< shares of (red + 1) + (green + 1) + (blue + 1)
  float farthest = 1;        ///< distance of the two shares that makes a pixel black
  float darkest = 1;  ///< mean of the three colours from which on a chromaticity counts in full
};

/// The kernels of one instruction set. Colours are red, green and blue of pixel i at [3 i],
/// [3 i + 1] and [3 i + 2].
struct PixelKernels {
  /// grey[i] = grey_of the colours of pixel i.
  void (*grey)(const std::uint8_t* colours, std::size_t count, std::uint8_t* grey);
  /// likeness[i] = 255 (1 - w d / paper.farthest), rounded to the nearest value of 0 to 255, d the
  /// distance of the chromaticity of pixel i from the paper's, w = min(1, mean colour / darkest).
  void (*likeness)(const std::uint8_t* colours, std::size_t count, const PaperColour& paper,
                   std::uint8_t* likeness);
  /// Where covered[i] is 0: shares[i] += weight, sums[i] += weight * grey[i].
  void (*add_bare)(const std::uint8_t* grey, const std::uint8_t* covered, std::size_t count,
                   float weight, float* shares, float* sums);
};

/// The fastest kernels that this processor can run.
const PixelKernels& pixel_kernels();

}  // namespace leafglyph
