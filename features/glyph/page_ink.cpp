#include "features/glyph/page_ink.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <numbers>
#include <opencv2/core.hpp>
#include <opencv2/imgproc.hpp>

#include "features/glyph/ink.h"
#include "features/leaf/mat_view.h"

namespace leafglyph {
namespace {

constexpr int kNodes = 12;         // of the grid of the paper, along the shorter side
constexpr int kFewestPixels = 16;  // between nodes
constexpr int kWindow = 3;         // distances of nodes that a window measures
constexpr int kLeast = 32;         // grey values of levelled paper to the nearer end, for its noise

std::uint8_t median_of(const cv::Mat& grey) {
  GreyCounts counts{};
  for (int row = 0; row < grey.rows; ++row) {
    const auto* p = grey.ptr<std::uint8_t>(row);
    for (int column = 0; column < grey.cols; ++column) ++counts[p[column]];
  }
  std::uint64_t seen = 0;
  for (std::size_t v = 0; v < counts.size(); ++v) {
    seen += counts[v];
    if (2 * seen >= grey.total()) return static_cast<std::uint8_t>(v);
  }
  return 255;
}

cv::Mat paper_of(const cv::Mat& grey) {
  const int step = std::max(std::min(grey.cols, grey.rows) / kNodes, kFewestPixels);
  cv::Mat nodes((grey.rows + step - 1) / step, (grey.cols + step - 1) / step, CV_8U);
  const int reach = kWindow * step / 2;
  for (int j = 0; j < nodes.rows; ++j) {
    for (int i = 0; i < nodes.cols; ++i) {
      const cv::Point centre(i * step + step / 2, j * step + step / 2);
      const cv::Rect around(centre.x - reach, centre.y - reach, 2 * reach, 2 * reach);
      nodes.at<std::uint8_t>(j, i) = median_of(grey(around & cv::Rect(0, 0, grey.cols, grey.rows)));
    }
  }
  cv::Mat paper;
  cv::resize(nodes, paper, {nodes.cols * step, nodes.rows * step}, 0, 0, cv::INTER_LINEAR);
  return paper({0, 0, grey.cols, grey.rows});
}

// Thin strokes of a poor print have little more; with less neighbours join.
constexpr float kInkOfParts = 0.35F;

double radians(double degrees) { return degrees * std::numbers::pi / 180; }

}  // namespace

Image<float> page_ink(const Image<std::uint8_t>& grey) {
  const cv::Mat pixels = view(grey), paper = paper_of(pixels);
  double darkest = 0, lightest = 0;
  cv::minMaxLoc(paper, &darkest, &lightest);
  const int level = lightest + darkest > 255 ? 255 - kLeast : kLeast;
  Image<std::uint8_t> levelled(grey.width(), grey.height());
  cv::Mat result = view(levelled);
  cv::Mat difference;
  cv::subtract(pixels, paper, difference, cv::noArray(), CV_16S);
  difference.convertTo(result, CV_8U, 1, level);
  return ink_of(levelled);
}

TurnedInk turned(const Image<float>& ink, double degrees) {
  TurnedInk result;
  result.degrees = degrees;
  result.width = ink.width();
  result.height = ink.height();
  const double c = std::cos(radians(degrees)), s = std::abs(std::sin(radians(degrees)));
  const int width = static_cast<int>(std::ceil(ink.width() * c + ink.height() * s)),
            height = static_cast<int>(std::ceil(ink.width() * s + ink.height() * c));
  result.ink = Image<float>(width, height);
  const TurnedInk::Point corner = result.before({0, 0}), right = result.before({1, 0}),
                         down = result.before({0, 1});
  const cv::Matx23d map(right.x - corner.x, down.x - corner.x, corner.x, right.y - corner.y,
                        down.y - corner.y, corner.y);
  cv::Mat from(ink.height(), ink.width(), CV_32F, const_cast<float*>(ink.data()));
  cv::Mat to(height, width, CV_32F, result.ink.data());
  cv::warpAffine(from, to, map, to.size(), cv::INTER_LINEAR | cv::WARP_INVERSE_MAP);
  return result;
}

TurnedInk::Point TurnedInk::before(Point turned) const {
  const double c = std::cos(radians(degrees)), s = std::sin(radians(degrees));
  const double x = turned.x - (ink.width() - 1) / 2.0, y = turned.y - (ink.height() - 1) / 2.0;
  return {c * x + s * y + (width - 1) / 2.0, c * y - s * x + (height - 1) / 2.0};
}

InkParts ink_parts(const Image<float>& ink) {
  const cv::Mat values(ink.height(), ink.width(), CV_32F, const_cast<float*>(ink.data()));
  InkParts found{Image<std::int32_t>(ink.width(), ink.height()), {}};
  cv::Mat labels(ink.height(), ink.width(), CV_32S, found.labels.data()), numbers, centroids;
  const int count =
      cv::connectedComponentsWithStats(values >= kInkOfParts, labels, numbers, centroids);
  for (int i = 1; i < count; ++i) {
    const auto* number = numbers.ptr<int>(i);
    const int left = number[cv::CC_STAT_LEFT], top = number[cv::CC_STAT_TOP];
    found.parts.push_back(
        {{left, top, left + number[cv::CC_STAT_WIDTH] - 1, top + number[cv::CC_STAT_HEIGHT] - 1},
         number[cv::CC_STAT_AREA]});
  }
  return found;
}

}  // namespace leafglyph
