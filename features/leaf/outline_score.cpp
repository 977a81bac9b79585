#include "features/leaf/outline_score.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <opencv2/core.hpp>
#include <opencv2/imgproc.hpp>
#include <span>
#include <vector>

#include "features/base/statistics.h"
#include "features/leaf/foreground_parts.h"
#include "features/leaf/mat_view.h"
#include "features/leaf/separable_filter.h"

namespace leafglyph {
namespace {

// A step across the outline of this share of the contrast counts as sharp.
constexpr double kSharpStep = 0.6;
// A slope below this share of the outline's median slope is gentle, like that of a shadow.
constexpr double kGentle = 0.3;

/// An image, blurred near some of its pixels.
class BlurredNear {
 public:
  /// Values are those of the image times `factor`, up to `margin` pixels from the points along both
  /// axes.
  BlurredNear(const cv::Mat& image, float factor, const std::vector<cv::Point>& points, int margin,
              double sigma)
      : size_(image.size()),
        box_(around(cv::boundingRect(points), margin)),
        pixels_(box_.size(), CV_8U) {
    ColumnBlocks wanted(box_.width, box_.height, /*all=*/false);
    for (const cv::Point& p : points) {
      wanted.add(around(cv::Rect(p, cv::Size(1, 1)), margin) - box_.tl());
    }
    const int radius = cvCeil(3 * sigma);
    const std::vector<float> weights = gaussian_weights(radius, sigma);
    const int left = box_.x - radius, right = box_.br().x + radius;
    const int first = std::max(0, left), end = std::min(size_.width, right);
    const auto fill = [&](int row, std::span<float> values) {
      const auto* from = image.ptr(mirrored(box_.y + row, size_.height));
      pixel_kernels().scaled(from + first, static_cast<std::size_t>(end - first), factor,
                             &values[static_cast<std::size_t>(first - left)]);
      const auto beyond = [&](int x) {
        values[static_cast<std::size_t>(x - left)] =
            factor * static_cast<float>(from[mirrored(x, size_.width)]);
      };
      for (int x = left; x < first; ++x) beyond(x);
      for (int x = end; x < right; ++x) beyond(x);
    };
    filter_plane(box_.size(), wanted, weights, fill, [&](int row, std::span<const float> sums) {
      wanted.each_run(wanted.near(row, 0), [&](std::size_t start, std::size_t count) {
        auto* to = pixels_.ptr(row) + start;
        for (const float sum : sums.subspan(start, count)) {
          *to++ = cv::saturate_cast<std::uint8_t>(sum);
        }
      });
    });
  }

  /// The value at the pixel nearest to a position.
  float nearest(double x, double y) const {
    const auto rounded = [](double at, int count) {
      return cvRound(std::clamp(at, 0.0, count - 1.0));
    };
    return *at(rounded(x, size_.width), rounded(y, size_.height));
  }

  /// Sobel's two slopes at a pixel that is not on the edge of the image.
  cv::Point slopes(cv::Point p) const {
    const auto *above = at(p.x, p.y - 1), *here = at(p.x, p.y), *below = at(p.x, p.y + 1);
    return {(above[1] + 2 * here[1] + below[1]) - (above[-1] + 2 * here[-1] + below[-1]),
            (below[-1] + 2 * below[0] + below[1]) - (above[-1] + 2 * above[0] + above[1])};
  }

 private:
  cv::Rect around(const cv::Rect& box, int margin) const {
    return cv::Rect(box.x - margin, box.y - margin, box.width + 2 * margin,
                    box.height + 2 * margin) &
           cv::Rect(cv::Point(0, 0), size_);
  }
  static int mirrored(int at, int count) {
    return cv::borderInterpolate(at, count, cv::BORDER_REFLECT_101);
  }
  const std::uint8_t* at(int x, int y) const {
    return pixels_.ptr<std::uint8_t>(y - box_.y) + (x - box_.x);
  }

  cv::Size size_;
  cv::Rect box_;
  cv::Mat pixels_;
};

// Mean of the pixels outside `foreground` minus mean of those inside `leaf`. Both masks are 0 or 1.
// Sums of 8-bit pixels are exact in double.
double contrast_of(const cv::Mat& pixels, const cv::Mat& foreground, const cv::Mat& leaf) {
  const auto mean = [](double sum, double count) { return count == 0 ? 0 : sum * (1 / count); };
  const double of_background = cv::sum(pixels)[0] - pixels.dot(foreground);
  return mean(of_background, static_cast<double>(pixels.total()) - cv::countNonZero(foreground)) -
         mean(pixels.dot(leaf), cv::countNonZero(leaf));
}

// Measures the sharpness and evenness of the outline of a filled mask. The leaf must be dark in
// `picture`. At up to about 400 points of the outline, the profile along the normal of the blurred
// mask is compared with the contrast.
void judge_outline(const cv::Mat& picture, const cv::Mat& mask,
                   const std::vector<cv::Point>& outline, OutlineScore& score) {
  const double root_of_area = std::sqrt(cv::countNonZero(mask));
  const int reach = std::max(2, static_cast<int>(0.03 * root_of_area));
  constexpr int kSlopeReach = 2;
  const std::size_t step = std::max<std::size_t>(1, outline.size() / 400);
  std::vector<cv::Point> points;
  for (std::size_t i = 0; i < outline.size(); i += step) {
    const cv::Point p = outline[i];
    if (p.x < 2 || p.y < 2 || p.x >= mask.cols - 2 || p.y >= mask.rows - 2) continue;
    points.push_back(p);
  }
  if (points.empty()) return;
  const BlurredNear smooth(picture, 1, points, std::max(reach, kSlopeReach + 1) + 1, 1);
  const BlurredNear soft(mask, 255, points, 1, 2);
  double sum = 0;
  std::vector<float> slopes;
  for (const cv::Point& p : points) {
    const cv::Point slope = soft.slopes(p);
    const double dx = slope.x, dy = slope.y;
    const double length = std::hypot(dx, dy);
    if (length == 0) continue;
    float inside = smooth.nearest(p.x, p.y), outside = inside;
    for (int d = 1; d <= reach; ++d) {
      inside = std::min(inside, smooth.nearest(p.x + d * dx / length, p.y + d * dy / length));
      outside = std::max(outside, smooth.nearest(p.x - d * dx / length, p.y - d * dy / length));
    }
    sum += std::clamp((outside - inside) / (kSharpStep * score.contrast), 0.0, 1.0);
    float steepest = 0;
    for (int d = -kSlopeReach; d <= kSlopeReach; ++d) {
      const double x = p.x + d * dx / length, y = p.y + d * dy / length;
      steepest = std::max(steepest, smooth.nearest(x - dx / length, y - dy / length) -
                                        smooth.nearest(x + dx / length, y + dy / length));
    }
    slopes.push_back(steepest);
  }
  if (slopes.empty()) return;
  // Points next to the frame count as not sharp.
  score.sharpness =
      sum / std::ceil(static_cast<double>(outline.size()) / static_cast<double>(step));
  const float steep = std::max(1.0F, median(slopes));
  // A slope is the difference over two pixels.
  score.edge_width = 2 * score.contrast / (steep * root_of_area);
  for (const float slope : slopes) {
    score.evenness += std::min(1.0, slope / (kGentle * steep)) / static_cast<double>(slopes.size());
  }
}

// Number of leaf-sized parts that touch two or more sides of the frame.
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
  // Parts that run across the picture are a pattern, or the dark corners of the frame.
  const double whole = crossing > 1 ? 0.5 : 1;
  return whole * sharpness * evenness * std::sqrt(in_parts) * (0.5 + 0.5 * solidity) *
         (1 - std::min(1.0, border));
}

double OutlineScore::clearness() const {
  return sharpness * evenness * std::sqrt(in_parts) * (1 - std::min(1.0, border));
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

ScoredOutline score_outline(const Image<std::uint8_t>& picture, const Image<std::uint8_t>& binary,
                            bool leaf_is_dark, double to_beat) {
  ScoredOutline scored;
  OutlineScore& score = scored.score;
  score.border = border_share(binary);
  // The part that runs along the whole frame encloses the picture, so the score is 0.
  if (score.border == 1 && to_beat > 0) return scored;
  scored.largest = largest_part(binary);
  const auto& [parts, mask] = *scored.largest;
  if (parts.outlines.empty()) return scored;
  const cv::Mat pixels = leaf_is_dark ? view(picture) : cv::Mat(255 - view(picture));
  const std::vector<cv::Point>& outline = parts.outlines[parts.largest];
  const double area = parts.areas[parts.largest];
  const double all = std::accumulate(parts.areas.begin(), parts.areas.end(), 0.0);
  double leaves = 0;
  for (std::size_t i = 0; i < parts.areas.size(); ++i) {
    leaves += parts.is_leaf(i) ? parts.areas[i] : 0;
  }
  score.in_parts = leaves / all;
  score.contrast = contrast_of(pixels, view(binary), view(mask));
  score.border = border_share(mask);
  score.solidity = area / std::max(area, enclosed_pixels(convex_hull(mask)));
  score.crossing = crossing_parts(parts, binary.width(), binary.height());
  OutlineScore perfect = score;
  perfect.sharpness = perfect.evenness = 1;
  if (score.contrast > 0 && perfect.total() >= to_beat) {
    judge_outline(pixels, view(mask), outline, score);
  }
  return scored;
}

}  // namespace leafglyph
