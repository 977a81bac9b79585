#include "datasets/leaf/perturbation.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <numbers>
#include <opencv2/core.hpp>
#include <opencv2/imgproc.hpp>
#include <utility>
#include <vector>

#include "datasets/leaf/augmented_copy.h"
#include "datasets/leaf/leaf_outline.h"
#include "features/base/errors.h"
#include "features/image_io/decode_image.h"
#include "features/image_io/encode_image.h"
#include "features/image_io/sample_mat.h"

namespace leafglyph {
namespace {

/// A photograph to be perturbed: 8-bit pixels of one or three channels.
struct Scene {
  cv::Mat pixels;
  cv::Mat leaf;  // 1 on the leaf
  RandomNumbers random;
  std::uint64_t seed = 0;
};

using Change = void (*)(Scene&);

// The mean of the pixels outside the leaf, per channel.
cv::Scalar paper(const Scene& scene) { return cv::mean(scene.pixels, scene.leaf == 0); }

// Multiplies all channels of each pixel by a factor.
void light(Scene& scene, const std::function<double(int row, int column)>& factor) {
  const int channels = scene.pixels.channels();
  for (int row = 0; row < scene.pixels.rows; ++row) {
    std::uint8_t* p = scene.pixels.ptr<std::uint8_t>(row);
    for (int column = 0; column < scene.pixels.cols; ++column) {
      const double f = factor(row, column);
      for (int c = 0; c < channels; ++c, ++p) *p = cv::saturate_cast<std::uint8_t>(f * *p);
    }
  }
}

void light_falls_to(Scene& scene, double end) {
  const double width = scene.pixels.cols - 1;
  light(scene, [&](int, int column) { return 1 - (1 - end) * column / width; });
}

void vignette(Scene& scene) {
  const double x = 0.5 * (scene.pixels.cols - 1), y = 0.5 * (scene.pixels.rows - 1);
  const double corner = x * x + y * y;
  light(scene, [&](int row, int column) {
    const double dx = column - x, dy = row - y;
    return 1 - 0.5 * (dx * dx + dy * dy) / corner;
  });
}

// The picture in other coordinates; outside the frame it is continued with paper.
void warp(Scene& scene, const cv::Mat& map, cv::Size size) {
  const cv::Scalar outside = paper(scene);
  cv::Mat result;
  cv::warpPerspective(scene.pixels, result, map, size, cv::INTER_LINEAR, cv::BORDER_CONSTANT,
                      outside);
  scene.pixels = result;
}

void square_file(Scene& scene) {
  const int side = std::max(scene.pixels.cols, scene.pixels.rows);
  const int above = (side - scene.pixels.rows) / 2, left = (side - scene.pixels.cols) / 2;
  cv::Mat result;
  cv::copyMakeBorder(scene.pixels, result, above, side - scene.pixels.rows - above, left,
                     side - scene.pixels.cols - left, cv::BORDER_REPLICATE);
  scene.pixels = result;
}

std::vector<cv::Point> leaf_points(const Scene& scene) {
  std::vector<cv::Point> points;
  cv::findNonZero(scene.leaf, points);
  if (points.empty()) throw UsageError("there is no leaf to change");
  return points;
}

/// The points of a leaf by their position along its longer axis, from the slender end, which has
/// the stalk, to the other, the tip.
struct LongAxis {
  std::vector<cv::Point> points;
  std::vector<double> along;  // 0 to length
  double x = 1, y = 0;        // direction to the tip
  double length = 0;
  explicit LongAxis(const Scene& scene) : points(leaf_points(scene)) {
    const cv::Moments m = cv::moments(scene.leaf, /*binaryImage=*/true);
    const double angle = 0.5 * std::atan2(2 * m.mu11, m.mu20 - m.mu02);
    x = std::cos(angle);
    y = std::sin(angle);
    measure();
    const auto first = std::ranges::count_if(along, [&](double a) { return a < kEnd * length; });
    const auto last =
        std::ranges::count_if(along, [&](double a) { return a > (1 - kEnd) * length; });
    if (first <= last) return;
    x = -x;
    y = -y;
    measure();
  }
  static constexpr double kEnd = 0.1;

 private:
  void measure() {
    along.clear();
    for (const cv::Point& p : points) along.push_back(x * p.x + y * p.y);
    const auto [low, high] = std::ranges::minmax(along);
    length = high - low;
    for (double& a : along) a -= low;
  }
};

void cut_tip(Scene& scene) {
  const LongAxis axis(scene);
  cv::Mat cut(scene.leaf.size(), CV_8U, cv::Scalar(0));
  for (std::size_t i = 0; i < axis.points.size(); ++i) {
    if (axis.along[i] > (1 - LongAxis::kEnd) * axis.length) {
      cut.at<std::uint8_t>(axis.points[i]) = 1;
    }
  }
  // Also cut the blurred outline.
  cv::dilate(cut, cut, cv::Mat::ones(5, 5, CV_8U));
  scene.pixels.setTo(paper(scene), cut);
}

// A straight cut along the longer axis, which takes a tenth of the leaf's area off one side.
void cut_side(Scene& scene) {
  const LongAxis axis(scene);
  const double side = scene.random.uniform(0, 1) < 0.5 ? 1 : -1;
  std::vector<double> across;
  for (const cv::Point& p : axis.points) across.push_back(side * (axis.x * p.y - axis.y * p.x));
  std::vector<double> sorted = across;
  const auto edge = sorted.begin() + static_cast<std::ptrdiff_t>(9 * sorted.size() / 10);
  std::nth_element(sorted.begin(), edge, sorted.end());
  cv::Mat cut(scene.leaf.size(), CV_8U, cv::Scalar(0));
  for (std::size_t i = 0; i < across.size(); ++i) {
    if (across[i] > *edge) cut.at<std::uint8_t>(axis.points[i]) = 1;
  }
  // Also cut the blurred outline.
  cv::dilate(cut, cut, cv::Mat::ones(5, 5, CV_8U));
  scene.pixels.setTo(paper(scene), cut);
}

// Printed lines on the paper, 40 along the longer side. Every fifth is twice as wide and darker.
void graph_paper(Scene& scene) {
  const int side = std::max(scene.pixels.cols, scene.pixels.rows);
  const int width = std::max(1, static_cast<int>(std::lround(side / 400.0)));
  const double step = side / 40.0;
  const double x = scene.random.uniform(0, 5 * step), y = scene.random.uniform(0, 5 * step);
  const auto line = [&](double at) {
    const auto number = static_cast<int>(std::floor(at / step));
    const double behind = at - number * step;
    const bool fifth = number % 5 == 0;
    if (behind >= (fifth ? 2 * width : width)) return 1.0;
    return fifth ? 0.7 : 0.85;
  };
  light(scene, [&](int row, int column) {
    if (scene.leaf.at<std::uint8_t>(row, column) != 0) return 1.0;
    return std::min(line(column + x), line(row + y));
  });
}

// A fingertip that reaches from outside over a random point of the outline.
void finger(Scene& scene) {
  constexpr double kWidth = 0.2, kReach = 0.15;  // of the diameter of a disc of the leaf's area
  const std::vector<cv::Point> points = leaf_points(scene);
  const auto area = static_cast<double>(points.size());
  const double diameter = 2 * std::sqrt(area / std::numbers::pi);
  cv::Point2d centre(0, 0);
  for (const cv::Point& p : points) centre += cv::Point2d(p) / area;
  const double angle = scene.random.uniform(0, 2 * std::numbers::pi);
  const cv::Point2d outwards(std::cos(angle), std::sin(angle));
  double edge = 0;  // of the leaf, in that direction
  for (const cv::Point& p : points) {
    const cv::Point2d from = cv::Point2d(p) - centre;
    if (std::abs(from.cross(outwards)) <= 1) edge = std::max(edge, from.dot(outwards));
  }
  const double far = scene.pixels.cols + scene.pixels.rows;
  const cv::Point tip(centre + (edge - kReach * diameter) * outwards);
  const cv::Point hand(centre + far * outwards);
  // Skin, in red, green and blue or in grey.
  const cv::Scalar skin =
      scene.pixels.channels() == 3 ? cv::Scalar(224, 172, 145) : cv::Scalar(184);
  cv::line(scene.pixels, tip, hand, skin,
           std::max(2, static_cast<int>(std::lround(kWidth * diameter))));
}

// The share of each pixel of `box` that a line covers. OpenCV's own antialiased lines are wider.
cv::Mat coverage_of(std::vector<cv::Point> line, const cv::Rect& box, int thickness) {
  constexpr int kFiner = 4;
  for (cv::Point& point : line) point = kFiner * (point - box.tl()) + cv::Point(2, 2);
  cv::Mat fine(kFiner * box.height, kFiner * box.width, CV_8U, cv::Scalar(0)), coverage;
  cv::polylines(fine, line, /*isClosed=*/false, cv::Scalar(255), kFiner * thickness);
  cv::resize(fine, coverage, box.size(), 0, 0, cv::INTER_AREA);
  return coverage;
}

void draw_over(cv::Mat pixels, const cv::Scalar& tone, const cv::Mat& coverage) {
  const int channels = pixels.channels();
  for (int row = 0; row < pixels.rows; ++row) {
    std::uint8_t* p = pixels.ptr<std::uint8_t>(row);
    const std::uint8_t* covered = coverage.ptr<std::uint8_t>(row);
    for (int column = 0; column < pixels.cols; ++column) {
      const double share = covered[column] / 255.0;
      for (int c = 0; c < channels; ++c, ++p) {
        *p = cv::saturate_cast<std::uint8_t>((1 - share) * *p + share * tone[c]);
      }
    }
  }
}

// A bent stalk in the leaf's own grey at its slender end; the frame grows as far as necessary.
void add_stalk(Scene& scene) {
  constexpr double kLength = 0.3, kThickness = 0.03, kMostBend = 0.1;
  constexpr int kSteps = 20;
  const LongAxis axis(scene);
  cv::Point2d end(0, 0);
  double count = 0;
  for (std::size_t i = 0; i < axis.points.size(); ++i) {
    if (axis.along[i] > 1) continue;
    end += cv::Point2d(axis.points[i]);
    ++count;
  }
  end /= count;
  const double bend = scene.random.uniform(-kMostBend, kMostBend) * axis.length;
  std::vector<cv::Point> stalk;
  for (int step = -kSteps / 4; step <= kSteps; ++step) {
    const double t = static_cast<double>(step) / kSteps;
    const double out = t * kLength * axis.length, aside = step > 0 ? bend * t * t : 0;
    stalk.emplace_back(static_cast<int>(std::lround(end.x - out * axis.x - aside * axis.y)),
                       static_cast<int>(std::lround(end.y - out * axis.y + aside * axis.x)));
  }
  const auto area = static_cast<double>(axis.points.size());
  const int thickness = std::max(
      2, static_cast<int>(std::lround(kThickness * 2 * std::sqrt(area / std::numbers::pi))));
  cv::Rect box = cv::boundingRect(stalk);
  box -= cv::Point(2 * thickness, 2 * thickness);
  box += cv::Size(4 * thickness, 4 * thickness);
  const cv::Rect frame({0, 0}, scene.pixels.size()), whole = frame | box;
  const cv::Scalar tone = cv::mean(scene.pixels, scene.leaf);
  cv::Mat result;
  cv::copyMakeBorder(scene.pixels, result, -whole.y, whole.br().y - frame.height, -whole.x,
                     whole.br().x - frame.width, cv::BORDER_CONSTANT, paper(scene));
  draw_over(result(box - whole.tl()), tone, coverage_of(stalk, box, thickness));
  scene.pixels = result;
}

// A round hole about a random point of the outline, of a tenth of the leaf's area.
void bite(Scene& scene) {
  const std::vector<cv::Point> points = leaf_points(scene);
  std::vector<std::vector<cv::Point>> outlines;
  cv::findContours(scene.leaf, outlines, cv::RETR_EXTERNAL, cv::CHAIN_APPROX_NONE);
  const auto outline =
      std::ranges::max_element(outlines, {}, [](const auto& contour) { return contour.size(); });
  const auto at =
      static_cast<std::size_t>(scene.random.uniform(0, static_cast<double>(outline->size())));
  const cv::Point centre = (*outline)[std::min(at, outline->size() - 1)];
  std::vector<double> distances;
  distances.reserve(points.size());
  for (const cv::Point& p : points) distances.push_back(std::hypot(p.x - centre.x, p.y - centre.y));
  const auto tenth = distances.begin() + static_cast<std::ptrdiff_t>(distances.size() / 10);
  std::nth_element(distances.begin(), tenth, distances.end());
  const cv::Scalar background = paper(scene);
  cv::circle(scene.pixels, centre, static_cast<int>(std::lround(*tenth)), background, cv::FILLED,
             cv::LINE_AA);
}

void noise(Scene& scene) {
  constexpr double kDeviation = 25;
  std::uint8_t* p = scene.pixels.data;
  for (std::size_t i = 0; i < scene.pixels.total() * scene.pixels.elemSize(); ++i) {
    p[i] = cv::saturate_cast<std::uint8_t>(p[i] + scene.random.normal(0, kDeviation));
  }
}

void scaled(Scene& scene, double factor) {
  cv::Mat result;
  cv::resize(scene.pixels, result, {}, factor, factor, cv::INTER_AREA);
  scene.pixels = result;
}

void turn(Scene& scene) {
  const double angle = scene.random.uniform(0, 2 * std::numbers::pi);
  const double c = std::cos(angle), s = std::sin(angle);
  const int w = scene.pixels.cols, h = scene.pixels.rows;
  const cv::Size size(static_cast<int>(std::ceil(w * std::abs(c) + h * std::abs(s))),
                      static_cast<int>(std::ceil(w * std::abs(s) + h * std::abs(c))));
  const double x = 0.5 * (w - 1), y = 0.5 * (h - 1);
  const cv::Mat map = (cv::Mat_<double>(3, 3) << c, -s, 0.5 * (size.width - 1) - c * x + s * y, s,
                       c, 0.5 * (size.height - 1) - s * x - c * y, 0, 0, 1);
  warp(scene, map, size);
}

void jpeg(Scene& scene) {
  constexpr int kQuality = 30;
  const std::string file = encode_jpeg(samples_of(scene.pixels), kQuality);
  scene.pixels = view(decode_picture(file, "the image", /*side=*/0)).clone();
}

// The sheet rotated about its vertical middle line, seen from twice its width away.
void tilt(Scene& scene) {
  constexpr double kAngle = 30 * std::numbers::pi / 180, kDistance = 2;
  const auto w = static_cast<float>(scene.pixels.cols), h = static_cast<float>(scene.pixels.rows);
  std::vector<cv::Point2f> from, to;
  for (const float sx : {-0.5F, 0.5F}) {
    for (const float sy : {-0.5F, 0.5F}) {
      from.emplace_back((0.5F + sx) * w, (0.5F + sy) * h);
      const double away = kDistance + sx * std::sin(kAngle);
      to.emplace_back(static_cast<float>((0.5 + sx * std::cos(kAngle) * kDistance / away) * w),
                      static_cast<float>((0.5 + sy * kDistance / away) * h));
    }
  }
  warp(scene, cv::getPerspectiveTransform(from, to), scene.pixels.size());
}

// The leaf's shadow on the paper, moved by 4 % of the longer side.
void cast_shadow(Scene& scene) {
  const double side = std::max(scene.pixels.cols, scene.pixels.rows);
  const double move = 0.04 * side;
  const double angle = scene.random.uniform(0, 2 * std::numbers::pi);
  const cv::Mat shift =
      (cv::Mat_<double>(2, 3) << 1, 0, move * std::cos(angle), 0, 1, move * std::sin(angle));
  cv::Mat leaf, shadow;
  scene.leaf.convertTo(leaf, CV_32F);
  cv::warpAffine(leaf, shadow, shift, leaf.size());
  cv::GaussianBlur(shadow, shadow, {0, 0}, 0.01 * side);
  light(scene, [&](int row, int column) {
    const bool on_leaf = scene.leaf.at<std::uint8_t>(row, column) != 0;
    return on_leaf ? 1.0 : 1 - 0.4 * static_cast<double>(shadow.at<float>(row, column));
  });
}

// Half of the picture in the shadow of something outside it, at a random angle; the edge is a
// logistic curve over a tenth of the longer side.
void half_shadow(Scene& scene) {
  const double angle = scene.random.uniform(0, 2 * std::numbers::pi);
  const double width = 0.025 * std::max(scene.pixels.cols, scene.pixels.rows);
  const double x = 0.5 * (scene.pixels.cols - 1), y = 0.5 * (scene.pixels.rows - 1);
  light(scene, [&](int row, int column) {
    const double side = (column - x) * std::cos(angle) + (row - y) * std::sin(angle);
    return 1 - 0.45 / (1 + std::exp(-side / width));
  });
}

void other_light(Scene& scene) {
  if (scene.pixels.channels() != 3) return;
  Image<std::uint8_t> leaf(scene.leaf.cols, scene.leaf.rows);
  std::copy(scene.leaf.datastart, scene.leaf.dataend, leaf.data());
  const Photograph photograph = colour_photograph(leaf.width(), leaf.height(),
                                                  {scene.pixels.datastart, scene.pixels.dataend});
  const Photograph lit = in_other_light(photograph, leaf, scene.seed);
  std::ranges::copy(lit.colour, scene.pixels.data);
}

struct Rule {
  Perturbation text;
  Change change;
};

constexpr std::array<Rule, 24> kRules = {{
    {{"none", "the photograph as it is"}, [](Scene&) {}},
    {{"square file", "padded to a square by its own border"}, square_file},
    {{"light to 70 %", "light falls from left to right to 70 %"},
     [](Scene& s) { light_falls_to(s, 0.7); }},
    {{"light to 50 %", "light falls from left to right to 50 %"},
     [](Scene& s) { light_falls_to(s, 0.5); }},
    {{"light to 35 %", "light falls from left to right to 35 %"},
     [](Scene& s) { light_falls_to(s, 0.35); }},
    {{"vignette", "light falls from the middle to 50 % in the corners"}, vignette},
    {{"tip cut", "the last 10 % of the length at the broader end cut off"}, cut_tip},
    {{"bite", "10 % of the area removed in a disk around a point of the outline"}, bite},
    {{"noise", "normal noise of 25 grey values in every sample"}, noise},
    {{"blur", "Gaussian blur of 3 pixels"},
     [](Scene& s) {
       cv::GaussianBlur(s.pixels, s.pixels, {0, 0}, 3);
     }},
    {{"quarter size", "reduced to a quarter of width and height"},
     [](Scene& s) { scaled(s, 0.25); }},
    {{"rotation", "turned by any angle"}, turn},
    {{"mirror", "left and right exchanged"}, [](Scene& s) { cv::flip(s.pixels, s.pixels, 1); }},
    {{"scale", "reduced to 60 % of width and height"}, [](Scene& s) { scaled(s, 0.6); }},
    {{"JPEG", "JPEG of quality 30"}, jpeg},
    {{"contrast", "contrast halved about 128"},
     [](Scene& s) { s.pixels.convertTo(s.pixels, -1, 0.5, 64); }},
    {{"tilt", "seen at 30 degrees from the upright"}, tilt},
    {{"cast shadow", "the leaf's own shadow of 40 % on the paper beside it"}, cast_shadow},
    {{"half shadow", "a soft shadow of 45 % over half of the picture"}, half_shadow},
    {{"stalk", "a stalk at the slender end, 30 % as long as the leaf, 3 % of its disc thick"},
     add_stalk},
    {{"side cut", "10 % of the area cut off along one side"}, cut_side},
    {{"graph paper", "40 lines along the longer side, every fifth wider and darker"}, graph_paper},
    {{"finger", "a fingertip over the edge, a fifth as wide as the leaf's disc"}, finger},
    {{"lamp", "another colour of light and of paper", /*of_colours=*/true}, other_light},
}};

constexpr auto kPerturbations = [] {
  std::array<Perturbation, kRules.size()> texts{};
  std::ranges::transform(kRules, texts.begin(), [](const auto& rule) { return rule.text; });
  return texts;
}();

}  // namespace

std::span<const Perturbation> perturbations() { return kPerturbations; }

Photograph perturbed(const Photograph& photograph, const Image<std::uint8_t>& leaf,
                     std::size_t which, std::uint64_t seed) {
  const Image<std::uint8_t>& grey = photograph.grey;
  if (which >= kRules.size()) throw UsageError("there is no such perturbation");
  if (leaf.width() != grey.width() || leaf.height() != grey.height()) {
    throw UsageError("the leaf's mask must be as large as the photograph");
  }
  const auto view = [&](int type, const std::uint8_t* pixels) {
    return cv::Mat(grey.height(), grey.width(), type, const_cast<std::uint8_t*>(pixels));
  };
  Scene scene{photograph.has_colour() ? view(CV_8UC3, photograph.colour.data()).clone()
                                      : view(CV_8U, grey.data()).clone(),
              view(CV_8U, leaf.data()), RandomNumbers::stream(seed, which), seed};
  kRules[which].change(scene);
  const cv::Mat pixels = scene.pixels.isContinuous() ? scene.pixels : scene.pixels.clone();
  std::vector<std::uint8_t> samples(pixels.data, pixels.data + pixels.total() * pixels.elemSize());
  if (photograph.has_colour()) {
    return colour_photograph(pixels.cols, pixels.rows, std::move(samples));
  }
  return {{pixels.cols, pixels.rows, std::move(samples)}, {}};
}

}  // namespace leafglyph
