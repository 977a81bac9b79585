#include "features/image/resample.h"

#include <algorithm>
#include <cmath>

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
    double all = 0;  // also over positions beyond the ends, where the input is 0
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

}  // namespace

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
