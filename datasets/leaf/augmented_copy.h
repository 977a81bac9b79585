// Augmented copies of training photographs, and the same photographs in another light: changes that
// a classifier should tolerate.
#pragma once

#include <array>
#include <cstdint>

#include "datasets/leaf/leaf_outline.h"
#include "features/image/image.h"
#include "features/leaf/photograph.h"

namespace leafglyph {

/// One of four alterations; `seed` selects which one and how strong:
/// - a round hole about a point of the outline, of 2 to 15 % of the leaf's area;
/// - a straight cut that removes 2 to 12 % of the area;
/// - a Gaussian blur of 0.3 to 3 % of the square root of the area;
/// - normal noise of 3 to 30 grey values.
/// `leaf` is 1 on the leaf's pixels; removed pixels get the mean colour of the rest. The same seed
/// gives the same picture. Throws UsageError when the sizes differ or there is no leaf.
Photograph augmented_copy(const Photograph& photograph, const Image<std::uint8_t>& leaf,
                          std::uint64_t seed);

/// Factors of red, green and blue in linear light; the largest is 1, so that nothing is clipped.
using Tint = std::array<double, 3>;

/// exp(warmth), exp(greenness) and exp(-warmth), scaled. At a warmth of 0.5, red is 2.7 times as
/// strong as blue: an incandescent bulb with the camera set to daylight.
Tint tint_of(double warmth, double greenness);

/// The photograph with its light multiplied by `lamp` and, where `leaf` is 0, by `paper`. Throws
/// UsageError when it has no colours or the sizes differ.
Photograph in_light(const Photograph& photograph, const Image<std::uint8_t>& leaf, const Tint& lamp,
                    const Tint& paper);

/// The photograph in a light and on paper of random colours from `seed`: warmth with deviation 0.25
/// and greenness with deviation 0.05, for the paper a fifth of that. Throws what in_light throws.
Photograph in_other_light(const Photograph& photograph, const Image<std::uint8_t>& leaf,
                          std::uint64_t seed);

}  // namespace leafglyph
