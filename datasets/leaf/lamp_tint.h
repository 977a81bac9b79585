// The colours of lamps and papers, by which photographs of one leaf differ.
#pragma once

#include <array>
#include <cstdint>

#include "datasets/leaf/leaf_outline.h"
#include "features/image/image.h"
#include "features/leaf/photograph.h"

namespace leafglyph {

/// Factors of red, green and blue in linear light; the largest is 1, so that nothing is clipped.
using Tint = std::array<double, 3>;

/// exp(warmth), exp(greenness) and exp(-warmth), scaled. A warmth of 0.5 is red 2.7 times as
/// strong as blue: a bulb in a camera that is set to daylight.
Tint tint_of(double warmth, double greenness);

/// The photograph with its light multiplied by `lamp` and, where `leaf` is 0, by `paper`. Throws
/// UsageError when it has no colours or the sizes differ.
Photograph in_light(const Photograph& photograph, const Image<std::uint8_t>& leaf, const Tint& lamp,
                    const Tint& paper);

/// The photograph by a lamp and on a paper drawn by `seed`: warmth of deviation 0.25 and greenness
/// of 0.05, and for the paper a fifth of that. Throws as in_light.
Photograph in_other_light(const Photograph& photograph, const Image<std::uint8_t>& leaf,
                          std::uint64_t seed);

}  // namespace leafglyph
