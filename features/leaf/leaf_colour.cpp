#include "features/leaf/leaf_colour.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <opencv2/core.hpp>
#include <opencv2/imgproc.hpp>
#include <vector>

#include "features/base/errors.h"
#include "features/leaf/paper_light.h"

namespace leafglyph {
namespace {

// Resolution of the table for the paper's light: a sixteenth of a grey value, finer than visible
// differences of colour.
constexpr int kSteps = 16;
// Paper that reflects less than this in one colour says nothing about the light of that colour.
constexpr float kLeastPaper = 0.01F;

// CIE 15:2004. The matrix gives X, Y and Z from linear red, green and blue of sRGB (IEC 61966-2-1),
// each divided by its value for white (D65). The constants define the function whose differences
// are a* and b*: a cube root, linear for dark colours.
const cv::Matx33f kTristimulus(0.412391F / 0.950456F, 0.357584F / 0.950456F, 0.180481F / 0.950456F,
                               0.212639F, 0.715169F, 0.072192F,  //
                               0.019331F / 1.089058F, 0.119195F / 1.089058F, 0.950532F / 1.089058F);
constexpr float kKnee = 216.0F / 24389, kSlope = 841.0F / 108, kOffset = 4.0F / 29;

std::vector<float> linear_table() {
  std::vector<float> table;
  for (int i = 0; i <= 255 * kSteps; ++i) {
    table.push_back(static_cast<float>(linear_light(static_cast<double>(i) / kSteps)));
  }
  return table;
}

Image<std::uint8_t> one_colour(const Photograph& photograph, std::size_t colour) {
  Image<std::uint8_t> plane(photograph.grey.width(), photograph.grey.height());
  for (std::size_t i = 0; i < plane.size(); ++i) {
    plane.data()[i] = photograph.colour[3 * i + colour];
  }
  return plane;
}

// The reflectance of each pixel, 0..1, in red, green and blue.
cv::Mat reflectances(const Photograph& photograph, const Image<std::uint8_t>& foreground,
                     bool paper_is_white) {
  const std::vector<float> linear = linear_table();
  cv::Mat result(photograph.grey.height(), photograph.grey.width(), CV_32FC3);
  auto* values = result.ptr<float>();
  for (std::size_t colour = 0; colour < 3; ++colour) {
    const Image<std::uint8_t> plane = one_colour(photograph, colour);
    Image<float> paper;
    if (paper_is_white) paper = light_around(plane, foreground);
    for (std::size_t i = 0; i < plane.size(); ++i) {
      float light = 1;
      if (paper_is_white) {
        const long step = std::lround(kSteps * std::clamp(paper.data()[i], 0.0F, 255.0F));
        light = std::max(kLeastPaper, linear[static_cast<std::size_t>(step)]);
      }
      const float value = linear[static_cast<std::size_t>(plane.data()[i]) * kSteps];
      values[3 * i + colour] = std::min(1.0F, value / light);
    }
  }
  return result;
}

}  // namespace

double linear_light(double value) {
  const double v = value / 255;
  return v <= 0.04045 ? v / 12.92 : std::pow((v + 0.055) / 1.055, 2.4);
}

double encoded_light(double light) {
  return 255 * (light <= 0.0031308 ? 12.92 * light : 1.055 * std::pow(light, 1 / 2.4) - 0.055);
}

ChromaticPlanes chromatic_planes(const Photograph& photograph,
                                 const Image<std::uint8_t>& foreground, bool paper_is_white) {
  const int width = photograph.grey.width(), height = photograph.grey.height();
  if (!photograph.has_colour()) throw UsageError("the photograph has no colours");
  if (foreground.width() != width || foreground.height() != height) {
    throw UsageError("the mask is not as large as its photograph");
  }
  cv::Mat tristimuli, roots;
  cv::transform(reflectances(photograph, foreground, paper_is_white), tristimuli, kTristimulus);
  cv::pow(tristimuli, 1.0 / 3, roots);
  ChromaticPlanes planes{Image<float>(width, height), Image<float>(width, height)};
  const auto *value = tristimuli.ptr<float>(), *root = roots.ptr<float>();
  for (std::size_t i = 0; i < photograph.grey.size(); ++i) {
    const auto f = [&](std::size_t k) {
      return value[k] > kKnee ? root[k] : kSlope * value[k] + kOffset;
    };
    const float x = f(3 * i), y = f(3 * i + 1), z = f(3 * i + 2);
    planes.a.data()[i] = 500 * (x - y) / kChromaticScale;
    planes.b.data()[i] = 200 * (y - z) / kChromaticScale;
  }
  return planes;
}

}  // namespace leafglyph
