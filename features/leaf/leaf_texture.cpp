#include "features/leaf/leaf_texture.h"

#include <algorithm>
#include <cmath>
#include <opencv2/imgproc.hpp>

#include "features/image/mask_box.h"

namespace leafglyph {

Image<std::uint8_t> eroded(const Image<std::uint8_t>& mask) {
  Image<std::uint8_t> result(mask.width(), mask.height());
  const MaskBox box = box_of(mask);
  if (box.width() == 0) return result;
  const cv::Rect part(box.left, box.top, box.width(), box.height());
  const cv::Mat from(mask.height(), mask.width(), CV_8U, const_cast<std::uint8_t*>(mask.data()));
  cv::Mat to = cv::Mat(mask.height(), mask.width(), CV_8U, result.data())(part);
  constexpr int kSide = 2 * kErosion + 1;
  cv::erode(from(part), to, cv::getStructuringElement(cv::MORPH_RECT, {kSide, kSide}), {-1, -1},
            /*iterations=*/1, cv::BORDER_CONSTANT | cv::BORDER_ISOLATED, cv::Scalar(0));
  return result;
}

Image<float> gradient_magnitude(const Image<float>& grey, const Image<std::uint8_t>& inside) {
  Image<float> result(grey.width(), grey.height());
  const MaskBox box = box_of(inside);
  const int first = std::max(1, box.left), last = std::min(box.right, grey.width() - 2);
  for (int row = std::max(1, box.top); row <= std::min(box.bottom, grey.height() - 2); ++row) {
    const auto start = static_cast<std::size_t>(row) * grey.width();
    const float* at = grey.data() + start;
    const float *above = at - grey.width(), *below = at + grey.width();
    const std::uint8_t* in = inside.data() + start;
    float* to = result.data() + start;
    // Without a branch, so that compilers vectorise it.
    for (int column = first; column <= last; ++column) {
      const float dx = 0.5f * (at[column + 1] - at[column - 1]);
      const float dy = 0.5f * (below[column] - above[column]);
      to[column] = std::sqrt(dx * dx + dy * dy) * static_cast<float>(in[column]);
    }
  }
  return result;
}

LeafMeasures measure_leaf(const Image<float>& grey, const Image<std::uint8_t>& mask,
                          double area_share) {
  LeafMeasures measures;
  measures.area_share = area_share;
  const MaskBox box = box_of(mask);
  double count = 0, sum = 0, squares = 0;
  for (int row = box.top; row <= box.bottom; ++row) {
    for (int column = box.left; column <= box.right; ++column) {
      const double weight = mask.at(row, column);
      const double g = weight * grey.at(row, column);
      count += weight;
      sum += g;
      squares += g * g;
    }
  }
  if (count > 0) {
    measures.mean_grey = sum / count;
    const double variance = squares / count - measures.mean_grey * measures.mean_grey;
    measures.spread_grey = std::sqrt(std::max(0.0, variance));
  }
  return measures;
}

double mean_gradient(const PreparedLeaf& leaf) {
  const MaskBox box = box_of(leaf.mask);
  const Image<std::uint8_t> inside = eroded(leaf.mask);
  const Image<float> gradient = gradient_magnitude(leaf.grey, inside);
  double pixels = 0, total = 0;
  for (int row = box.top; row <= box.bottom; ++row) {
    for (int column = box.left; column <= box.right; ++column) {
      pixels += inside.at(row, column);
      total += gradient.at(row, column);
    }
  }
  return pixels > 0 ? total / pixels : 0;
}

}  // namespace leafglyph
