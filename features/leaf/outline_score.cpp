#include "features/leaf/outline_score.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <opencv2/core.hpp>
#include <opencv2/imgproc.hpp>
#include <vector>

#include "features/base/order_statistics.h"
#include "features/leaf/foreground_parts.h"
#include "features/leaf/mat_view.h"

namespace leafglyph {
namespace {

// A step across the outline of this share of the contrast is sharp.
constexpr double kSharpStep = 0.6;
// A slope below this share of the outline's median is gentle: a shadow's.
constexpr double kGentle = 0.3;

// Grey value at a place between pixels.
float value_at(const cv::Mat& picture, double x, double y) {
  const auto nearest = [](double at, int count) {
    return cvRound(std::clamp(at, 0.0, count - 1.0));
  };
  return picture.ptr<std::uint8_t>(nearest(y, picture.rows))[nearest(x, picture.cols)];
}

// The outline's box and two pixels more on each side, as far as the image goes.
cv::Rect around_outline(const std::vector<cv::Point>& outline, cv::Size image) {
  constexpr int kMargin = 2;
  const cv::Rect box = cv::boundingRect(outline);
  return cv::Rect(box.x - kMargin, box.y - kMargin, box.width + 2 * kMargin,
                  box.height + 2 * kMargin) &
         cv::Rect(cv::Point(0, 0), image);
}

// Sobel's two slopes at a place that is not on the edge of the image.
cv::Point slopes_at(const cv::Mat& image, cv::Point at) {
  const auto *above = image.ptr<std::uint8_t>(at.y - 1) + at.x,
             *here = image.ptr<std::uint8_t>(at.y) + at.x,
             *below = image.ptr<std::uint8_t>(at.y + 1) + at.x;
  return {(above[1] + 2 * here[1] + below[1]) - (above[-1] + 2 * here[-1] + below[-1]),
          (below[-1] + 2 * below[0] + below[1]) - (above[-1] + 2 * above[0] + above[1])};
}

// What the pixels outside `foreground` have in the mean more than those inside `leaf`; both are 0
// or 1. Sums of 8-bit pixels are exact in double.
double contrast_of(const cv::Mat& pixels, const cv::Mat& foreground, const cv::Mat& leaf) {
  const auto mean = [](double sum, double count) { return count == 0 ? 0 : sum * (1 / count); };
  const double of_background = cv::sum(pixels)[0] - pixels.dot(foreground);
  return mean(of_background, static_cast<double>(pixels.total()) - cv::countNonZero(foreground)) -
         mean(pixels.dot(leaf), cv::countNonZero(leaf));
}

// Sharpness and evenness of the outline of a filled mask, whose leaf is dark in `picture`.
void judge_outline(const cv::Mat& picture, const cv::Mat& mask,
                   const std::vector<cv::Point>& outline, OutlineScore& score) {
  // Slopes are wanted on the outline alone; blurs look beyond the edge of a part of an image.
  const cv::Rect around = around_outline(outline, mask.size());
  cv::Mat smooth, soft;
  cv::GaussianBlur(picture, smooth, {0, 0}, 1);
  cv::GaussianBlur(cv::Mat(255 * mask)(around), soft, {0, 0}, 2);
  const int reach = std::max(2, static_cast<int>(0.03 * std::sqrt(cv::countNonZero(mask))));
  const std::size_t step = std::max<std::size_t>(1, outline.size() / 400);
  double sum = 0, count = 0;
  std::vector<float> slopes;
  for (std::size_t i = 0; i < outline.size(); i += step, ++count) {
    const cv::Point p = outline[i];
    if (p.x < 2 || p.y < 2 || p.x >= mask.cols - 2 || p.y >= mask.rows - 2) continue;
    const cv::Point slope = slopes_at(soft, p - around.tl());
    const double dx = slope.x, dy = slope.y;
    const double length = std::hypot(dx, dy);
    if (length == 0) continue;
    float inside = value_at(smooth, p.x, p.y), outside = inside;
    for (int d = 1; d <= reach; ++d) {
      inside = std::min(inside, value_at(smooth, p.x + d * dx / length, p.y + d * dy / length));
      outside = std::max(outside, value_at(smooth, p.x - d * dx / length, p.y - d * dy / length));
    }
    sum += std::clamp((outside - inside) / (kSharpStep * score.contrast), 0.0, 1.0);
    float steepest = 0;
    for (int d = -2; d <= 2; ++d) {
      const double x = p.x + d * dx / length, y = p.y + d * dy / length;
      steepest = std::max(steepest, value_at(smooth, x - dx / length, y - dy / length) -
                                        value_at(smooth, x + dx / length, y + dy / length));
    }
    slopes.push_back(steepest);
  }
  if (slopes.empty()) return;
  score.sharpness = sum / count;
  const float steep = std::max(1.0F, median(slopes));
  // A slope is that over two pixels.
  score.edge_width = 2 * score.contrast / (steep * std::sqrt(cv::countNonZero(mask)));
  for (const float slope : slopes) {
    score.evenness += std::min(1.0, slope / (kGentle * steep)) / static_cast<double>(slopes.size());
  }
}

// Leaves that touch two sides of the frame or more.
int crossing_parts(const ForegroundParts& parts, int width, int height) {
  int crossing = 0;
  for (std::size_t i = 0; i < parts.outlines.size(); ++i) {
    if (!parts.is_leaf(i)) continue;
    const cv::Rect box = cv::boundingRect(parts.outlines[i]);
    crossing += (box.x == 0) + (box.y == 0) + (box.x + box.width == width) +
                    (box.y + box.height == height) >=
                2;
  }
  return crossing;
}

}  // namespace

double OutlineScore::total() const {
  // Parts that run across the picture are a pattern, or the dark corners of its frame.
  const double whole = crossing > 1 ? 0.5 : 1;
  return whole * sharpness * evenness * std::sqrt(in_parts) * (0.5 + 0.5 * solidity) *
         (1 - std::min(1.0, border));
}

double border_share(const Image<std::uint8_t>& mask) {
  const cv::Mat all = view(mask);
  if (all.cols < 3 || all.rows < 3) return cv::mean(all)[0];
  int covered = cv::countNonZero(all.row(0)) + cv::countNonZero(all.row(all.rows - 1));
  for (int row = 1; row < all.rows - 1; ++row) {
    const auto* p = all.ptr<std::uint8_t>(row);
    covered += (p[0] != 0) + (p[all.cols - 1] != 0);
  }
  return static_cast<double>(covered) / (2 * (all.cols + all.rows) - 4);
}

OutlineScore score_outline(const Image<std::uint8_t>& picture, const Image<std::uint8_t>& binary,
                           bool leaf_is_dark, double to_beat) {
  OutlineScore score;
  score.border = border_share(binary);
  // The part that runs along all of the frame encloses the picture: its score is 0.
  if (score.border == 1 && to_beat > 0) return score;
  const ForegroundParts parts = foreground_parts(binary);
  if (parts.outlines.empty()) return score;
  const cv::Mat pixels = leaf_is_dark ? view(picture) : cv::Mat(255 - view(picture));
  const std::vector<cv::Point>& outline = parts.outlines[parts.largest];
  const double area = parts.areas[parts.largest];
  const double all = std::accumulate(parts.areas.begin(), parts.areas.end(), 0.0);
  double leaves = 0;
  for (std::size_t i = 0; i < parts.areas.size(); ++i) {
    leaves += parts.is_leaf(i) ? parts.areas[i] : 0;
  }
  score.in_parts = leaves / all;
  const Image<std::uint8_t> mask =
      filled_part(parts, parts.largest, binary.width(), binary.height());
  score.contrast = contrast_of(pixels, view(binary), view(mask));
  score.border = border_share(mask);
  std::vector<cv::Point> hull;
  cv::convexHull(outline, hull);
  score.solidity = area / std::max(area, enclosed_pixels(hull));
  score.crossing = crossing_parts(parts, binary.width(), binary.height());
  OutlineScore perfect = score;
  perfect.sharpness = perfect.evenness = 1;
  if (score.contrast > 0 && perfect.total() >= to_beat) {
    judge_outline(pixels, view(mask), outline, score);
  }
  return score;
}

}  // namespace leafglyph
