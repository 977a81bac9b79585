#include "classify/serve/preview.h"

#include <algorithm>
#include <cstdint>
#include <opencv2/imgcodecs.hpp>
#include <opencv2/imgproc.hpp>
#include <variant>
#include <vector>

#include "features/image_io/decode_image.h"

namespace leafglyph {

std::string preview_jpeg(std::string_view bytes, const std::string& name) {
  SampleImage image = decode_picture(bytes, name, kPreviewSide);
  auto& samples = std::get<std::vector<std::uint8_t>>(image.samples);
  cv::Mat photograph(image.height, image.width, CV_8UC(image.channels), samples.data());
  if (image.channels == 3) cv::cvtColor(photograph, photograph, cv::COLOR_RGB2BGR);
  const double scale =
      std::min(1.0, static_cast<double>(kPreviewSide) / std::max(image.width, image.height));
  const cv::Size size(std::max(1, static_cast<int>(image.width * scale)),
                      std::max(1, static_cast<int>(image.height * scale)));
  cv::resize(photograph, photograph, size, 0, 0, cv::INTER_AREA);
  std::vector<unsigned char> jpeg;
  cv::imencode(".jpg", photograph, jpeg);
  return {jpeg.begin(), jpeg.end()};
}

}  // namespace leafglyph
