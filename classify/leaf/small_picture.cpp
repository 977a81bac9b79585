#include "classify/leaf/small_picture.h"

#include <algorithm>
#include <cmath>
#include <opencv2/imgcodecs.hpp>
#include <opencv2/imgproc.hpp>
#include <variant>

#include "datasets/leaf/synthetic_leaves.h"
#include "features/base/errors.h"
#include "features/base/interrupt.h"
#include "features/base/parallel_for.h"
#include "features/image_io/decode_image.h"

namespace leafglyph {
namespace {

constexpr int kJpegQuality = 82;

// As small as the decoder makes it, but not smaller than `side`; upright, in colour where it is.
// Empty when the file is no image.
cv::Mat photograph_of(const std::filesystem::path& file, int side) {
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

SmallPicture encode(const cv::Mat& photograph, double aspect, int side) {
  if (photograph.empty()) return {};
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
  return {{bytes.begin(), bytes.end()}, size.width, size.height};
}

}  // namespace

SmallPicture small_picture(const std::filesystem::path& file, double aspect, int side) {
  return encode(photograph_of(file, side), aspect, side);
}

SmallPicture small_picture(const LeafDataset& dataset, std::size_t sample, double aspect,
                           int side) {
  const LeafSample& leaf = dataset.samples.at(sample);
  if (!leaf.file.empty()) return small_picture(leaf.file, aspect, side);
  Image<std::uint8_t> drawn = draw_synthetic_leaf(leaf.label, leaf.generated, dataset.seed);
  return encode(cv::Mat(drawn.height(), drawn.width(), CV_8U, drawn.data()), aspect, side);
}

std::vector<SmallPicture> small_pictures(const LeafDataset& dataset,
                                         std::span<const std::size_t> samples, double aspect,
                                         int side) {
  std::vector<SmallPicture> pictures(samples.size());
  parallel_for(samples.size(), [&](std::size_t i) {
    throw_if_interrupted();
    pictures[i] = small_picture(dataset, samples[i], aspect, side);
  });
  return pictures;
}

}  // namespace leafglyph
