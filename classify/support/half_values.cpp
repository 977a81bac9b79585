#include "classify/support/half_values.h"

#include <algorithm>
#include <cstddef>
#include <opencv2/core/hal/hal.hpp>

namespace leafglyph {
namespace {

static_assert(sizeof(Half) == sizeof(cv::float16_t));

// OpenCV counts them in an int.
constexpr std::size_t kAtOnce = std::size_t{1} << 24;

}  // namespace

void to_half(std::span<const float> values, std::span<Half> halves) {
  for (std::size_t first = 0; first < values.size(); first += kAtOnce) {
    const std::size_t count = std::min(kAtOnce, values.size() - first);
    cv::hal::cvt32f16f(&values[first], reinterpret_cast<cv::float16_t*>(&halves[first]),
                       static_cast<int>(count));
  }
}

void to_float(std::span<const Half> halves, std::span<float> values) {
  for (std::size_t first = 0; first < halves.size(); first += kAtOnce) {
    const std::size_t count = std::min(kAtOnce, halves.size() - first);
    cv::hal::cvt16f32f(reinterpret_cast<const cv::float16_t*>(&halves[first]), &values[first],
                       static_cast<int>(count));
  }
}

}  // namespace leafglyph
