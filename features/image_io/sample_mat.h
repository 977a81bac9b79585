// Converts between the samples of image files and OpenCV's matrices: 8-bit, grey or red, green,
// blue. Only for the files that draw and resize pictures.
#pragma once

#include <cstdint>
#include <opencv2/core.hpp>
#include <variant>
#include <vector>

#include "features/image_io/decode_image.h"

namespace leafglyph {

/// A view of the image's own samples, which must have 8 bits. Do not write to it if the image is
/// constant.
inline cv::Mat view(const SampleImage& image) {
  const auto& samples = std::get<std::vector<std::uint8_t>>(image.samples);
  return {image.height, image.width, CV_8UC(image.channels),
          const_cast<std::uint8_t*>(samples.data())};
}

/// A copy.
inline SampleImage samples_of(const cv::Mat& pixels) {
  std::vector<std::uint8_t> samples;
  samples.reserve(pixels.total() * pixels.elemSize());
  for (int row = 0; row < pixels.rows; ++row) {
    const auto* from = pixels.ptr<std::uint8_t>(row);
    samples.insert(samples.end(), from,
                   from + pixels.elemSize() * static_cast<std::size_t>(pixels.cols));
  }
  return {pixels.cols, pixels.rows, pixels.channels(), std::move(samples)};
}

}  // namespace leafglyph
