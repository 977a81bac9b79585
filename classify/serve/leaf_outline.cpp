#include "classify/serve/leaf_outline.h"

#include <algorithm>
#include <opencv2/imgproc.hpp>

#include "features/leaf/foreground_parts.h"

namespace leafglyph {
namespace {

constexpr double kTolerance = 0.75;     // of an outline, in pixels: nobody sees more
constexpr std::size_t kMostParts = 30;  // that one can choose among

Outline fractions(const std::vector<cv::Point>& outline, int width, int height) {
  std::vector<cv::Point> corners;
  cv::approxPolyDP(outline, corners, kTolerance, /*closed=*/true);
  Outline result;
  result.reserve(corners.size());
  for (const cv::Point& corner : corners) {
    result.push_back({(corner.x + 0.5) / width, (corner.y + 0.5) / height});
  }
  return result;
}

}  // namespace

void OutlineSink::stage(std::string_view name, const Image<std::uint8_t>& image) {
  if (name != "2-binary" && name != "3-leaf") return;
  const ForegroundParts parts = foreground_parts(image);
  if (parts.outlines.empty()) return;
  const int width = image.width(), height = image.height();
  if (name == "3-leaf") {
    leaf_ = fractions(parts.outlines[parts.largest], width, height);
    return;
  }
  std::vector<std::size_t> leaves;
  for (std::size_t i = 0; i < parts.outlines.size(); ++i) {
    if (parts.is_leaf(i)) leaves.push_back(i);
  }
  std::ranges::stable_sort(leaves, std::ranges::greater(),
                           [&](std::size_t part) { return parts.areas[part]; });
  leaves.resize(std::min(leaves.size(), kMostParts));
  for (const std::size_t part : leaves) {
    parts_.push_back({fractions(parts.outlines[part], width, height),
                      parts.areas[part] / (static_cast<double>(width) * height)});
  }
}

}  // namespace leafglyph
