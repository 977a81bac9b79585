// Copies of training photographs made worse: what a classifier should not mind.
#pragma once

#include <cstdint>

#include "features/image/image.h"
#include "features/leaf/photograph.h"

namespace leafglyph {

/// One of four things, `seed` says which and how much:
/// - a round hole about a point of the outline, of 2 to 15 % of the leaf's area;
/// - what lies beyond a straight line cut off, 2 to 12 % of the area;
/// - a Gaussian blur of 0.3 to 3 % of the square root of the area;
/// - normal noise of 3 to 30 grey values.
/// `leaf` is 1 on the leaf's pixels; what is gone has the mean colour of the rest. The same seed
/// gives the same picture. Throws UsageError when the sizes differ or there is no leaf.
Photograph worn_copy(const Photograph& photograph, const Image<std::uint8_t>& leaf,
                     std::uint64_t seed);

}  // namespace leafglyph
