// A leaf and its mask resampled together.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "features/image/resample.h"

namespace leafglyph {

/// A window of a mask, 1 inside and 0 outside, and of the values behind it; rows are `stride`
/// apart.
struct MaskedWindow {
  const std::uint8_t* mask = nullptr;
  const std::uint8_t* values = nullptr;
  std::size_t stride = 0;
};

/// Resamples the mask, and the values with 0 outside it, in one go: to the last bit what two calls
/// of resample() would give. The window is columns.input_size x rows.input_size. Throws UsageError
/// when a span has another length than the output.
void resample_masked(const MaskedWindow& window, const ResampleAxis& columns,
                     const ResampleAxis& rows, std::span<float> coverage, std::span<float> values);

}  // namespace leafglyph
