#include "features/image/resample.h"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "features/base/errors.h"

namespace leafglyph {

ResampleWeights::ResampleWeights(const ResampleAxis& axis) {
  const double reach = std::max(1.0, 1.0 / axis.scale);  // half the width of the triangle
  first_.reserve(static_cast<std::size_t>(axis.output_size));
  offset_.reserve(static_cast<std::size_t>(axis.output_size) + 1);
  offset_.push_back(0);
  for (int u = 0; u < axis.output_size; ++u) {
    const double centre = (u - axis.output_origin) / axis.scale + axis.input_origin;
    const int low = std::max(0, static_cast<int>(std::ceil(centre - reach)));
    const int high = std::min(axis.input_size - 1, static_cast<int>(std::floor(centre + reach)));
    double all = 0;  // over the positions beyond the ends too, where the input is 0
    for (int i = static_cast<int>(std::ceil(centre - reach)); i <= std::floor(centre + reach);
         ++i) {
      all += 1 - std::abs(i - centre) / reach;
    }
    first_.push_back(low);
    for (int i = low; i <= high; ++i) {
      weights_.push_back(static_cast<float>((1 - std::abs(i - centre) / reach) / all));
    }
    offset_.push_back(weights_.size());
  }
}

namespace {

void add_scaled(const float* input, float weight, float* output, int count) {
  for (int i = 0; i < count; ++i) output[i] += weight * input[i];
}

std::size_t area(int width, int height) {
  return static_cast<std::size_t>(width) * static_cast<std::size_t>(height);
}

/// The columns of a row that hold something of the mask: first to last, first > last for none.
struct RowSpan {
  int first = 0;
  int last = -1;
};

std::vector<RowSpan> spans_of(const MaskedWindow& window, int width, int height) {
  std::vector<RowSpan> spans(static_cast<std::size_t>(height));
  for (int row = 0; row < height; ++row) {
    const std::uint8_t* mask = window.mask + static_cast<std::size_t>(row) * window.stride;
    const void* inside = std::memchr(mask, 1, static_cast<std::size_t>(width));
    if (inside == nullptr) continue;
    RowSpan& span = spans[static_cast<std::size_t>(row)];
    span.first = static_cast<int>(static_cast<const std::uint8_t*>(inside) - mask);
    span.last = width - 1;
    while (mask[span.last] == 0) --span.last;
  }
  return spans;
}

void add_masked(const std::uint8_t* mask, const std::uint8_t* values, float weight, int count,
                float* coverage, float* sums) {
  for (int i = 0; i < count; ++i) {
    coverage[i] += weight * static_cast<float>(mask[i]);
    sums[i] += weight * static_cast<float>(mask[i] * values[i]);
  }
}

}  // namespace

void resample_masked(const MaskedWindow& window, const ResampleAxis& columns,
                     const ResampleAxis& rows, std::span<float> coverage, std::span<float> values) {
  const std::size_t size = area(columns.output_size, rows.output_size);
  if (coverage.size() != size || values.size() != size) {
    throw UsageError("resample: the images do not have the sizes of the axes");
  }
  const ResampleWeights across(columns), down(rows);
  const std::vector<RowSpan> spans = spans_of(window, columns.input_size, rows.input_size);
  // Of the rows that one row of the output shows; 0 outside `shown` wherever they are read.
  std::vector<float> of_mask(static_cast<std::size_t>(columns.input_size));
  std::vector<float> of_values(of_mask.size());
  std::ranges::fill(coverage, 0.0F);
  std::ranges::fill(values, 0.0F);
  for (int v = 0; v < rows.output_size; ++v) {
    RowSpan shown{columns.input_size, -1};
    int row = down.first(v);
    for (const float weight : down.weights(v)) {
      const RowSpan span = spans[static_cast<std::size_t>(row)];
      const std::size_t from = static_cast<std::size_t>(row++) * window.stride;
      if (span.last < span.first) continue;
      shown = {std::min(shown.first, span.first), std::max(shown.last, span.last)};
      const auto first = static_cast<std::size_t>(span.first);
      add_masked(window.mask + from + first, window.values + from + first, weight,
                 span.last - span.first + 1, of_mask.data() + first, of_values.data() + first);
    }
    int u = 0;
    while (u < columns.output_size && across.end(u) <= shown.first) ++u;
    for (; u < columns.output_size && across.first(u) <= shown.last; ++u) {
      auto at = static_cast<std::size_t>(across.first(u));
      float covered = 0, sum = 0;
      for (const float weight : across.weights(u)) {
        covered += weight * of_mask[at];
        sum += weight * of_values[at++];
      }
      const std::size_t to = area(columns.output_size, v) + static_cast<std::size_t>(u);
      coverage[to] = covered;
      values[to] = sum;
    }
    for (int i = shown.first; i <= shown.last; ++i) {
      of_mask[static_cast<std::size_t>(i)] = 0;
      of_values[static_cast<std::size_t>(i)] = 0;
    }
  }
}

void resample(std::span<const float> input, const ResampleAxis& columns, const ResampleAxis& rows,
              std::span<float> output) {
  if (input.size() != area(columns.input_size, rows.input_size) ||
      output.size() != area(columns.output_size, rows.output_size)) {
    throw UsageError("resample: the images do not have the sizes of the axes");
  }
  const ResampleWeights across(columns), down(rows);
  const int width = columns.output_size;
  std::vector<float> narrow(area(columns.input_size, rows.output_size), 0.0f);
  for (int v = 0; v < rows.output_size; ++v) {
    float* target = narrow.data() + area(columns.input_size, v);
    const float* source = input.data() + area(columns.input_size, down.first(v));
    for (const float weight : down.weights(v)) {
      add_scaled(source, weight, target, columns.input_size);
      source += columns.input_size;
    }
  }
  for (int v = 0; v < rows.output_size; ++v) {
    const float* source = narrow.data() + area(columns.input_size, v);
    float* target = output.data() + area(width, v);
    for (int u = 0; u < width; ++u) {
      const float* from = source + across.first(u);
      float sum = 0;
      for (const float weight : across.weights(u)) sum += weight * *from++;
      target[u] = sum;
    }
  }
}

}  // namespace leafglyph
