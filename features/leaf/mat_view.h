// Images as OpenCV matrices, without a copy. For the files that prepare photographs only.
#pragma once

#include <cstdint>
#include <opencv2/core.hpp>

#include "features/image/image.h"

namespace leafglyph {

/// A view of the image's own pixels. Do not write to it if the image is constant.
inline cv::Mat view(const Image<std::uint8_t>& image) {
  return cv::Mat(image.height(), image.width(), CV_8U, const_cast<std::uint8_t*>(image.data()));
}

inline cv::Mat as_float(const cv::Mat& pixels) {
  cv::Mat values;
  pixels.convertTo(values, CV_32F);
  return values;
}

}  // namespace leafglyph
