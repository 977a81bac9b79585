// Resamples a leaf together with its mask.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "features/image/resample.h"

namespace leafglyph {

/// A window of a mask, 1 inside and 0 outside, and of the values under it. Rows are `stride` apart.
struct MaskedWindow {
  const std::uint8_t* mask = nullptr;
  const std::uint8_t* values = nullptr;
  std::size_t stride = 0;
};

/// Resamples the mask, and the values with 0 outside the mask, in one pass. The result equals two
/// calls of resample() to the last bit. The window has columns.input_size x rows.input_size pixels.
/// Throws UsageError if a span does not have the length of the output.
void resample_masked(const MaskedWindow& window, const ResampleAxis& columns,
                     const ResampleAxis& rows, std::span<float> coverage, std::span<float> values);

}  // namespace leafglyph
