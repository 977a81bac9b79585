#include "classify/serve/preview.h"

#include <algorithm>
#include <opencv2/imgproc.hpp>

#include "features/image_io/decode_image.h"
#include "features/image_io/encode_image.h"
#include "features/image_io/sample_mat.h"

namespace leafglyph {

std::string preview_jpeg(std::string_view bytes, const std::string& name) {
  const SampleImage image = decode_picture(bytes, name, kPreviewSide);
  const double scale =
      std::min(1.0, static_cast<double>(kPreviewSide) / std::max(image.width, image.height));
  const cv::Size size(std::max(1, static_cast<int>(image.width * scale)),
                      std::max(1, static_cast<int>(image.height * scale)));
  cv::Mat small;
  cv::resize(view(image), small, size, 0, 0, cv::INTER_AREA);
  return encode_jpeg(samples_of(small));
}

}  // namespace leafglyph
