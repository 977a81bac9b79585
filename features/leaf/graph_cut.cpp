#include "features/leaf/graph_cut.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <opencv2/core.hpp>
#include <opencv2/imgproc.hpp>
#include <optional>
#include <utility>

#include "features/leaf/foreground_parts.h"
#include "features/leaf/mat_view.h"

namespace leafglyph {
namespace {

// Grey values per pixel from which a slope is steep, at kCutSide: edges of leaves, stones and
// grass.
constexpr double kSteep = 4;
// Half the axes of the ellipse from which the cuts start, as shares of the sides: a leaf that fills
// 0.4 of the photograph. What is within kCore is leaf, what is within kRim of the frame is
// background.
constexpr double kEllipse = 0.35;
constexpr double kCore = 0.08, kRim = 0.02;
constexpr int kIterations = 3;  // further ones change few pixels
// An outline below kClear, with steep slopes over more than kCluttered of what is around, is not
// that of a leaf on a plain background. Of 1,900 leaves on card, paper and scanners none is so, of
// 104 on plants all are.
constexpr double kClear = 0.95, kCluttered = 0.2;
// A difference in colour of this many values is as clear as any: the median of drawn masks.
constexpr double kClearStep = 40;

/// OpenCV's random state, set for a call and put back.
class SetRandomState {
 public:
  SetRandomState() : before_(cv::theRNG().state) { cv::setRNGSeed(1); }
  ~SetRandomState() { cv::theRNG().state = before_; }
  SetRandomState(const SetRandomState&) = delete;
  SetRandomState& operator=(const SetRandomState&) = delete;

 private:
  std::uint64_t before_;
};

// The colours; of a grey photograph the grey values three times.
cv::Mat colours_of(const Photograph& photograph) {
  const Image<std::uint8_t>& grey = photograph.grey;
  cv::Mat colours;
  if (photograph.has_colour()) {
    colours = cv::Mat(grey.height(), grey.width(), CV_8UC3,
                      const_cast<std::uint8_t*>(photograph.colour.data()))
                  .clone();
  } else {
    cv::cvtColor(view(grey), colours, cv::COLOR_GRAY2RGB);
  }
  return colours;
}

cv::Mat ellipse_in(const cv::Size& size, double share) {
  cv::Mat inside(size, CV_8U, cv::Scalar(0));
  const cv::Size axes(cvRound(share * size.width), cvRound(share * size.height));
  cv::ellipse(inside, {size.width / 2, size.height / 2}, axes, 0, 0, 360, cv::Scalar(1),
              cv::FILLED);
  return inside;
}

// The largest part in the middle, without what is as thin as a stalk, and without holes. Parts
// count less the farther they are from the middle.
Image<std::uint8_t> part_in_the_middle(const cv::Mat& foreground) {
  constexpr double kMiddle = 0.2;  // of the sides
  constexpr int kThin = 5;
  Image<std::uint8_t> leaf(foreground.cols, foreground.rows);
  Image<std::uint8_t> open(foreground.cols, foreground.rows);
  cv::morphologyEx(foreground, view(open), cv::MORPH_OPEN,
                   cv::getStructuringElement(cv::MORPH_ELLIPSE, {kThin, kThin}));
  const ForegroundParts parts = foreground_parts(open);
  const auto weight = [&](std::size_t part) {
    const cv::Moments moments = cv::moments(parts.outlines[part]);
    if (moments.m00 == 0) return 0.0;
    const double x = moments.m10 / moments.m00 / foreground.cols - 0.5;
    const double y = moments.m01 / moments.m00 / foreground.rows - 0.5;
    return parts.areas[part] * std::exp(-(x * x + y * y) / (2 * kMiddle * kMiddle));
  };
  double most = 0;
  std::size_t best = 0;
  for (std::size_t part = 0; part < parts.outlines.size(); ++part) {
    if (const double here = weight(part); here > most) {
      most = here;
      best = part;
    }
  }
  if (most == 0) return leaf;
  return filled_part(parts, best, foreground.cols, foreground.rows);
}

cv::Rect around(const cv::Rect& box, int margin, const cv::Size& whole) {
  return cv::Rect(box.x - margin, box.y - margin, box.width + 2 * margin, box.height + 2 * margin) &
         cv::Rect({0, 0}, whole);
}

/// The mean colours of one side of an outline, near it.
class OneSide {
 public:
  /// Means over squares of `window` pixels of what is 255 in `ring`.
  OneSide(const cv::Mat& planes, const cv::Mat& ring, int window) {
    cv::Mat weights;
    ring.convertTo(weights, CV_32F, 1.0 / 255);
    const auto sums = [window](const cv::Mat& values, cv::Mat& into) {
      cv::boxFilter(values, into, CV_32F, {window, window}, {-1, -1}, /*normalize=*/false,
                    cv::BORDER_CONSTANT);
    };
    sums(weights, counts_);
    cv::Mat split;
    for (int c = 0; c < 3; ++c) {
      cv::extractChannel(planes, split, c);
      sums(split.mul(weights), sums_[static_cast<std::size_t>(c)]);
    }
  }
  bool has(const cv::Point& p) const { return counts_.at<float>(p) >= 0.5F; }
  cv::Vec3f mean(const cv::Point& p) const {
    const float count = counts_.at<float>(p);
    return {sums_[0].at<float>(p) / count, sums_[1].at<float>(p) / count,
            sums_[2].at<float>(p) / count};
  }

 private:
  std::array<cv::Mat, 3> sums_;
  cv::Mat counts_;
};

/// The colours inside and outside the outline of a mask of 255 and 0, near it.
class TwoSides {
 public:
  /// From `first` to `last` pixels from the outline, over squares of `window` pixels.
  TwoSides(const cv::Mat& planes, const cv::Mat& mask, double first, double last, int window)
      : TwoSides(planes, distance_in(mask), distance_in(mask == 0), first, last, window) {}

  /// Pixels nearer to the outline than `first`.
  std::vector<cv::Point> unsure() const {
    std::vector<cv::Point> points;
    cv::findNonZero(unsure_, points);
    return points;
  }
  /// Length of the difference between the mean colours of both sides; nullopt where one has none.
  std::optional<double> step(const cv::Point& p) const {
    if (!inside_.has(p) || !outside_.has(p)) return std::nullopt;
    return cv::norm(inside_.mean(p) - outside_.mean(p));
  }
  /// Whether the colour at `p` is more like those inside; nullopt where one side has none.
  std::optional<bool> is_inside(const cv::Mat& planes, const cv::Point& p) const {
    if (!inside_.has(p) || !outside_.has(p)) return std::nullopt;
    const auto& colour = planes.at<cv::Vec3f>(p);
    return cv::norm(colour - inside_.mean(p)) < cv::norm(colour - outside_.mean(p));
  }

 private:
  TwoSides(const cv::Mat& planes, const cv::Mat& in, const cv::Mat& out, double first, double last,
           int window)
      : inside_(planes, (in > first) & (in <= last), window),
        outside_(planes, (out > first) & (out <= last), window),
        unsure_((in <= first) & (out <= first)) {}

  // Distance to the nearest pixel that is 0.
  static cv::Mat distance_in(const cv::Mat& mask) {
    cv::Mat distance;
    cv::distanceTransform(mask, distance, cv::DIST_L2, cv::DIST_MASK_5);
    return distance;
  }

  OneSide inside_, outside_;
  cv::Mat unsure_;
};

}  // namespace

Photograph cut_size(const Photograph& photograph) {
  const int width = photograph.grey.width(), height = photograph.grey.height();
  const double scale = static_cast<double>(kCutSide) / std::max(width, height);
  return resized(photograph, std::max(1, cvRound(scale * width)),
                 std::max(1, cvRound(scale * height)));
}

double clutter_around(const Photograph& small, const Image<std::uint8_t>& mask) {
  constexpr int kReach = 7;       // the blurred outline is not away from the mask
  constexpr double kOfSlope = 8;  // Sobel's
  cv::Mat across, down, slope, near;
  cv::Sobel(view(small.grey), across, CV_32F, 1, 0);
  cv::Sobel(view(small.grey), down, CV_32F, 0, 1);
  cv::magnitude(across, down, slope);
  cv::dilate(view(mask), near, cv::Mat::ones(kReach, kReach, CV_8U));
  const cv::Mat away = near == 0;
  const int pixels = cv::countNonZero(away);
  return pixels == 0
             ? 0
             : static_cast<double>(cv::countNonZero((slope > kOfSlope * kSteep) & away)) / pixels;
}

std::vector<Image<std::uint8_t>> cut_leaves(const Photograph& small) {
  const cv::Mat rgb = colours_of(small);
  cv::Mat lab;
  cv::cvtColor(rgb, lab, cv::COLOR_RGB2Lab);
  std::vector<Image<std::uint8_t>> cuts;
  for (const cv::Mat& colours : {rgb, lab}) {
    cv::Mat labels(colours.size(), CV_8U, cv::Scalar(cv::GC_PR_BGD));
    labels.setTo(cv::GC_PR_FGD, ellipse_in(colours.size(), kEllipse));
    labels.setTo(cv::GC_FGD, ellipse_in(colours.size(), kCore));
    const int rim = std::max(1, cvRound(kRim * std::min(colours.cols, colours.rows)));
    cv::rectangle(labels, cv::Rect({0, 0}, colours.size()), cv::Scalar(cv::GC_BGD), rim);
    cv::Mat background, foreground;
    const SetRandomState state;
    cv::grabCut(colours, labels, {}, background, foreground, kIterations, cv::GC_INIT_WITH_MASK);
    Image<std::uint8_t> leaf =
        part_in_the_middle((labels == cv::GC_FGD) | (labels == cv::GC_PR_FGD));
    if (cv::countNonZero(view(leaf)) > 0) cuts.push_back(std::move(leaf));
  }
  return cuts;
}

double mask_quality(const Photograph& small, const Image<std::uint8_t>& mask) {
  const LargestPart part = largest_part(mask);
  if (part.parts.outlines.empty()) return 0;
  constexpr int kWindow = 5;
  constexpr double kNear = 0.5, kFar = 2.5;  // pixels from the outline, without its blur
  const cv::Mat inside = view(part.filled);
  cv::Mat planes;
  colours_of(small).convertTo(planes, CV_32F);
  const TwoSides sides(planes, inside, kNear, kFar, kWindow);
  const std::vector<cv::Point>& outline = part.parts.outlines[part.parts.largest];
  double sum = 0;
  for (const cv::Point& p : outline) {
    const bool is_on_frame =
        p.x == 0 || p.y == 0 || p.x == inside.cols - 1 || p.y == inside.rows - 1;
    if (!is_on_frame) sum += std::min(1.0, sides.step(p).value_or(0) / kClearStep);
  }
  const double area = part.parts.areas[part.parts.largest];
  const double solidity = area / std::max(area, enclosed_pixels(convex_hull(part.filled)));
  return sum / static_cast<double>(outline.size()) * solidity;
}

bool fills_picture(const Photograph& small) {
  if (!small.has_colour()) return false;
  constexpr float kLikeness = 12;  // of a* and b*; coloured is what is as far from grey
  constexpr double kMiddle = 0.25, kAlongFrame = 0.08;  // of the sides
  cv::Mat lab;
  cv::cvtColor(colours_of(small), lab, cv::COLOR_RGB2Lab);
  const cv::Scalar means = cv::mean(lab, ellipse_in(lab.size(), kMiddle));
  const auto a = static_cast<float>(means[1]), b = static_cast<float>(means[2]);
  constexpr float kGrey = 128;
  if (std::hypot(a - kGrey, b - kGrey) < kLikeness) return false;
  const int width = std::max(1, cvRound(kAlongFrame * std::min(lab.cols, lab.rows)));
  int pixels = 0, alike = 0;
  for (int y = 0; y < lab.rows; ++y) {
    for (int x = 0; x < lab.cols; ++x) {
      if (std::min({x, y, lab.cols - 1 - x, lab.rows - 1 - y}) >= width) continue;
      const auto& colour = lab.at<cv::Vec3b>(y, x);
      ++pixels;
      alike += std::hypot(static_cast<float>(colour[1]) - a, static_cast<float>(colour[2]) - b) <
               kLikeness;
    }
  }
  return 2 * alike > pixels;
}

Image<std::uint8_t> refined_mask(const Photograph& photograph, const Image<std::uint8_t>& small) {
  constexpr double kBand = 1.5, kModel = 3;  // pixels of the small mask: unsure, and compared with
  constexpr int kSpeck = 5;  // pixels; of single ones on the other side, outlines would be rough
  const cv::Size size(photograph.grey.width(), photograph.grey.height());
  const double scale = static_cast<double>(size.width) / small.width();
  const double band = std::max(1.0, kBand * scale);
  cv::Mat inside;
  cv::resize(view(small) * 255, inside, size, 0, 0, cv::INTER_LINEAR);
  inside = inside > 127;
  const cv::Rect box = around(cv::boundingRect(inside), cvCeil(2 * kModel * scale), size);
  Image<std::uint8_t> mask(size.width, size.height);
  cv::Mat result = view(mask);
  cv::threshold(inside, result, 0, 1, cv::THRESH_BINARY);
  cv::Mat planes;
  colours_of(photograph)(box).convertTo(planes, CV_32F);
  const TwoSides sides(planes, inside(box), band, kModel * scale, 2 * cvCeil(2 * band) + 1);
  for (const cv::Point& p : sides.unsure()) {
    const std::optional<bool> is_leaf = sides.is_inside(planes, p);
    if (is_leaf) result.at<std::uint8_t>(p + box.tl()) = *is_leaf;
  }
  cv::medianBlur(result(box), result(box), kSpeck);
  return largest_part(mask).filled;
}

ClearestMask clearest_mask(const Photograph& photograph, const LeafCandidate& best) {
  ClearestMask clearest;
  if (best.score.clearness() >= kClear) return clearest;
  const Photograph small = cut_size(photograph);
  const LargestPart largest = best.largest ? *best.largest : largest_part(best.binary);
  Image<std::uint8_t> first(small.grey.width(), small.grey.height());
  if (!largest.filled.empty()) {
    cv::resize(view(largest.filled), view(first), view(first).size(), 0, 0, cv::INTER_NEAREST);
  }
  if (clutter_around(small, first) <= kCluttered) return clearest;
  clearest.quality = mask_quality(small, first);
  const Image<std::uint8_t>* clearer = nullptr;
  const std::vector<Image<std::uint8_t>> cuts = cut_leaves(small);
  for (const Image<std::uint8_t>& cut : cuts) {
    const double quality = mask_quality(small, cut);
    if (quality <= clearest.quality) continue;
    clearest.quality = quality;
    clearer = &cut;
  }
  if (clearer != nullptr) clearest.mask = refined_mask(photograph, *clearer);
  return clearest;
}

}  // namespace leafglyph
