#include "features/leaf/touching_leaves.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <functional>
#include <opencv2/imgproc.hpp>

#include "features/leaf/mat_view.h"

namespace leafglyph {
namespace {

// Sizes below are in pixels of the part reduced to this longer side, at most.
constexpr double kReducedSide = 96;
constexpr double kLeastDivided = 100;
constexpr std::size_t kOutlinePoints = 120;  // of the outline, about
// Lengths as shares of the root of the part's area.
constexpr double kDent = 0.03, kLongestChord = 1.2, kNearChord = 0.12;
constexpr std::size_t kMostDents = 12, kMostChords = 24;
// A smaller piece is a lobe or a stalk.
constexpr double kLeastPiece = 0.15;

using Points = std::vector<cv::Point>;

/// A chord between two points of the outline.
struct Chord {
  std::size_t from = 0, to = 0;
  double length = 0;  ///< / the root of the smaller piece's area
  double gain = 0;    ///< solidity of the pieces together, minus that of the part
  double worst = 0;   ///< the lower solidity of a piece
  double rank = 0;
};

double area_of_hull(const Points& points) {
  Points hull;
  cv::convexHull(points, hull);
  return cv::contourArea(hull);
}

Points reduced_outline(const Points& outline, cv::Point corner, double factor) {
  Points all, result;
  for (const cv::Point& p : outline) {
    const cv::Point q(cvRound(factor * (p.x - corner.x)), cvRound(factor * (p.y - corner.y)));
    if (all.empty() || q != all.back()) all.push_back(q);
  }
  const std::size_t step = std::max<std::size_t>(1, all.size() / kOutlinePoints);
  for (std::size_t i = 0; i < all.size(); i += step) result.push_back(all[i]);
  return result;
}

// The points from one to another, both included.
Points piece_between(const Points& outline, std::size_t from, std::size_t to) {
  Points points;
  for (std::size_t i = from; i != to; i = (i + 1) % outline.size()) points.push_back(outline[i]);
  points.push_back(outline[to]);
  return points;
}

// The points farthest inside the convex hull, deepest first.
std::vector<std::size_t> dents_of(const Points& outline, double size) {
  std::vector<int> hull;
  cv::convexHull(outline, hull);
  std::ranges::sort(hull);  // where the outline touches itself, OpenCV may return another order
  std::vector<cv::Vec4i> defects;
  if (hull.size() >= 3) cv::convexityDefects(outline, hull, defects);
  std::ranges::sort(defects, std::ranges::greater(),
                    [](const cv::Vec4i& defect) { return defect[3]; });
  std::vector<std::size_t> dents;
  for (const cv::Vec4i& defect : defects) {
    const double depth = defect[3] / 256.0;  // OpenCV's fixed point
    if (depth < kDent * size || dents.size() == kMostDents) break;
    dents.push_back(static_cast<std::size_t>(defect[2]));
  }
  return dents;
}

// The chords from dents that divide the part best by shape, without near duplicates.
std::vector<Chord> chords_of(const Points& outline, double area) {
  constexpr std::size_t kApart = 5;       // points
  constexpr double kOutside = 0.03;       // of the area: a chord that leaves the part
  constexpr double kLengthWeight = 0.15;  // against solidity
  const double size = std::sqrt(area), whole = area / std::max(area, area_of_hull(outline));
  const std::size_t count = outline.size();
  std::vector<Chord> all;
  for (const std::size_t from : dents_of(outline, size)) {
    for (std::size_t to = 0; to < count; ++to) {
      const double length = cv::norm(outline[from] - outline[to]);
      if (length > kLongestChord * size) continue;
      if ((to + count - from) % count < kApart || (from + count - to) % count < kApart) continue;
      const Points one = piece_between(outline, from, to), other = piece_between(outline, to, from);
      const double area1 = cv::contourArea(one), area2 = cv::contourArea(other);
      const double smaller = std::min(area1, area2);
      if (smaller < kLeastPiece * area) continue;
      if (std::abs(area1 + area2 - area) > kOutside * area) continue;
      const double hull1 = area_of_hull(one), hull2 = area_of_hull(other);
      const double pieces = area / std::max(area, hull1 + hull2);
      all.push_back({from, to, length / std::sqrt(smaller), pieces - whole,
                     std::min(area1 / hull1, area2 / hull2),
                     pieces - kLengthWeight * length / size});
    }
  }
  std::ranges::stable_sort(all, std::ranges::greater(), &Chord::rank);
  const auto near = [&](std::size_t a, std::size_t b) {
    return cv::norm(outline[a] - outline[b]) < kNearChord * size;
  };
  std::vector<Chord> kept;
  for (const Chord& chord : all) {
    if (kept.size() == kMostChords) break;
    const bool is_new = std::ranges::none_of(kept, [&](const Chord& other) {
      return (near(chord.from, other.from) && near(chord.to, other.to)) ||
             (near(chord.from, other.to) && near(chord.to, other.from));
    });
    if (is_new) kept.push_back(chord);
  }
  return kept;
}

// The logarithms of the colours in a box, or of the grey values, at the reduced size.
cv::Mat reduced_logarithms(const Photograph& photograph, const cv::Rect& box, double factor) {
  constexpr double kPieceBlack = 8;  // so that noise in dark areas makes no difference
  const Image<std::uint8_t>& grey = photograph.grey;
  cv::Mat colours = view(grey);
  if (photograph.has_colour()) {
    colours = cv::Mat(grey.height(), grey.width(), CV_8UC3,
                      const_cast<std::uint8_t*>(photograph.colour.data()));
  }
  cv::Mat result;
  cv::resize(colours(box), result, {}, factor, factor, cv::INTER_AREA);
  result.convertTo(result, CV_32F, 1, kPieceBlack);
  cv::log(result, result);
  return result;
}

/// How much the colours of two pieces differ: their means, and these as multiples of the spread
/// inside the pieces.
struct ColourContrast {
  double means = 0, spreads = 0;
};

ColourContrast colour_contrast(const cv::Mat& logs, const cv::Mat& core, const Points& one,
                               const Points& other) {
  constexpr int kLeastPixels = 20;
  constexpr double kLeastSpread = 0.05;  // even leaves of slightly different colours may be one
  std::array<cv::Scalar, 2> mean, spread;
  for (std::size_t k = 0; k < 2; ++k) {
    cv::Mat mask(logs.size(), CV_8U, cv::Scalar(0));
    cv::drawContours(mask, std::vector<Points>{k == 0 ? one : other}, 0, cv::Scalar(1), cv::FILLED);
    mask &= core;
    if (cv::countNonZero(mask) < kLeastPixels) return {};
    cv::meanStdDev(logs, mean[k], spread[k], mask);
  }
  double apart = 0, within = 0;
  for (int c = 0; c < logs.channels(); ++c) {
    apart += std::pow(mean[0][c] - mean[1][c], 2);
    within += (spread[0][c] * spread[0][c] + spread[1][c] * spread[1][c]) / 2;
  }
  const double means = std::sqrt(apart);
  return {means, means / (std::sqrt(within) + kLeastSpread)};
}

// For several leaves instead of one; fitted to composed pairs and to single leaves of five sets.
double evidence(const Chord& chord, const ColourContrast& contrast) {
  constexpr double kGain = 21, kWorst = 3, kMeans = 6, kSpreads = 1.2, kShort = 1.8;
  return kGain * chord.gain + kWorst * chord.worst + kMeans * std::min(contrast.means, 1.0) +
         kSpreads * std::min(contrast.spreads, 3.0) * std::max(0.0, kShort - chord.length);
}
constexpr double kEnough = 8;

}  // namespace

bool are_several_leaves(const std::vector<cv::Point>& outline, const Photograph& photograph) {
  const cv::Rect box = cv::boundingRect(outline);
  const double factor = std::min(1.0, kReducedSide / std::max(box.width, box.height));
  const Points points = reduced_outline(outline, box.tl(), factor);
  const double area = points.size() < 3 ? 0 : cv::contourArea(points);
  if (area < kLeastDivided) return false;
  const std::vector<Chord> chords = chords_of(points, area);
  if (chords.empty()) return false;
  const cv::Mat logs = reduced_logarithms(photograph, box, factor);
  cv::Mat inside(logs.size(), CV_8U, cv::Scalar(0)), core;
  cv::drawContours(inside, std::vector<Points>{points}, 0, cv::Scalar(1), cv::FILLED);
  cv::erode(inside, core, cv::getStructuringElement(cv::MORPH_ELLIPSE, {5, 5}), {-1, -1}, 1,
            cv::BORDER_CONSTANT, cv::Scalar(0));
  return std::ranges::any_of(chords, [&](const Chord& chord) {
    const ColourContrast contrast =
        colour_contrast(logs, core, piece_between(points, chord.from, chord.to),
                        piece_between(points, chord.to, chord.from));
    return evidence(chord, contrast) > kEnough;
  });
}

}  // namespace leafglyph
