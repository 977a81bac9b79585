// Numbers in half precision (IEEE 754 binary16).
#pragma once

#include <span>

#include "features/base/npy.h"

namespace leafglyph {

/// Larger numbers, of either sign, become infinite.
inline constexpr float kLargestHalf = 65504;

/// Rounds to the nearest numbers of half precision, as many as there are values. NaN stays.
void to_half(std::span<const float> values, std::span<Half> halves);
/// Exact.
void to_float(std::span<const Half> halves, std::span<float> values);

}  // namespace leafglyph
