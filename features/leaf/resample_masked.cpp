#include "features/leaf/resample_masked.h"

#include <algorithm>
#include <vector>

#include "features/base/errors.h"
#include "features/image/image.h"
#include "features/leaf/pixel_kernels.h"

namespace leafglyph {
namespace {

std::vector<RowSpan> spans_of(const MaskedWindow& window, int width, int height) {
  std::vector<RowSpan> spans(static_cast<std::size_t>(height));
  for (int row = 0; row < height; ++row) {
    spans[static_cast<std::size_t>(row)] =
        span_of(window.mask + static_cast<std::size_t>(row) * window.stride, width);
  }
  return spans;
}

std::size_t rounded_down(int pixel) {
  return static_cast<std::size_t>(pixel) / kColumnBlock * kColumnBlock;
}
std::size_t rounded_up(int pixel) {
  return rounded_down(pixel + static_cast<int>(kColumnBlock) - 1);
}

// Pixels with fewer terms than others, and pixels that fill up the last block, get weights of 0.
ColumnWeights column_weights(const ResampleWeights& across) {
  ColumnWeights table;
  table.pixels = rounded_up(across.output_size());
  for (int u = 0; u < across.output_size(); ++u) {
    table.most = std::max(table.most, across.weights(u).size());
  }
  table.first.resize(table.pixels);
  table.weight.resize(table.most * table.pixels);
  for (int u = 0; u < across.output_size(); ++u) {
    const auto at = static_cast<std::size_t>(u);
    const std::span<const float> weights = across.weights(u);
    if (!weights.empty()) table.first[at] = across.first(u);
    for (std::size_t k = 0; k < weights.size(); ++k) {
      table.weight[k * table.pixels + at] = weights[k];
    }
  }
  return table;
}

}  // namespace

void each_resampled_row(const MaskedWindow& window, const ResampleAxis& columns,
                        const ResampleAxis& rows,
                        const std::function<void(const ResampledRow&)>& take) {
  const PixelKernels& kernels = pixel_kernels();
  const ResampleWeights across(columns), down(rows);
  const std::vector<RowSpan> spans = spans_of(window, columns.input_size, rows.input_size);
  // Sums over the input rows that contribute to one output row. They are 0 outside `shown` wherever
  // they are read.
  const ColumnWeights table = column_weights(across);
  // Both increase.
  std::vector<int> firsts, ends;
  for (int u = 0; u < columns.output_size; ++u) {
    firsts.push_back(across.first(u));
    ends.push_back(across.end(u));
  }
  std::vector<float> row_coverage(table.pixels);
  std::vector<float> of_mask(static_cast<std::size_t>(columns.input_size) + table.most);
  const bool has_values = window.values != nullptr;
  std::vector<float> of_values(has_values ? of_mask.size() : 0);
  std::vector<float> row_values(has_values ? table.pixels : 0);
  for (int v = 0; v < rows.output_size; ++v) {
    RowSpan shown{columns.input_size, -1};
    int row = down.first(v);
    for (const float weight : down.weights(v)) {
      const RowSpan span = spans[static_cast<std::size_t>(row)];
      const std::size_t from = static_cast<std::size_t>(row++) * window.stride;
      if (span.last < span.first) continue;
      shown = {std::min(shown.first, span.first), std::max(shown.last, span.last)};
      const auto first = static_cast<std::size_t>(span.first);
      kernels.add_masked(window.mask + from + first,
                         has_values ? window.values + from + first : nullptr,
                         static_cast<std::size_t>(span.last - span.first + 1), weight,
                         of_mask.data() + first, has_values ? of_values.data() + first : nullptr);
    }
    if (shown.first > shown.last) continue;
    const auto begin = static_cast<int>(std::ranges::upper_bound(ends, shown.first) - ends.begin());
    const auto end = std::max(
        begin, static_cast<int>(std::ranges::upper_bound(firsts, shown.last) - firsts.begin()));
    kernels.take_columns(table, rounded_down(begin), rounded_up(end), of_mask.data(),
                         has_values ? of_values.data() : nullptr, row_coverage.data(),
                         row_values.data());
    const auto from = static_cast<std::size_t>(begin),
               count = static_cast<std::size_t>(end - begin);
    take({v, begin, std::span(row_coverage).subspan(from, count),
          has_values ? std::span(row_values).subspan(from, count) : std::span<float>()});
    const auto clear = [&](std::vector<float>& sums) {
      std::fill(sums.begin() + shown.first, sums.begin() + shown.last + 1, 0.0F);
    };
    clear(of_mask);
    if (has_values) clear(of_values);
  }
}

void resample_masked(const MaskedWindow& window, const ResampleAxis& columns,
                     const ResampleAxis& rows, std::span<float> coverage, std::span<float> values) {
  const std::size_t size = static_cast<std::size_t>(columns.output_size) * rows.output_size;
  if (coverage.size() != size || values.size() != size) {
    throw UsageError("resample_masked: the images do not have the sizes of the axes");
  }
  std::ranges::fill(coverage, 0.0F);
  std::ranges::fill(values, 0.0F);
  each_resampled_row(window, columns, rows, [&](const ResampledRow& row) {
    const std::size_t to = static_cast<std::size_t>(row.row) * columns.output_size +
                           static_cast<std::size_t>(row.first);
    std::ranges::copy(row.coverage, coverage.begin() + to);
    std::ranges::copy(row.values, values.begin() + to);
  });
}

}  // namespace leafglyph
