#include "features/leaf/leaf_orientation.h"

#include <cmath>
#include <opencv2/imgproc.hpp>

#include "features/image/image.h"

namespace leafglyph {
namespace {

/// The three elements of the structure tensor in the box of `inside`.
struct Tensor {
  cv::Mat xx, xy, yy;
};

Tensor averaged_tensor(const Image<float>& grey, const Image<std::uint8_t>& inside,
                       const MaskBox& box) {
  const cv::Size size(box.width(), box.height());
  Tensor tensor{cv::Mat(size, CV_32F), cv::Mat(size, CV_32F), cv::Mat(size, CV_32F)};
  const int width = box.width();
  for (int row = box.top; row <= box.bottom; ++row) {
    const float* at = &grey.at(row, box.left);
    const float *above = at - grey.width(), *below = at + grey.width();
    const std::uint8_t* in = &inside.at(row, box.left);
    auto* xx = tensor.xx.ptr<float>(row - box.top);
    auto* xy = tensor.xy.ptr<float>(row - box.top);
    auto* yy = tensor.yy.ptr<float>(row - box.top);
#pragma omp simd
    for (int i = 0; i < width; ++i) {
      const auto share = static_cast<float>(in[i]);
      const float dx = 0.5f * (at[i + 1] - at[i - 1]) * share;
      const float dy = 0.5f * (below[i] - above[i]) * share;
      xx[i] = dx * dx;
      xy[i] = dx * dy;
      yy[i] = dy * dy;
    }
  }
  for (cv::Mat* element : {&tensor.xx, &tensor.xy, &tensor.yy}) {
    cv::GaussianBlur(*element, *element, {0, 0}, kTensorSigma, 0, cv::BORDER_CONSTANT);
  }
  return tensor;
}

double mean_trace(const Tensor& tensor, const Image<std::uint8_t>& inside, const MaskBox& box) {
  double sum = 0, count = 0;
  for (int row = box.top; row <= box.bottom; ++row) {
    for (int column = box.left; column <= box.right; ++column) {
      if (inside.at(row, column) == 0) continue;
      const int i = column - box.left, j = row - box.top;
      sum += tensor.xx.at<float>(j, i) + tensor.yy.at<float>(j, i);
      count += 1;
    }
  }
  return count > 0 ? sum / count : 0;
}

}  // namespace

LeafOrientation leaf_orientation(const Image<float>& grey, const Image<std::uint8_t>& inside) {
  LeafOrientation result{Image<float>(grey.width(), grey.height()),
                         Image<float>(grey.width(), grey.height())};
  const MaskBox box = box_of(inside);
  if (box.width() == 0) return result;
  const Tensor tensor = averaged_tensor(grey, inside, box);
  const double trace = mean_trace(tensor, inside, box);
  if (!(trace > kLeastTrace)) return result;
  result.varies = true;
  const auto floor = static_cast<float>(kFlatShare * trace);
  const float centre_x = 0.5f * static_cast<float>(grey.width() - 1);
  const float centre_y = 0.5f * static_cast<float>(grey.height() - 1);
  const int width = box.width();
  for (int row = box.top; row <= box.bottom; ++row) {
    const std::uint8_t* in = &inside.at(row, box.left);
    const auto* of_xx = tensor.xx.ptr<float>(row - box.top);
    const auto* of_xy = tensor.xy.ptr<float>(row - box.top);
    const auto* of_yy = tensor.yy.ptr<float>(row - box.top);
    float *radial = &result.radial.at(row, box.left), *oblique = &result.oblique.at(row, box.left);
    const float y = static_cast<float>(row) - centre_y;
    // Branch-free, so that compilers vectorise it.
#pragma omp simd
    for (int i = 0; i < width; ++i) {
      const float x = static_cast<float>(box.left + i) - centre_x;
      const float square = x * x + y * y;
      // The radius is undefined at the centre, where both are 0.
      const float divisor = square == 0 ? 1.0f : square;
      const float cos2 = (x * x - y * y) / divisor, sin2 = 2 * x * y / divisor;
      const float xx = of_xx[i], yy = of_yy[i], xy2 = 2 * of_xy[i];
      const float factor = 1 / (xx + yy + floor);
      const float along = ((xx - yy) * cos2 + xy2 * sin2) * factor;
      const float across = std::abs(xy2 * cos2 - (xx - yy) * sin2) * factor;
      radial[i] = in[i] != 0 ? along : 0.0f;
      oblique[i] = in[i] != 0 ? across : 0.0f;
    }
  }
  return result;
}

}  // namespace leafglyph
