#include "classify/leaf_report/leaf_picture.h"

#include <algorithm>
#include <cmath>
#include <opencv2/imgcodecs.hpp>
#include <opencv2/imgproc.hpp>
#include <variant>
#include <vector>

#include "classify/page/html_text.h"
#include "datasets/leaf/synthetic_leaves.h"
#include "features/base/errors.h"
#include "features/image_io/decode_image.h"

namespace leafglyph {
namespace {

constexpr int kJpegQuality = 82;

// As small as the decoder makes it, but not smaller than `side`; upright, in colour where it is.
// Empty when the file is no image.
cv::Mat small_photograph(const std::filesystem::path& file, int side) {
  SampleImage image;
  try {
    image = decode_picture(file, side);
  } catch (const InputError&) {
    return {};
  }
  auto& samples = std::get<std::vector<std::uint8_t>>(image.samples);
  const cv::Mat stored(image.height, image.width, CV_8UC(image.channels), samples.data());
  if (image.channels == 1) return stored.clone();
  cv::Mat photograph;
  cv::cvtColor(stored, photograph, cv::COLOR_RGB2BGR);
  return photograph;
}

std::optional<Picture> encode(const cv::Mat& photograph, double aspect, int side) {
  if (photograph.empty()) return std::nullopt;
  const bool squeezed = aspect > 0 && photograph.cols == photograph.rows;
  const double shape = squeezed ? aspect : static_cast<double>(photograph.cols) / photograph.rows;
  const double longer = std::max(shape, 1.0);
  const cv::Size size(std::max(1, static_cast<int>(std::lround(side * shape / longer))),
                      std::max(1, static_cast<int>(std::lround(side / longer))));
  cv::Mat small;
  cv::resize(photograph, small, size, 0, 0, cv::INTER_AREA);
  std::vector<unsigned char> bytes;
  cv::imencode(".jpg", small, bytes,
               {cv::IMWRITE_JPEG_QUALITY, kJpegQuality, cv::IMWRITE_JPEG_OPTIMIZE, 1});
  const std::string_view content(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  return Picture{data_uri("image/jpeg", content), size.width, size.height};
}

std::optional<Picture> generated_picture(const LeafDataset& dataset, const LeafSample& leaf,
                                         double aspect, int side) {
  Image<std::uint8_t> drawn = draw_synthetic_leaf(leaf.label, leaf.generated, dataset.seed);
  return encode(cv::Mat(drawn.height(), drawn.width(), CV_8U, drawn.data()), aspect, side);
}

}  // namespace

LeafPictures::LeafPictures(const LeafDataset& dataset, double aspect, int side)
    : dataset_(dataset), aspect_(aspect), side_(side) {}

const std::optional<Picture>& LeafPictures::of(std::size_t sample) {
  const auto known = made_.find(sample);
  if (known != made_.end()) return known->second;
  const LeafSample& leaf = dataset_.samples.at(sample);
  return made_[sample] = leaf.file.empty() ? generated_picture(dataset_, leaf, aspect_, side_)
                                           : file_picture(leaf.file, aspect_, side_);
}

std::optional<Picture> file_picture(const std::filesystem::path& file, double aspect, int side) {
  return encode(small_photograph(file, side), aspect, side);
}

}  // namespace leafglyph
