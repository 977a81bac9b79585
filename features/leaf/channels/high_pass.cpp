#include <cmath>
#include <opencv2/imgproc.hpp>

#include "features/leaf/channel_row.h"

namespace leafglyph {
namespace {

// Standard deviation, in pixels, of the Gaussian blur that is subtracted: wider than a vein,
// narrower than the areas between veins.
constexpr double kSigma = 3;

// |g - Gaussian mean of g|. The mean only includes leaf pixels: blurred grey divided by blurred
// mask. Both are 0 outside the leaf's box.
Image<float> high_pass(const PreparedLeaf& leaf, const MaskBox& box) {
  const int size = leaf.grey.width();
  Image<float> result(size, size);
  if (box.width() == 0) return result;
  const cv::Rect part(box.left, box.top, box.width(), box.height());
  const cv::Mat grey = cv::Mat(size, size, CV_32F, const_cast<float*>(leaf.grey.data()))(part);
  const cv::Mat mask =
      cv::Mat(size, size, CV_8U, const_cast<std::uint8_t*>(leaf.mask.data()))(part);
  cv::Mat weight, blurred_grey, blurred_mask;
  mask.convertTo(weight, CV_32F);
  const int border = cv::BORDER_CONSTANT | cv::BORDER_ISOLATED;
  cv::GaussianBlur(grey, blurred_grey, {0, 0}, kSigma, 0, border);
  cv::GaussianBlur(weight, blurred_mask, {0, 0}, kSigma, 0, border);
  for (int row = 0; row < part.height; ++row) {
    for (int column = 0; column < part.width; ++column) {
      if (mask.at<std::uint8_t>(row, column) == 0) continue;
      const float mean = blurred_grey.at<float>(row, column) / blurred_mask.at<float>(row, column);
      result.at(part.y + row, part.x + column) = std::abs(grey.at<float>(row, column) - mean);
    }
  }
  return result;
}

bool make(ChannelLeaf& leaf, std::span<float> out) {
  const Image<float> values = high_pass(*leaf, leaf.box());
  return leaf.put_over_mean(values.pixels(), sum_inside(values.pixels(), leaf.inside()), out);
}

}  // namespace

const ChannelRow kHighPassRow = {"high-pass", make};

}  // namespace leafglyph
