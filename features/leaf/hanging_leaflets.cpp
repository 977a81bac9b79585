#include "features/leaf/hanging_leaflets.h"

#include <algorithm>
#include <cmath>
#include <opencv2/core.hpp>
#include <opencv2/imgproc.hpp>

#include "features/leaf/mat_view.h"

namespace leafglyph {
namespace {

// Stalks are thinner than this share of the photograph's longer side.
constexpr double kThin = 1.0 / 60;
// They differ from the paper by this share of the leaf's contrast, and by more than noise does.
constexpr double kShare = 0.1, kLeastStep = 3;

// Not 0 on thin lines that differ from what is beside them.
cv::Mat thin_lines(const Image<std::uint8_t>& grey, double contrast) {
  cv::Mat smooth, lines;
  cv::GaussianBlur(view(grey), smooth, {0, 0}, 1);
  const int side = 2 * cvCeil(kThin * std::max(grey.width(), grey.height()) / 2) + 1;
  cv::morphologyEx(smooth, lines, contrast > 0 ? cv::MORPH_BLACKHAT : cv::MORPH_TOPHAT,
                   cv::getStructuringElement(cv::MORPH_ELLIPSE, {side, side}));
  return lines > std::max(kLeastStep, kShare * std::abs(contrast));
}

}  // namespace

std::vector<std::size_t> with_hanging_leaflets(const ForegroundParts& parts,
                                               std::vector<std::size_t> leaf,
                                               const std::vector<std::size_t>& others,
                                               const Image<std::uint8_t>& grey, double contrast) {
  if (others.empty()) return leaf;
  cv::Mat joined = thin_lines(grey, contrast), labels;
  const auto fill = [&](std::size_t part) {
    cv::drawContours(joined, parts.outlines, static_cast<int>(part), cv::Scalar(255), cv::FILLED);
  };
  std::ranges::for_each(leaf, fill);
  std::ranges::for_each(others, fill);
  // Breaks of a pixel or two.
  cv::dilate(joined, joined, cv::Mat::ones(3, 3, CV_8U));
  cv::connectedComponents(joined, labels, 8, CV_32S);
  const auto label = [&](std::size_t part) { return labels.at<int>(parts.outlines[part].front()); };
  std::vector<int> own;
  for (const std::size_t part : leaf) own.push_back(label(part));
  for (const std::size_t other : others) {
    if (std::ranges::find(own, label(other)) != own.end()) leaf.push_back(other);
  }
  return leaf;
}

}  // namespace leafglyph
