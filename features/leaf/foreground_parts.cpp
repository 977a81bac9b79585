#include "features/leaf/foreground_parts.h"

#include <algorithm>
#include <cmath>
#include <opencv2/imgproc.hpp>

#include "features/image/image.h"
#include "features/leaf/mat_view.h"

namespace leafglyph {
namespace {

// A leaflet has at least this share of the area of the leaf's first part. Less is dust.
constexpr double kLeafletShare = 0.01;
// The gap between a leaflet and the leaf, as a share of the root of the leaf's area: where its
// stalk was too thin or too light to be found. Parts as large as another leaf must be nearer.
constexpr double kLeafletGap = 0.15, kLargeLeafletGap = 0.1;
// The same for leaflets of which all of a photograph's parts are, as a share of the root of the
// area of the leaf's first part.
constexpr double kOnlyLeafletsGap = 0.4;

bool is_within(const std::vector<cv::Point>& a, const std::vector<cv::Point>& b, double gap) {
  cv::Rect around = cv::boundingRect(a);
  const int reach = static_cast<int>(gap) + 1;
  around = {around.x - reach, around.y - reach, around.width + 2 * reach,
            around.height + 2 * reach};
  for (const cv::Point& q : b) {
    if (!around.contains(q)) continue;
    for (const cv::Point& p : a) {
      if ((p - q).dot(p - q) <= gap * gap) return true;
    }
  }
  return false;
}

}  // namespace

bool ForegroundParts::is_leaf(std::size_t part) const {
  return is_leaf_sized(areas[part], areas[largest]);
}

bool is_leaf_sized(double area, double largest, double least_share) {
  return area >= least_share * largest;
}

ForegroundParts foreground_parts(const Image<std::uint8_t>& binary) {
  ForegroundParts parts;
  cv::findContours(view(binary), parts.outlines, cv::RETR_EXTERNAL, cv::CHAIN_APPROX_NONE);
  parts.areas.reserve(parts.outlines.size());
  for (const auto& outline : parts.outlines) parts.areas.push_back(enclosed_pixels(outline));
  parts.largest =
      static_cast<std::size_t>(std::ranges::max_element(parts.areas) - parts.areas.begin());
  return parts;
}

std::vector<std::size_t> leaflets_of(const ForegroundParts& parts, std::size_t part,
                                     const std::vector<std::size_t>& free) {
  std::vector<std::size_t> found = {part};
  std::vector<std::size_t> others;
  for (const std::size_t other : free) {
    if (other != part && parts.areas[other] >= kLeafletShare * parts.areas[part]) {
      others.push_back(other);
    }
  }
  double area = parts.areas[part];
  for (std::size_t next = 0; next < found.size() && !others.empty(); ++next) {
    std::erase_if(others, [&](std::size_t other) {
      const bool is_large = parts.areas[other] >= kOtherLeafShare * parts.areas[part];
      const double gap = (is_large ? kLargeLeafletGap : kLeafletGap) * std::sqrt(area);
      if (!is_within(parts.outlines[found[next]], parts.outlines[other], gap)) return false;
      found.push_back(other);
      area += parts.areas[other];
      return true;
    });
  }
  return found;
}

std::vector<std::size_t> with_near_leaflets(const ForegroundParts& parts,
                                            std::vector<std::size_t> leaf,
                                            std::vector<std::size_t> others) {
  const std::size_t own = leaf.size();
  const double gap = kOnlyLeafletsGap * std::sqrt(parts.areas[leaf.front()]);
  for (std::size_t next = 0; next < leaf.size() && !others.empty(); ++next) {
    std::erase_if(others, [&](std::size_t other) {
      if (!is_within(parts.outlines[leaf[next]], parts.outlines[other], gap)) return false;
      leaf.push_back(other);
      return true;
    });
  }
  if (!others.empty()) leaf.resize(own);
  return leaf;
}

std::vector<std::vector<std::size_t>> leaves_of(const ForegroundParts& parts,
                                                std::vector<std::size_t> free, bool with_leaflets,
                                                double least_share) {
  std::vector<std::vector<std::size_t>> leaves;
  const double largest = free.empty() ? 0 : parts.areas[free.front()];
  while (!free.empty() && is_leaf_sized(parts.areas[free.front()], largest, least_share)) {
    leaves.push_back(with_leaflets ? leaflets_of(parts, free.front(), free)
                                   : std::vector<std::size_t>{free.front()});
    std::erase_if(free, [&](std::size_t part) {
      return std::ranges::find(leaves.back(), part) != leaves.back().end();
    });
  }
  return leaves;
}

Image<std::uint8_t> filled_part(const ForegroundParts& parts, std::size_t part, int width,
                                int height) {
  Image<std::uint8_t> mask(width, height);
  cv::drawContours(view(mask), parts.outlines, static_cast<int>(part), cv::Scalar(1), cv::FILLED);
  return mask;
}

LargestPart largest_part(const Image<std::uint8_t>& binary) {
  LargestPart result{foreground_parts(binary), {}};
  if (result.parts.outlines.empty()) return result;
  result.filled = filled_part(result.parts, result.parts.largest, binary.width(), binary.height());
  return result;
}

cv::Mat connected_to(const cv::Mat& strong, const cv::Mat& weak) {
  cv::Mat labels;
  const int count = cv::connectedComponents(weak, labels, 8, CV_32S);
  std::vector<std::uint8_t> kept(static_cast<std::size_t>(count), 0);
  for (int row = 0; row < weak.rows; ++row) {
    for (int column = 0; column < weak.cols; ++column) {
      if (strong.at<std::uint8_t>(row, column) != 0) kept[labels.at<int>(row, column)] = 1;
    }
  }
  kept[0] = 0;
  cv::Mat result(weak.size(), CV_8U);
  for (int row = 0; row < weak.rows; ++row) {
    for (int column = 0; column < weak.cols; ++column) {
      result.at<std::uint8_t>(row, column) = kept[labels.at<int>(row, column)];
    }
  }
  return result;
}

// A hull only needs the first and last pixel of each row.
std::vector<cv::Point> convex_hull(const Image<std::uint8_t>& mask) {
  std::vector<cv::Point> ends, hull;
  for (int row = 0; row < mask.height(); ++row) {
    const RowSpan span = span_of(&mask.at(row, 0), mask.width());
    if (span.first > span.last) continue;
    ends.emplace_back(span.first, row);
    ends.emplace_back(span.last, row);
  }
  if (!ends.empty()) cv::convexHull(ends, hull);
  return hull;
}

double enclosed_pixels(const std::vector<cv::Point>& outline) {
  return cv::contourArea(outline) + 0.5 * static_cast<double>(outline.size()) + 1;
}

}  // namespace leafglyph
