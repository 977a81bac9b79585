// Images as OpenCV sees them, without a copy. For the files that prepare photographs alone.
#pragma once

#include <array>
#include <cstdint>
#include <opencv2/core.hpp>
#include <vector>

#include "features/image/image.h"

namespace leafglyph {

/// The image's own pixels; those of a constant one are not to be written.
inline cv::Mat view(const Image<std::uint8_t>& image) {
  return cv::Mat(image.height(), image.width(), CV_8U, const_cast<std::uint8_t*>(image.data()));
}

inline cv::Mat as_float(const cv::Mat& pixels) {
  cv::Mat values;
  pixels.convertTo(values, CV_32F);
  return values;
}

/// Red, green and blue of pixels that have the three one after another. Loops over planes use
/// vectors of the processor.
inline std::array<cv::Mat, 3> colour_planes(const std::vector<std::uint8_t>& colour,
                                            cv::Size size) {
  std::array<cv::Mat, 3> planes;
  cv::split(cv::Mat(size, CV_8UC3, const_cast<std::uint8_t*>(colour.data())), planes.data());
  return planes;
}

}  // namespace leafglyph
