#include "tools/cli/fourier_filter.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <opencv2/core.hpp>

#include "features/base/errors.h"

namespace leafglyph {

FilterPower filter_frequencies(FilterKind kind, double alpha, int size, std::span<double> image) {
  validate_cutoff(alpha);
  if (image.size() != static_cast<std::size_t>(size) * static_cast<std::size_t>(size)) {
    throw UsageError(
        fmt::format("{} pixels are not an image of {} x {}", image.size(), size, size));
  }
  cv::Mat pixels(size, size, CV_64F, image.data());
  cv::Mat spectrum;
  cv::dft(pixels, spectrum, cv::DFT_COMPLEX_OUTPUT);
  FilterPower power;
  for (int row = 0; row < size; ++row) {
    auto* line = spectrum.ptr<cv::Vec2d>(row);
    const int v = std::min(row, size - row);
    for (int column = 0; column < size; ++column) {
      const int u = std::min(column, size - column);
      const double gain = filter_gain(kind, std::hypot(u, v), alpha * size);
      const double square = line[column].dot(line[column]);
      power.total += square;
      power.kept += square * gain;
      line[column] *= gain;
    }
  }
  cv::dft(spectrum, pixels, cv::DFT_INVERSE | cv::DFT_REAL_OUTPUT | cv::DFT_SCALE);
  return power;
}

}  // namespace leafglyph
