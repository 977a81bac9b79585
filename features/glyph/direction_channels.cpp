#include "features/glyph/direction_channels.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <numbers>
#include <opencv2/core.hpp>
#include <opencv2/imgproc.hpp>
#include <string>

#include "features/base/errors.h"

namespace leafglyph {
namespace {

// arctan x for 0 <= x <= 1 with an error below 2e-8, apart from rounding (Abramowitz and Stegun,
// Handbook of mathematical functions, 4.4.49). std::atan2 does not vectorise.
inline float arctan(float x) {
  const float s = x * x;
  const float high = s * (0.0429096138f + s * (-0.0161657367f + s * 0.0028662257f)) - 0.0752896400f;
  const float middle = -0.1420889944f + s * (0.1065626393f + s * high);
  return x * (1 + s * (-0.3333314528f + s * (0.1999355085f + s * middle)));
}

// atan2(y, x) from 0 to 2 pi; 0 for x = y = 0.
inline float full_angle(float y, float x) {
  constexpr float kPi = std::numbers::pi_v<float>;
  const float ax = std::abs(x), ay = std::abs(y);
  const float low = std::min(ax, ay), high = std::max(ax, ay);
  float angle = arctan(low / (high > 0 ? high : 1.0f));
  angle = ay > ax ? kPi / 2 - angle : angle;
  angle = x < 0 ? kPi - angle : angle;
  return y < 0 ? 2 * kPi - angle : angle;
}

// The values as a matrix of so many rows.
cv::Mat plane(std::vector<float>& values, int rows) {
  return cv::Mat(rows, static_cast<int>(values.size()) / rows, CV_32F, values.data());
}

}  // namespace

// Rows go down and y goes up.
void DirectionChannels::differentiate(int size) {
  const int last = size - 1;
  const auto half = [](int first, int second) { return second - first == 2 ? 0.5f : 1.0f; };
  float* right = right_.data();
  float* up = up_.data();
  for (int row = 0; row < size; ++row) {
    const int above = std::max(row - 1, 0), below = std::min(row + 1, last);
    const float* p = smooth_.data() + row * size;
    const float* high = smooth_.data() + above * size;
    const float* low = smooth_.data() + below * size;
    const float factor = half(above, below);
    for (int i = 0; i < size; ++i) up[i] = factor * (high[i] - low[i]);
    for (int i = 1; i < last; ++i) right[i] = 0.5f * (p[i + 1] - p[i - 1]);
    right[0] = p[1] - p[0];
    right[last] = p[last] - p[last - 1];
    right += size;
    up += size;
  }
}

void DirectionChannels::measure() {
  const auto per_radian = static_cast<float>(directions_ / (2 * std::numbers::pi));
  const float* right = right_.data();
  const float* up = up_.data();
  float* square = square_.data();
  float* place = place_.data();
  const std::size_t pixels = place_.size();
#pragma omp simd
  for (std::size_t i = 0; i < pixels; ++i) {
    square[i] = right[i] * right[i] + up[i] * up[i];
    place[i] = full_angle(up[i], right[i]) * per_radian;
  }
  cv::Mat value = plane(value_, 1);
  cv::pow(plane(square_, 1), 0.5 * power_, value);
}

void DirectionChannels::compute(const Image<float>& frame, double blur, std::span<float> out) {
  const int size = frame.width();
  const std::size_t pixels = frame.size();
  if (size < 2 || frame.height() != size ||
      out.size() != pixels * static_cast<std::size_t>(channels())) {
    throw UsageError("direction channels: a frame of " + std::to_string(size) + " x " +
                     std::to_string(frame.height()) + " pixels does not fit " +
                     std::to_string(out.size()) + " values");
  }
  for (auto* values : {&smooth_, &right_, &up_, &square_, &value_, &place_}) values->resize(pixels);
  const int width = 2 * static_cast<int>(std::ceil(3 * blur)) + 1;
  cv::Mat smooth = plane(smooth_, size);
  cv::GaussianBlur(cv::Mat(size, size, CV_32F, const_cast<float*>(frame.data())), smooth,
                   {width, width}, blur, blur, cv::BORDER_REFLECT_101);
  if (directions_ == 0) {
    std::ranges::copy(smooth_, out.begin());
    return;
  }
  differentiate(size);
  measure();
  share_values(out);
}

// Rounding may put p on the last direction plus one, which is the first.
void DirectionChannels::share_values(std::span<float> out) const {
  std::ranges::fill(out, 0.0f);
  const std::size_t pixels = value_.size();
  for (std::size_t i = 0; i < pixels; ++i) {
    if (!(square_[i] > 0)) continue;
    const auto channel = static_cast<int>(place_[i]);
    const float share = place_[i] - static_cast<float>(channel);
    const int first = channel < directions_ ? channel : 0;
    const int second = first + 1 < directions_ ? first + 1 : 0;
    out[static_cast<std::size_t>(first) * pixels + i] = (1 - share) * value_[i];
    out[static_cast<std::size_t>(second) * pixels + i] = share * value_[i];
  }
}

}  // namespace leafglyph
