#include "features/leaf/part_kind.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <functional>
#include <numbers>
#include <numeric>
#include <opencv2/imgproc.hpp>
#include <utility>

namespace leafglyph {
namespace {

// The leaves of five sets fill at most 0.85 of a rectangle; none has three right angles and this
// much of its outline in two directions.
constexpr double kRectangle = 0.88, kRectilinear = 0.65, kStrip = 0.92, kLong = 10;
// The width of a stem of few pixels is known to half a pixel: on a sheet, a part as long as
// kVeryLong is a stem even if it seems to be less even. Needles of the sets are like that, too.
constexpr double kLongStrip = 0.83, kVeryLong = 22;
constexpr int kRightAngles = 3, kTextHoles = 8;

bool has_corners(const PartShape& shape) {
  return shape.rectilinear >= kRectilinear && shape.right_angles >= kRightAngles;
}

bool is_rectangle(const PartShape& shape) {
  return shape.rectangularity >= kRectangle || has_corners(shape);
}

// Around a part, so that its outline has background beside it.
constexpr int kMargin = 2;

// The inside of an outline, 1 there, with the margin.
cv::Mat inside_of(const std::vector<cv::Point>& outline, const cv::Rect& box) {
  cv::Mat inside(box.height + 2 * kMargin, box.width + 2 * kMargin, CV_8U, cv::Scalar(0));
  const std::vector<std::vector<cv::Point>> one = {outline};
  cv::drawContours(inside, one, 0, cv::Scalar(1), cv::FILLED, cv::LINE_8, cv::noArray(), 0,
                   cv::Point(kMargin - box.x, kMargin - box.y));
  return inside;
}

// The edges of the outline that are longer than a share of the root of its area: how far they are
// in two directions at right angles, and their corners.
void measure_edges(const std::vector<cv::Point>& outline, double area, PartShape& shape) {
  constexpr double kEdge = 0.12, kSkew = 6;  // degrees
  constexpr int kDegrees = 90;
  const double size = std::sqrt(area);
  std::vector<cv::Point> corners;
  cv::approxPolyDP(outline, corners, std::max(1.5, 0.012 * size), /*closed=*/true);
  const std::size_t count = corners.size();
  const auto edge = [&](std::size_t i) {
    return cv::Point2d(corners[(i + 1) % count] - corners[i % count]);
  };
  std::array<double, kDegrees> lengths{};  // by direction, modulo a right angle
  double all = 0;
  for (std::size_t i = 0; i < count; ++i) {
    const cv::Point2d here = edge(i), next = edge(i + 1);
    const double length = cv::norm(here), other = cv::norm(next);
    all += length;
    if (length < kEdge * size) continue;
    const double angle = std::atan2(here.y, here.x) * 180 / std::numbers::pi;
    lengths[static_cast<std::size_t>(std::lround(angle + 360)) % kDegrees] += length;
    if (other < kEdge * size) continue;
    const double cosine = std::abs(here.dot(next)) / (length * other);
    shape.right_angles += cosine < std::sin(2 * kSkew * std::numbers::pi / 180);
  }
  for (int centre = 0; centre < kDegrees; ++centre) {
    double sum = 0;
    for (int d = -static_cast<int>(kSkew); d <= static_cast<int>(kSkew); ++d) {
      sum += lengths[static_cast<std::size_t>(centre + d + kDegrees) % kDegrees];
    }
    shape.rectilinear = std::max(shape.rectilinear, all > 0 ? sum / all : 0);
  }
}

}  // namespace

PartShape part_shape(const std::vector<cv::Point>& outline, const cv::Mat& mask) {
  PartShape shape;
  const double area = enclosed_pixels(outline);
  const cv::RotatedRect around = cv::minAreaRect(outline);
  shape.rectangularity = area / ((around.size.width + 1.0) * (around.size.height + 1.0));
  measure_edges(outline, area, shape);
  std::vector<cv::Point> smooth;  // without the steps of the pixels
  cv::approxPolyDP(outline, smooth, 1, /*closed=*/true);
  const double half = cv::arcLength(smooth, true) / 2;
  // elongation / even_width, of which even_width is not much above 1.
  const bool may_be_strip = half * half >= 0.8 * kLong * area;
  if (!may_be_strip && !is_rectangle(shape)) return shape;
  const cv::Rect box = cv::boundingRect(outline);
  const cv::Mat inside = inside_of(outline, box);
  if (may_be_strip) {
    cv::Mat depth;
    cv::distanceTransform(inside, depth, cv::DIST_L2, cv::DIST_MASK_5);
    double deepest = 0;
    cv::minMaxLoc(depth, nullptr, &deepest);
    const double width = std::max(1.0, 2 * deepest - 0.5);
    shape.elongation = half / width;
    shape.even_width = area / (half * width);
  }
  if (is_rectangle(shape)) {
    cv::Mat background, labels;  // inside the outline
    cv::bitwise_and(inside(cv::Rect(kMargin, kMargin, box.width, box.height)), mask(box) == 0,
                    background);
    shape.holes = cv::connectedComponents(background, labels, 4, CV_32S) - 1;
  }
  return shape;
}

std::string why_not_a_leaf(const PartShape& shape, bool is_on_sheet) {
  const bool is_strip =
      (shape.even_width >= kStrip && shape.elongation >= kLong) ||
      (is_on_sheet && shape.even_width >= kLongStrip && shape.elongation >= kVeryLong);
  if (is_strip) {
    return "as narrow everywhere as a stem or a ruler";
  }
  if (!is_rectangle(shape)) return "";
  if (shape.holes >= kTextHoles) return "a rectangle with text or marks";
  return has_corners(shape) ? "straight edges with right angles" : "as straight as a rectangle";
}

std::string why_not_a_leaf(const ForegroundParts& parts, std::size_t part, const cv::Mat& mask,
                           bool is_on_sheet) {
  constexpr double kLeastShape = 500;  // pixels
  if (parts.areas[part] < kLeastShape) return "";
  return why_not_a_leaf(part_shape(parts.outlines[part], mask), is_on_sheet);
}

std::vector<PhotographPart> photograph_parts(const ForegroundParts& parts, const cv::Mat& mask,
                                             bool with_leaflets, const PartLimits& limits) {
  // Relative to the largest part, whatever it is; below it there are only crumbs.
  constexpr double kLeastShare = 0.01;
  std::vector<std::size_t> sorted(parts.areas.size());
  std::iota(sorted.begin(), sorted.end(), std::size_t{0});
  std::ranges::stable_sort(sorted, std::ranges::greater(),
                           [&](std::size_t part) { return parts.areas[part]; });
  std::vector<PhotographPart> others;
  std::vector<std::size_t> free;
  for (const std::size_t part : sorted) {
    std::string why;
    if (parts.areas[part] >= kLeastShare * parts.areas[parts.largest]) {
      why = why_not_a_leaf(parts, part, mask, limits.is_on_sheet);
    }
    if (why.empty()) {
      free.push_back(part);
    } else {
      others.push_back({{part}, PartState::kNotALeaf, std::move(why)});
    }
  }
  std::vector<PhotographPart> all;
  if (!free.empty() && parts.areas[free.front()] < kLeastShare * parts.areas[parts.largest]) {
    free.clear();
  }
  for (std::vector<std::size_t>& leaf :
       leaves_of(parts, std::move(free), with_leaflets, limits.least_share)) {
    all.push_back({std::move(leaf)});
  }
  const double least = all.empty() ? 0 : parts.areas[all.front().outlines.front()];
  for (PhotographPart& other : others) {
    const double area = parts.areas[other.outlines.front()];
    if (is_leaf_sized(area, least, limits.least_share)) all.push_back(std::move(other));
  }
  return all;
}

}  // namespace leafglyph
