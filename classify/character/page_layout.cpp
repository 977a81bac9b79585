#include "classify/character/page_layout.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numbers>
#include <numeric>
#include <opencv2/core.hpp>
#include <opencv2/imgproc.hpp>
#include <tuple>
#include <utility>

namespace leafglyph {
namespace {

// Lengths are in units of the size of characters: that of their larger parts.
constexpr double kSpeck = 0.1;        // parts that are shorter than it both ways are specks
constexpr double kRule = 6;           // parts that are longer are rules, frames, pictures
constexpr double kLargestTilt = 3.5;  // degrees
constexpr double kCoarse = 0.25, kFine = 0.05;  // steps of the tilt, in degrees
constexpr double kClearTilt = 1.2;  // times the steepness of the page as it is: short lines vary
constexpr double kSmears[] = {0.15, 0.25, 0.35, 0.5};
constexpr double kInkOfLine = 0.06;  // what the profile of a line exceeds
constexpr double kSmooth = 0.12;     // the profile is a mean over so much
constexpr double kFragment = 0.55;   // lower runs may be a part of a line,
constexpr double kWhole = 1.15;      // which is at most so high with them
constexpr double kTwoLines = 1.6;    // higher runs are two lines
constexpr double kOverlap = 0.5;     // of the shorter of two parts that are over each other
constexpr double kTooLong = 1.15;    // for one character: such pieces are divided
constexpr double kBetweenCuts = 0.2;
constexpr std::size_t kFewPieces = 3;  // fewer do not show the height of a line

double longer_side(const MaskBox& box) { return std::max(box.width(), box.height()); }

// The median of values with weights.
double weighted_median(std::vector<std::pair<double, double>> weighted) {
  std::ranges::sort(weighted);
  double all = 0, seen = 0;
  for (const auto& [value, weight] : weighted) all += weight;
  for (const auto& [value, weight] : weighted) {
    seen += weight;
    if (2 * seen >= all) return value;
  }
  return 0;
}

// Long parts weigh more, because small ones are parts of characters.
double size_of_characters(const InkParts& ink) {
  const double largest = std::max(ink.labels.width(), ink.labels.height());
  std::vector<std::pair<double, double>> sides;
  for (const InkPart& part : ink.parts) {
    const double side = longer_side(part.box);
    const bool page_wide = side > 0.5 * largest && ink.parts.size() > 8;
    if (side >= 3 && !page_wide) sides.emplace_back(side, side * side);
  }
  return weighted_median(std::move(sides));
}

std::vector<bool> parts_of_text(const InkParts& ink, double size) {
  std::vector<bool> is_text;
  for (const InkPart& part : ink.parts) {
    const double side = longer_side(part.box);
    is_text.push_back(side >= kSpeck * size && part.pixels >= 3 && side <= kRule * size);
  }
  return is_text;
}

cv::Mat mask_of(const InkParts& ink, const std::vector<bool>& is_text) {
  cv::Mat mask(ink.labels.height(), ink.labels.width(), CV_8U);
  for (int row = 0; row < mask.rows; ++row) {
    for (int column = 0; column < mask.cols; ++column) {
      const int label = ink.labels.at(row, column);
      mask.at<std::uint8_t>(row, column) =
          label > 0 && is_text[static_cast<std::size_t>(label - 1)] ? 255 : 0;
    }
  }
  return mask;
}

// How long the rows are to which smeared ink joins, across the page and down: the mean logarithm of
// their ratio, by area.
double elongation(const cv::Mat& mask, int smear) {
  cv::Mat joined_ink, labels, numbers, centroids;
  cv::morphologyEx(mask, joined_ink, cv::MORPH_CLOSE, cv::Mat::ones(smear, smear, CV_8U), {-1, -1},
                   1, cv::BORDER_CONSTANT, 0);
  const int count = cv::connectedComponentsWithStats(joined_ink, labels, numbers, centroids);
  double sum = 0, area = 0;
  for (int i = 1; i < count; ++i) {
    const auto* number = numbers.ptr<int>(i);
    const double of = number[cv::CC_STAT_AREA];
    sum +=
        of * std::log(static_cast<double>(number[cv::CC_STAT_WIDTH]) / number[cv::CC_STAT_HEIGHT]);
    area += of;
  }
  return area > 0 ? sum / area : 0;
}

TextDirection direction_of(const cv::Mat& mask, double size) {
  double most = 0;
  for (const double share : kSmears) {
    const double now = elongation(mask, 2 * static_cast<int>(std::lround(share * size / 2)) + 1);
    if (std::abs(now) > std::abs(most)) most = now;
  }
  return most >= 0 ? TextDirection::kHorizontal : TextDirection::kVertical;
}

// The steepness of the profile across lines, if the page is turned clockwise by the degrees.
double steepness(const std::vector<cv::Point>& ink, TextDirection direction, double degrees,
                 int extent) {
  const double c = std::cos(degrees * std::numbers::pi / 180),
               s = std::sin(degrees * std::numbers::pi / 180);
  std::vector<double> profile(static_cast<std::size_t>(3 * extent));
  for (const cv::Point& p : ink) {
    const double across =
        direction == TextDirection::kHorizontal ? s * p.x + c * p.y : c * p.x - s * p.y;
    ++profile[static_cast<std::size_t>(across + extent)];
  }
  double sum = 0;
  for (std::size_t i = 1; i < profile.size(); ++i) {
    sum += (profile[i] - profile[i - 1]) * (profile[i] - profile[i - 1]);
  }
  return sum;
}

double tilt_of(const cv::Mat& mask, TextDirection direction) {
  std::vector<cv::Point> ink;
  cv::findNonZero(mask, ink);
  const int extent = std::max(mask.cols, mask.rows);
  const auto best = [&](double centre, double reach, double step) {
    double steepest = -1, degrees = 0;
    const int steps = static_cast<int>(std::lround(reach / step));
    for (int k = -steps; k <= steps; ++k) {
      const double now = steepness(ink, direction, centre + k * step, extent);
      if (now > steepest) std::tie(steepest, degrees) = std::pair(now, centre + k * step);
    }
    return degrees;
  };
  const double degrees = best(best(0, kLargestTilt, kCoarse), kCoarse, kFine);
  const bool clear = steepness(ink, direction, degrees, extent) >
                     kClearTilt * steepness(ink, direction, 0, extent);
  return clear ? degrees : 0;
}

struct PlacedPart {
  std::size_t part = 0;
  TextBox box;
  int pixels = 0;
};

// The ink across the lines, a mean over a part of a character.
std::vector<double> profile_of(const cv::Mat& mask, TextDirection direction, double size) {
  cv::Mat sums;
  cv::reduce(mask, sums, direction == TextDirection::kHorizontal ? 1 : 0, cv::REDUCE_SUM, CV_64F);
  const int extent = static_cast<int>(sums.total());
  const int reach = std::max(1, static_cast<int>(std::lround(kSmooth * size / 2)));
  std::vector<double> profile(static_cast<std::size_t>(extent));
  for (int i = 0; i < extent; ++i) {
    const int place = direction == TextDirection::kHorizontal ? i : extent - 1 - i;
    double sum = 0;
    for (int k = std::max(0, place - reach); k <= std::min(extent - 1, place + reach); ++k) {
      sum += sums.at<double>(k) / 255;
    }
    profile[static_cast<std::size_t>(i)] = sum / (2 * reach + 1);
  }
  return profile;
}

int height_of(const RowSpan& run) { return run.last - run.first + 1; }

std::vector<RowSpan> runs_above(const std::vector<double>& profile, double limit) {
  std::vector<RowSpan> runs;
  for (int i = 0; i < static_cast<int>(profile.size()); ++i) {
    if (profile[static_cast<std::size_t>(i)] <= limit) continue;
    if (runs.empty() || runs.back().last < i - 1) runs.push_back({i, i});
    runs.back().last = i;
  }
  return runs;
}

// Joins the strokes of 二 and 三 where a line has nothing else.
std::vector<RowSpan> with_fragments(const std::vector<RowSpan>& runs, double size) {
  std::vector<RowSpan> joined_runs;
  for (const RowSpan& run : runs) {
    const bool fragment =
        !joined_runs.empty() &&
        std::min(height_of(run), height_of(joined_runs.back())) < kFragment * size &&
        run.last - joined_runs.back().first + 1 <= kWhole * size;
    if (fragment) {
      joined_runs.back().last = run.last;
    } else {
      joined_runs.push_back(run);
    }
  }
  return joined_runs;
}

// Divides a run at the least ink in its middle until its lines are as high as characters.
void divide(const RowSpan& run, const std::vector<double>& profile, double size,
            std::vector<RowSpan>& lines) {
  if (height_of(run) <= kTwoLines * size) {
    lines.push_back(run);
    return;
  }
  const int margin = static_cast<int>(0.6 * size);
  const auto least = std::min_element(profile.begin() + run.first + margin,
                                      profile.begin() + run.last - margin + 1);
  const int place = static_cast<int>(least - profile.begin());
  divide({run.first, place}, profile, size, lines);
  divide({place + 1, run.last}, profile, size, lines);
}

double size_in(const RowSpan& run, const std::vector<PlacedPart>& parts) {
  std::vector<std::pair<double, double>> sides;
  for (const PlacedPart& part : parts) {
    const int middle = std::midpoint(part.box.across.first, part.box.across.last);
    const double side = std::max(part.box.length(), part.box.height());
    if (middle >= run.first && middle <= run.last) sides.emplace_back(side, side * side);
  }
  return weighted_median(std::move(sides));
}

// A run of one line is as high as its characters; parts of tilted or warped lines may stick out.
double height_in(const RowSpan& run, double size) {
  return std::clamp<double>(height_of(run), size, 1.25 * size);
}

bool over_each_other(const RowSpan& a, const RowSpan& b) {
  const int common = std::min(a.last, b.last) - std::max(a.first, b.first) + 1;
  return common > kOverlap * std::min(height_of(a), height_of(b));
}

std::vector<TextPiece> pieces_of(std::vector<PlacedPart> parts) {
  std::ranges::sort(
      parts, {}, [](const PlacedPart& part) { return std::pair(part.box.along.first, part.part); });
  std::vector<TextPiece> pieces;
  for (const PlacedPart& part : parts) {
    TextPiece now{part.box, {part.part}, false};
    while (!pieces.empty() && over_each_other(pieces.back().box.along, now.box.along)) {
      now.box = joined(now.box, pieces.back().box);
      now.parts.insert(now.parts.end(), pieces.back().parts.begin(), pieces.back().parts.end());
      pieces.pop_back();
    }
    std::ranges::sort(now.parts);
    pieces.push_back(std::move(now));
  }
  return pieces;
}

// The ink of a piece along the line, and its box within a range of it.
class PieceInk {
 public:
  PieceInk(const TextPiece& piece, const InkParts& ink, TextDirection direction)
      : piece_(piece), first_(piece.box.along.first) {
    const int width = ink.labels.width();
    const MaskBox box = mask_box(piece.box, direction, width);
    counts_.resize(static_cast<std::size_t>(piece.box.length()));
    across_.resize(counts_.size(), {piece.box.across.last, piece.box.across.first});
    for (int row = box.top; row <= box.bottom; ++row) {
      for (int column = box.left; column <= box.right; ++column) {
        const int label = ink.labels.at(row, column);
        if (label == 0 ||
            !std::ranges::binary_search(piece.parts, static_cast<std::size_t>(label - 1))) {
          continue;
        }
        const TextBox place = text_box({column, row, column, row}, direction, width);
        const auto i = static_cast<std::size_t>(place.along.first - first_);
        ++counts_[i];
        across_[i].first = std::min(across_[i].first, place.across.first);
        across_[i].last = std::max(across_[i].last, place.across.last);
      }
    }
  }

  // Minima, the deepest first, no two of which are closer than the distance.
  std::vector<int> minima(double distance) const {
    std::vector<int> places(counts_.size()), kept;
    std::iota(places.begin(), places.end(), 0);
    std::ranges::stable_sort(places, {},
                             [&](int i) { return counts_[static_cast<std::size_t>(i)]; });
    const int end = static_cast<int>(counts_.size());
    for (const int place : places) {
      const bool far =
          place >= distance && place <= end - distance &&
          std::ranges::all_of(kept, [&](int other) { return std::abs(other - place) >= distance; });
      if (far) kept.push_back(place);
    }
    std::ranges::sort(kept);
    return kept;
  }

  // The pixels from one place to before another.
  TextPiece between(int from, int to) const {
    TextPiece result{
        {{first_ + from, first_ + to - 1}, {piece_.box.across.last, piece_.box.across.first}},
        piece_.parts,
        true};
    for (int i = from; i < to; ++i) {
      const RowSpan& here = across_[static_cast<std::size_t>(i)];
      result.box.across.first = std::min(result.box.across.first, here.first);
      result.box.across.last = std::max(result.box.across.last, here.last);
    }
    return result;
  }

 private:
  const TextPiece& piece_;
  int first_;
  std::vector<int> counts_;
  std::vector<RowSpan> across_;
};

std::vector<TextPiece> divided(const TextPiece& piece, double height, const InkParts& ink,
                               TextDirection direction) {
  const bool is_dash = piece.box.height() < kBetweenCuts * height;
  if (piece.box.length() <= kTooLong * height || is_dash) return {piece};
  const PieceInk in_piece(piece, ink, direction);
  std::vector<int> places = {0};
  for (const int place : in_piece.minima(kBetweenCuts * height)) places.push_back(place);
  places.push_back(piece.box.length());
  std::vector<TextPiece> pieces;
  for (std::size_t i = 1; i < places.size(); ++i) {
    pieces.push_back(in_piece.between(places[i - 1], places[i]));
  }
  return pieces;
}

std::vector<RowSpan> runs_of(const cv::Mat& mask, TextDirection direction, double size,
                             const std::vector<PlacedPart>& parts) {
  const std::vector<double> profile = profile_of(mask, direction, size);
  std::vector<RowSpan> lines;
  for (const RowSpan& run : with_fragments(runs_above(profile, kInkOfLine * size), size)) {
    const double here = size_in(run, parts);
    if (here > 0) divide(run, profile, std::max(here, 0.5 * size), lines);
  }
  return lines;
}

// The run that has a part's middle, or the nearest.
std::size_t run_of(const TextBox& box, const std::vector<RowSpan>& runs) {
  const int middle = std::midpoint(box.across.first, box.across.last);
  const auto distance = [&](const RowSpan& run) {
    return std::max({run.first - middle, middle - run.last, 0});
  };
  return static_cast<std::size_t>(std::ranges::min_element(runs, {}, distance) - runs.begin());
}

}  // namespace

TextBox joined(const TextBox& a, const TextBox& b) {
  const auto both = [](const RowSpan& s, const RowSpan& t) {
    return RowSpan{std::min(s.first, t.first), std::max(s.last, t.last)};
  };
  return {both(a.along, b.along), both(a.across, b.across)};
}

TextBox text_box(const MaskBox& box, TextDirection direction, int width) {
  if (direction == TextDirection::kHorizontal) {
    return {{box.left, box.right}, {box.top, box.bottom}};
  }
  return {{box.top, box.bottom}, {width - 1 - box.right, width - 1 - box.left}};
}

MaskBox mask_box(const TextBox& box, TextDirection direction, int width) {
  if (direction == TextDirection::kHorizontal) {
    return {box.along.first, box.across.first, box.along.last, box.across.last};
  }
  return {width - 1 - box.across.last, box.along.first, width - 1 - box.across.first,
          box.along.last};
}

PageLayout layout_of(const Image<float>& ink, std::optional<TextDirection> direction) {
  PageLayout layout;
  layout.page = {ink, 0, ink.width(), ink.height()};
  layout.ink = ink_parts(ink);
  double size = size_of_characters(layout.ink);
  if (size == 0) return layout;
  cv::Mat mask = mask_of(layout.ink, parts_of_text(layout.ink, size));
  layout.direction = direction.value_or(direction_of(mask, size));
  const double tilt = tilt_of(mask, layout.direction);
  if (tilt != 0) {
    layout.page = turned(ink, tilt);
    layout.ink = ink_parts(layout.page.ink);
    size = size_of_characters(layout.ink);
  }
  const std::vector<bool> is_text = parts_of_text(layout.ink, size);
  mask = mask_of(layout.ink, is_text);
  std::vector<PlacedPart> parts;
  for (std::size_t i = 0; i < is_text.size(); ++i) {
    const InkPart& part = layout.ink.parts[i];
    if (!is_text[i]) continue;
    parts.push_back({i, text_box(part.box, layout.direction, mask.cols), part.pixels});
  }
  const std::vector<RowSpan> runs = runs_of(mask, layout.direction, size, parts);
  std::vector<std::vector<PlacedPart>> of_run(runs.size());
  for (const PlacedPart& part : parts) {
    if (!runs.empty()) of_run[run_of(part.box, runs)].push_back(part);
  }
  for (std::size_t r = 0; r < runs.size(); ++r) {
    if (of_run[r].empty()) continue;
    TextLine& line = layout.lines.emplace_back();
    line.height = height_in(runs[r], size_in(runs[r], of_run[r]));
    for (const TextPiece& piece : pieces_of(std::move(of_run[r]))) {
      for (TextPiece& cut : divided(piece, line.height, layout.ink, layout.direction)) {
        line.pieces.push_back(std::move(cut));
      }
    }
    if (line.pieces.size() < kFewPieces) line.height = std::max(line.height, size);
  }
  return layout;
}

}  // namespace leafglyph
