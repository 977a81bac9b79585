#include "features/leaf/sheet_foreground.h"
#include "features/leaf/hanging_leaflets.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <opencv2/core.hpp>
#include <opencv2/imgproc.hpp>
#include <utility>

#include "features/image/resample.h"
#include "features/leaf/leaf_candidates.h"
#include "features/leaf/mat_view.h"
#include "features/leaf/outline_score.h"
#include "features/leaf/paper_light.h"

namespace leafglyph {
namespace {

// Added before taking logarithms, so that noise in dark areas makes no difference.
constexpr float kSheetBlack = 8;
// Shadows are darker than the background by less than this (of a logarithm), in all colours alike;
// its own texture is lighter by less.
constexpr float kSheetShadow = 0.2F, kTexture = 0.1F;
// How much more a difference in colour counts than one in brightness.
constexpr float kColourWeight = 2;
// A part has a pixel that differs by kStrong; all its pixels differ by kWeak.
constexpr float kWeak = 0.07F, kStrong = 0.3F;
// On a sheet a leaf has at least this share of the largest leaf's area, and this many pixels.
constexpr double kSmallLeafShare = 0.02;
constexpr double kLeastPixels = 250;
// If the foreground covers a larger share of the frame than this, it is the background.
constexpr double kMostBorder = 0.35;

using Planes = std::vector<Image<std::uint8_t>>;

Planes planes_of(const Photograph& photograph) {
  if (!photograph.has_colour()) return {photograph.grey};
  const int width = photograph.grey.width(), height = photograph.grey.height();
  Planes planes(3, Image<std::uint8_t>(width, height));
  for (std::size_t i = 0; i < photograph.grey.size(); ++i) {
    for (std::size_t c = 0; c < 3; ++c) planes[c].data()[i] = photograph.colour[3 * i + c];
  }
  return planes;
}

cv::Mat shifted_logarithm(const cv::Mat& values) {
  cv::Mat result = values + kSheetBlack;
  cv::log(result, result);
  return result;
}

// How far each pixel differs from the background, in logarithms; 0 for shadows.
cv::Mat difference_from(const Planes& planes, const std::vector<Image<float>>& light) {
  constexpr double kSmooth = 0.8;
  const cv::Size size(planes[0].width(), planes[0].height());
  cv::Mat sum(size, CV_32F, cv::Scalar(0)), squares = sum.clone();
  for (std::size_t c = 0; c < planes.size(); ++c) {
    cv::Mat smooth;
    cv::GaussianBlur(as_float(view(planes[c])), smooth, {0, 0}, kSmooth);
    const cv::Mat background(size, CV_32F, const_cast<float*>(light[c].data()));
    const cv::Mat off = shifted_logarithm(smooth) - shifted_logarithm(background);
    sum += off;
    squares += off.mul(off);
  }
  const auto count = static_cast<float>(planes.size());
  for (int row = 0; row < size.height; ++row) {
    auto* d = sum.ptr<float>(row);
    const auto* square = squares.ptr<float>(row);
    for (int column = 0; column < size.width; ++column) {
      const float neutral = d[column] / count;
      const float colour = std::max(0.0F, square[column] - count * neutral * neutral);
      const float beyond = std::max({0.0F, -neutral - kSheetShadow, neutral - kTexture});
      d[column] = std::sqrt(kColourWeight * kColourWeight * colour + beyond * beyond);
    }
  }
  return sum;
}

/// A photograph's colours and its background's.
struct LitPlanes {
  Planes planes;
  std::vector<Image<float>> light;
  cv::Mat strong;  ///< not 0 where a pixel differs by kStrong; of the last foreground

  explicit LitPlanes(const Photograph& photograph) : planes(planes_of(photograph)) {
    for (const Image<std::uint8_t>& plane : planes) light.push_back(light_of_most(plane));
  }
  // The parts that differ weakly everywhere and strongly somewhere.
  Image<std::uint8_t> foreground() {
    const cv::Mat different = difference_from(planes, light);
    strong = different > kStrong;
    Image<std::uint8_t> mask(different.cols, different.rows);
    view(mask).setTo(cv::Scalar(1), connected_to(strong, different > kWeak));
    return mask;
  }
  void level_around(const Image<std::uint8_t>& foreground) {
    for (std::size_t c = 0; c < planes.size(); ++c) light[c] = light_around(planes[c], foreground);
  }
};

cv::Rect window_around(const cv::Mat& own) {
  const cv::Rect box = cv::boundingRect(own);
  const int margin = 8 + std::max(box.width, box.height) / 8;
  return cv::Rect(box.x - margin, box.y - margin, box.width + 2 * margin, box.height + 2 * margin) &
         cv::Rect({0, 0}, own.size());
}

// The window of a part as a photograph of it alone: the other parts are painted over with the
// background.
Photograph alone_in(const cv::Rect& window, const cv::Mat& others, const LitPlanes& lit) {
  const Planes& planes = lit.planes;
  const std::vector<Image<float>>& light = lit.light;
  std::vector<cv::Mat> painted;
  for (std::size_t c = 0; c < planes.size(); ++c) {
    const cv::Mat background(planes[c].height(), planes[c].width(), CV_32F,
                             const_cast<float*>(light[c].data()));
    cv::Mat bare;
    background(window).convertTo(bare, CV_8U);
    painted.push_back(view(planes[c])(window).clone());
    bare.copyTo(painted.back(), others);
  }
  if (painted.size() == 1) {
    Image<std::uint8_t> grey(window.width, window.height);
    painted[0].copyTo(view(grey));
    return Photograph{std::move(grey)};
  }
  cv::Mat colours;
  cv::merge(painted, colours);
  return colour_photograph(window.width, window.height,
                           {colours.data, colours.data + 3 * colours.total()});
}

// The leaf on a photograph of it alone, without holes, where it is `near`: all pieces but dust,
// because thin stalks break.
cv::Mat leaf_alone_in(const Photograph& photograph, const cv::Mat& near, Background background) {
  constexpr double kDust = 0.01;  // of the largest piece
  LeafCandidate candidate = best_candidate(photograph, background);
  cv::bitwise_and(view(candidate.binary), near, view(candidate.binary));
  const ForegroundParts pieces = foreground_parts(candidate.binary);
  cv::Mat leaf(near.size(), CV_8U, cv::Scalar(0));
  for (std::size_t i = 0; i < pieces.outlines.size(); ++i) {
    if (pieces.areas[i] < kDust * pieces.areas[pieces.largest]) continue;
    cv::drawContours(leaf, pieces.outlines, static_cast<int>(i), cv::Scalar(1), cv::FILLED);
  }
  return leaf;
}

// Whether the leaf `found` in the window is the part `own`: it has nearly the same pixels, or
// nearly all of those that differ strongly, which then are most of it. The others are its blurred
// outline, which is much of a thin leaf, and shades of the background.
bool is_same_leaf(const cv::Mat& found, const cv::Mat& own, const cv::Mat& strong) {
  constexpr double kSame = 0.8;  // intersection over union
  constexpr double kNearlyAll = 0.9, kMost = 0.5;
  if (cv::countNonZero(found & own) >= kSame * cv::countNonZero(found | own)) return true;
  const cv::Mat core = own & strong;
  const double kept = cv::countNonZero(found & core);
  return kept >= kNearlyAll * cv::countNonZero(core) && kept >= kMost * cv::countNonZero(found);
}

// Segments a leaf again in its own window, as on a photograph of it alone, and keeps it as it was
// if the result is another one.
Image<std::uint8_t> segmented_alone(const PhotographPart& part, const Sheet& sheet,
                                    const LitPlanes& lit, Background background) {
  constexpr int kReach = 7;  // pixels: more than a blurred outline
  Image<std::uint8_t> result(sheet.mask.width(), sheet.mask.height());
  cv::Mat whole = view(result);
  for (const std::size_t outline : part.outlines) {
    cv::drawContours(whole, sheet.parts.outlines, static_cast<int>(outline), cv::Scalar(1),
                     cv::FILLED);
  }
  const cv::Rect window = window_around(whole);
  cv::Mat own = whole(window), near, others;
  const cv::Mat around = cv::Mat::ones(kReach, kReach, CV_8U);
  cv::dilate(own, near, around);
  cv::dilate(view(sheet.mask)(window) & (own == 0), others, around);
  others &= near == 0;
  const cv::Mat leaf = leaf_alone_in(alone_in(window, others, lit), near, background);
  if (is_same_leaf(leaf, own, lit.strong(window))) leaf.copyTo(own);
  return result;
}

// Whether the outline of its own mask shows that a part is not a leaf.
void judge_again(PhotographPart& part) {
  ForegroundParts parts = foreground_parts(part.mask);
  if (parts.outlines.size() == 1) {
    part.reason = why_not_a_leaf(parts, 0, view(part.mask), /*is_on_sheet=*/true);
    if (!part.reason.empty()) part.state = PartState::kNotALeaf;
  }
  part.mask_outlines = std::move(parts.outlines);
}

bool is_on(Background background, const Image<std::uint8_t>& grey,
           const Image<std::uint8_t>& mask) {
  if (background == Background::kAuto) return true;
  const bool is_light =
      cv::mean(view(grey), view(mask) == 0)[0] > cv::mean(view(grey), view(mask))[0];
  return is_light == (background == Background::kLight);
}

bool has_leaf(const std::vector<PhotographPart>& parts) {
  return std::ranges::any_of(
      parts, [](const PhotographPart& part) { return part.state != PartState::kNotALeaf; });
}

// The parts of the mask, if there are several.
bool has_parts(Sheet& sheet, const Image<std::uint8_t>& grey, double least_share,
               double least_pixels, Leaflets leaflets) {
  sheet.parts = foreground_parts(sheet.mask);
  if (sheet.parts.outlines.size() < 2) return false;
  sheet.found = photograph_parts(sheet.parts, view(sheet.mask), leaflets != Leaflets::kNone,
                                 {least_share, /*is_on_sheet=*/true});
  if (leaflets == Leaflets::kHanging) {
    const cv::Mat values = view(grey), mask = view(sheet.mask);
    join_hanging_leaflets(sheet.parts, sheet.found, grey,
                          cv::mean(values, mask == 0)[0] - cv::mean(values, mask)[0]);
  }
  std::erase_if(sheet.found, [&](const PhotographPart& part) {
    return sheet.parts.areas[part.outlines.front()] < least_pixels;
  });
  return has_leaf(sheet.found) && sheet.found.size() > 1;
}

std::optional<Sheet> sheet_in(const Photograph& photograph, LitPlanes& lit, double least_share,
                              double least_pixels, Leaflets leaflets) {
  Sheet sheet;
  lit.level_around(lit.foreground());
  sheet.mask = lit.foreground();
  if (border_share(sheet.mask) > kMostBorder) return std::nullopt;
  if (!has_parts(sheet, photograph.grey, least_share, least_pixels, leaflets)) return std::nullopt;
  return sheet;
}

}  // namespace

std::optional<Sheet> find_sheet(const Photograph& photograph, Background background,
                                Leaflets leaflets) {
  const int width = photograph.grey.width(), height = photograph.grey.height();
  const int reduction = power_of_two_reduction(std::max(width, height), kCandidateSide);
  if (reduction > 1) {
    const Photograph small = resized(photograph, (width + reduction - 1) / reduction,
                                     (height + reduction - 1) / reduction);
    LitPlanes lit(small);
    if (!sheet_in(small, lit, kOtherLeafShare, kLeastPixels / (reduction * reduction), leaflets)) {
      return std::nullopt;
    }
  }
  LitPlanes lit(photograph);
  std::optional<Sheet> sheet = sheet_in(photograph, lit, kSmallLeafShare, kLeastPixels, leaflets);
  if (!sheet || !is_on(background, photograph.grey, sheet->mask)) return std::nullopt;
  for (PhotographPart& part : sheet->found) {
    if (part.state == PartState::kNotALeaf) continue;
    part.mask = segmented_alone(part, *sheet, lit, background);
    judge_again(part);
  }
  return has_leaf(sheet->found) ? std::move(sheet) : std::nullopt;
}

}  // namespace leafglyph
