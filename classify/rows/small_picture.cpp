#include "classify/rows/small_picture.h"

#include <algorithm>
#include <cmath>
#include <opencv2/imgproc.hpp>

#include "datasets/leaf/synthetic_leaves.h"
#include "features/base/errors.h"
#include "features/base/threads.h"
#include "features/image_io/decode_image.h"
#include "features/image_io/encode_image.h"
#include "features/image_io/sample_mat.h"

namespace leafglyph {
namespace {

constexpr int kJpegQuality = 82;

SmallPicture jpeg_of(const cv::Mat& pixels) {
  return {encode_jpeg(samples_of(pixels), kJpegQuality, /*optimised=*/true), pixels.cols,
          pixels.rows};
}

SmallPicture encode(const cv::Mat& photograph, double shape, int side) {
  const double longer = std::max(shape, 1.0);
  const cv::Size size(std::max(1, static_cast<int>(std::lround(side * shape / longer))),
                      std::max(1, static_cast<int>(std::lround(side / longer))));
  cv::Mat small;
  cv::resize(photograph, small, size, 0, 0, cv::INTER_AREA);
  return jpeg_of(small);
}

// Red, green and blue, because what is drawn on it is coloured.
cv::Mat pixels_of(const Photograph& photograph) {
  const Image<std::uint8_t>& grey = photograph.grey;
  if (photograph.has_colour()) {
    return cv::Mat(grey.height(), grey.width(), CV_8UC3,
                   const_cast<std::uint8_t*>(photograph.colour.data()))
        .clone();
  }
  cv::Mat pixels;
  cv::cvtColor(cv::Mat(grey.height(), grey.width(), CV_8U, const_cast<std::uint8_t*>(grey.data())),
               pixels, cv::COLOR_GRAY2RGB);
  return pixels;
}

// The box in pixels of the photograph as it was read.
cv::Rect read_box(const Photograph& photograph, const PictureBox& box) {
  const auto scaled = [](int pixels, double factor) {
    return static_cast<int>(std::lround(pixels / factor));
  };
  const double across = photograph.across(), down = photograph.down();
  return {scaled(box.left, across), scaled(box.top, down), scaled(box.width, across),
          scaled(box.height, down)};
}

// Reduces the image to `side` pixels on its longer side and returns the factor.
double reduce(cv::Mat& pixels, int side) {
  const double factor =
      std::min(1.0, static_cast<double>(side) / std::max(pixels.cols, pixels.rows));
  if (factor < 1) cv::resize(pixels, pixels, {}, factor, factor, cv::INTER_AREA);
  return factor;
}

}  // namespace

SmallPicture small_picture(const std::filesystem::path& file, double aspect, int side) {
  try {
    const SampleImage image = decode_picture(file, side);
    return encode(view(image), shape_of(image.width, image.height, image.pixel_aspect, aspect),
                  side);
  } catch (const InputError&) {
    return {};
  }
}

SmallPicture small_picture(const LeafDataset& dataset, std::size_t sample, double aspect,
                           int side) {
  const LeafSample& leaf = dataset.samples.at(sample);
  if (!leaf.file.empty()) return small_picture(leaf.file, aspect, side);
  const Photograph drawn = drawn_photograph(dataset, leaf);
  const Image<std::uint8_t>& grey = drawn.grey;
  const double shape = drawn.shape(/*stated=*/0);
  if (drawn.has_colour()) return encode(pixels_of(drawn), shape, side);
  return encode(cv::Mat(grey.height(), grey.width(), CV_8U, const_cast<std::uint8_t*>(grey.data())),
                shape, side);
}

SmallPicture small_picture(const Photograph& photograph, const PictureBox& box, int side) {
  constexpr double kAround = 0.08;
  const cv::Rect read = read_box(photograph, box);
  const int around = static_cast<int>(std::lround(kAround * std::max(read.width, read.height)));
  const cv::Rect wide(read.x - around, read.y - around, read.width + 2 * around,
                      read.height + 2 * around);
  const cv::Mat all = pixels_of(photograph);
  const cv::Rect inside = wide & cv::Rect(0, 0, all.cols, all.rows);
  if (inside.empty()) return {};
  cv::Mat part = all(inside).clone();
  reduce(part, side);
  return jpeg_of(part);
}

SmallPicture numbered_picture(const Photograph& photograph, std::span<const NumberedBox> boxes,
                              int side) {
  cv::Mat pixels = pixels_of(photograph);
  const double factor = reduce(pixels, side);
  const double size = std::max(0.5, std::max(pixels.cols, pixels.rows) / 900.0);
  const int line = std::max(1, static_cast<int>(std::lround(2 * size)));
  for (const NumberedBox& one : boxes) {
    const auto scaled = [&](int value) { return static_cast<int>(std::lround(factor * value)); };
    const cv::Rect read = read_box(photograph, one.box);
    const cv::Rect box(scaled(read.x), scaled(read.y), scaled(read.width), scaled(read.height));
    const std::string number = std::to_string(one.number);
    const cv::Point at = box.tl() + cv::Point(3 * line, static_cast<int>(28 * size));
    const cv::Scalar red(200, 40, 40), white(255, 255, 255);
    cv::rectangle(pixels, box, red, line);
    // Red on white is legible on leaf and paper.
    cv::putText(pixels, number, at, cv::FONT_HERSHEY_SIMPLEX, size, white, 3 * line, cv::LINE_AA);
    cv::putText(pixels, number, at, cv::FONT_HERSHEY_SIMPLEX, size, red, line, cv::LINE_AA);
  }
  return jpeg_of(pixels);
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
