// Resamples a leaf together with its mask.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>

#include "features/image/resample.h"

namespace leafglyph {

/// A window of a mask, 1 inside and 0 outside, and of the values under it, which may be left out.
/// Rows are `stride` apart.
struct MaskedWindow {
  const std::uint8_t* mask = nullptr;
  const std::uint8_t* values = nullptr;
  std::size_t stride = 0;
};

/// A row of a resampled mask and values: its pixels from `first` on. All others are 0. Without
/// values in the window, `values` is empty.
struct ResampledRow {
  int row = 0, first = 0;
  std::span<const float> coverage, values;
};

/// resample_masked row by row, without storing the images. Rows in which all pixels are 0 are left
/// out. A row's pixels are valid during the call.
void each_resampled_row(const MaskedWindow& window, const ResampleAxis& columns,
                        const ResampleAxis& rows,
                        const std::function<void(const ResampledRow&)>& take);

/// Resamples the mask, and the values with 0 outside the mask, in one pass. The result equals two
/// calls of resample() to the last bit. The window has columns.input_size x rows.input_size pixels.
/// Throws UsageError if a span does not have the length of the output.
void resample_masked(const MaskedWindow& window, const ResampleAxis& columns,
                     const ResampleAxis& rows, std::span<float> coverage, std::span<float> values);

}  // namespace leafglyph
