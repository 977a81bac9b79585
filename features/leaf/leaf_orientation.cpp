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
  Tensor tensor{cv::Mat(size, CV_32F, cv::Scalar(0)), cv::Mat(size, CV_32F, cv::Scalar(0)),
                cv::Mat(size, CV_32F, cv::Scalar(0))};
  for (int row = box.top; row <= box.bottom; ++row) {
    for (int column = box.left; column <= box.right; ++column) {
      if (inside.at(row, column) == 0) continue;
      const float dx = 0.5f * (grey.at(row, column + 1) - grey.at(row, column - 1));
      const float dy = 0.5f * (grey.at(row + 1, column) - grey.at(row - 1, column));
      const int i = column - box.left, j = row - box.top;
      tensor.xx.at<float>(j, i) = dx * dx;
      tensor.xy.at<float>(j, i) = dx * dy;
      tensor.yy.at<float>(j, i) = dy * dy;
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
  for (int row = box.top; row <= box.bottom; ++row) {
    for (int column = box.left; column <= box.right; ++column) {
      if (inside.at(row, column) == 0) continue;
      const float x = static_cast<float>(column) - centre_x;
      const float y = static_cast<float>(row) - centre_y;
      const float square = x * x + y * y;
      if (square == 0) continue;  // the radius is undefined at the centre
      const float cos2 = (x * x - y * y) / square, sin2 = 2 * x * y / square;
      const int i = column - box.left, j = row - box.top;
      const float xx = tensor.xx.at<float>(j, i), yy = tensor.yy.at<float>(j, i);
      const float xy2 = 2 * tensor.xy.at<float>(j, i);
      const float factor = 1 / (xx + yy + floor);
      result.radial.at(row, column) = ((xx - yy) * cos2 + xy2 * sin2) * factor;
      result.oblique.at(row, column) = std::abs(xy2 * cos2 - (xx - yy) * sin2) * factor;
    }
  }
  return result;
}

}  // namespace leafglyph
