#include "datasets/leaf/augmented_copy.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <numbers>
#include <opencv2/core.hpp>
#include <opencv2/imgproc.hpp>
#include <vector>

#include "datasets/leaf/leaf_outline.h"
#include "features/base/errors.h"
#include "features/base/statistics.h"
#include "features/leaf/leaf_colour.h"
#include "features/leaf/mat_view.h"

namespace leafglyph {
namespace {

std::vector<cv::Point> leaf_points(const cv::Mat& leaf) {
  std::vector<cv::Point> points;
  cv::findNonZero(leaf, points);
  return points;
}

// 1 in the hole.
cv::Mat hole(const cv::Mat& leaf, RandomNumbers& random) {
  const std::vector<cv::Point> points = leaf_points(leaf);
  std::vector<std::vector<cv::Point>> outlines;
  cv::findContours(leaf, outlines, cv::RETR_EXTERNAL, cv::CHAIN_APPROX_NONE);
  const auto& outline =
      *std::ranges::max_element(outlines, {}, [](const auto& contour) { return contour.size(); });
  const auto at = static_cast<std::size_t>(
      std::floor(random.uniform(0, 1) * static_cast<double>(outline.size() - 1)));
  const cv::Point centre = outline[at];
  std::vector<double> distances;
  distances.reserve(points.size());
  for (const cv::Point& p : points) {
    distances.push_back(std::hypot(p.x - centre.x, p.y - centre.y));
  }
  const double radius = quantile(std::move(distances), random.uniform(0.02, 0.15));
  cv::Mat gone(leaf.size(), CV_8U, cv::Scalar(0));
  cv::circle(gone, centre, static_cast<int>(std::lround(radius)), cv::Scalar(1), cv::FILLED);
  return gone;
}

// 1 where the leaf is cut off, including the blurred outline.
cv::Mat cut(const cv::Mat& leaf, RandomNumbers& random) {
  const std::vector<cv::Point> points = leaf_points(leaf);
  const double angle = random.uniform(0, 2 * std::numbers::pi);
  const double x = std::cos(angle), y = std::sin(angle);
  std::vector<double> along;
  along.reserve(points.size());
  for (const cv::Point& p : points) along.push_back(x * p.x + y * p.y);
  const double limit = quantile(along, random.uniform(0.02, 0.12));
  cv::Mat gone(leaf.size(), CV_8U, cv::Scalar(0));
  for (std::size_t i = 0; i < points.size(); ++i) {
    if (along[i] <= limit) gone.at<std::uint8_t>(points[i]) = 1;
  }
  cv::dilate(gone, gone, cv::Mat::ones(5, 5, CV_8U));
  return gone;
}

void add_noise(cv::Mat& pixels, RandomNumbers& random) {
  const double deviation = random.uniform(3, 30);
  std::uint8_t* p = pixels.data;
  for (std::size_t i = 0; i < pixels.total() * pixels.elemSize(); ++i) {
    p[i] = cv::saturate_cast<std::uint8_t>(p[i] + random.normal(0, deviation));
  }
}

void augment(cv::Mat& pixels, const cv::Mat& leaf, RandomNumbers& random) {
  const auto gone = [&](const cv::Mat& where) { pixels.setTo(cv::mean(pixels, leaf == 0), where); };
  switch (random.bits() % 4) {
    case 0:
      return gone(hole(leaf, random));
    case 1:
      return gone(cut(leaf, random));
    case 2: {
      const double side = std::sqrt(static_cast<double>(cv::countNonZero(leaf)));
      return cv::GaussianBlur(pixels, pixels, {0, 0}, side * random.uniform(0.003, 0.03));
    }
    default:
      return add_noise(pixels, random);
  }
}

}  // namespace

Photograph augmented_copy(const Photograph& photograph, const Image<std::uint8_t>& leaf,
                          std::uint64_t seed) {
  const Image<std::uint8_t>& grey = photograph.grey;
  if (leaf.width() != grey.width() || leaf.height() != grey.height()) {
    throw UsageError("the leaf's mask is not as large as its photograph");
  }
  RandomNumbers random(seed);
  const cv::Mat mask = view(leaf);
  if (cv::countNonZero(mask) == 0) throw UsageError("there is no leaf to augment");
  cv::Mat pixels = photograph.has_colour()
                       ? cv::Mat(grey.height(), grey.width(), CV_8UC3,
                                 const_cast<std::uint8_t*>(photograph.colour.data()))
                             .clone()
                       : view(grey).clone();
  augment(pixels, mask, random);
  if (photograph.has_colour()) {
    return colour_photograph(grey.width(), grey.height(), {pixels.datastart, pixels.dataend});
  }
  Photograph augmented{Image<std::uint8_t>(grey.width(), grey.height())};
  std::copy(pixels.datastart, pixels.dataend, augmented.grey.data());
  return augmented;
}

namespace {

constexpr std::size_t kStream = 12;  // the stream of random numbers for a seed
constexpr double kWarmth = 0.25, kGreenness = 0.05, kOfPaper = 0.2;

// The value that each of 0..255 becomes in that light, for the three colours.
std::array<std::array<std::uint8_t, 256>, 3> values_in(const Tint& light) {
  std::array<std::array<std::uint8_t, 256>, 3> table{};
  for (std::size_t colour = 0; colour < 3; ++colour) {
    for (std::size_t value = 0; value < 256; ++value) {
      table[colour][value] = static_cast<std::uint8_t>(
          std::lround(encoded_light(light[colour] * linear_light(static_cast<double>(value)))));
    }
  }
  return table;
}

}  // namespace

Tint tint_of(double warmth, double greenness) {
  const double largest = std::max(std::abs(warmth), greenness);
  return {std::exp(warmth - largest), std::exp(greenness - largest), std::exp(-warmth - largest)};
}

Photograph in_light(const Photograph& photograph, const Image<std::uint8_t>& leaf, const Tint& lamp,
                    const Tint& paper) {
  const int width = photograph.grey.width(), height = photograph.grey.height();
  if (!photograph.has_colour()) throw UsageError("the photograph has no colours");
  if (leaf.width() != width || leaf.height() != height) {
    throw UsageError("the leaf's mask is not as large as its photograph");
  }
  const auto on_leaf = values_in(lamp);
  const auto on_paper = values_in({lamp[0] * paper[0], lamp[1] * paper[1], lamp[2] * paper[2]});
  std::vector<std::uint8_t> colour = photograph.colour;
  for (std::size_t i = 0; i < leaf.size(); ++i) {
    const auto& table = leaf.data()[i] != 0 ? on_leaf : on_paper;
    for (std::size_t c = 0; c < 3; ++c) colour[3 * i + c] = table[c][colour[3 * i + c]];
  }
  return colour_photograph(width, height, std::move(colour));
}

Photograph in_other_light(const Photograph& photograph, const Image<std::uint8_t>& leaf,
                          std::uint64_t seed) {
  RandomNumbers random = RandomNumbers::stream(seed, kStream);
  const double warmth = random.normal(0, kWarmth), greenness = random.normal(0, kGreenness);
  const double of_paper = random.normal(0, kOfPaper * kWarmth);
  return in_light(photograph, leaf, tint_of(warmth, greenness),
                  tint_of(of_paper, random.normal(0, kOfPaper * kGreenness)));
}

}  // namespace leafglyph
