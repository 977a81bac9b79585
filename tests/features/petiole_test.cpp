// Cutting the stalk off a leaf: the stalk goes and the blade stays.
#include "features/leaf/petiole.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <opencv2/imgproc.hpp>
#include <random>
#include <vector>

#include "features/base/errors.h"
#include "features/leaf/mat_view.h"
#include "features/leaf/preprocess.h"

namespace leafglyph {
namespace {

constexpr int kSide = 600;
constexpr double kStalkMiddle = 0.5 * kSide;

using LeafMask = Image<std::uint8_t>;

cv::Point2d along(double angle, double reach) {
  return {kStalkMiddle + reach * std::cos(angle), kStalkMiddle + reach * std::sin(angle)};
}

void draw_polygon(LeafMask& mask, const std::vector<cv::Point2d>& corners) {
  std::vector<cv::Point> points;
  points.reserve(corners.size());
  for (const cv::Point2d& corner : corners) {
    points.emplace_back(static_cast<int>(std::lround(corner.x)),
                        static_cast<int>(std::lround(corner.y)));
  }
  cv::fillPoly(view(mask), std::vector<std::vector<cv::Point>>{points}, cv::Scalar(1));
}

// Two arcs that meet in tips 2 * kReach apart; the base lies in direction `angle`.
constexpr double kReach = 150;
LeafMask blade(double angle) {
  LeafMask mask(kSide, kSide);
  std::vector<cv::Point2d> corners;
  const auto side = [&](double sign, double from, double step) {
    for (double t = from; std::abs(t) <= 1.0; t += step) {
      const double across = sign * 80 * (1 - t * t);
      corners.push_back(along(angle, kReach * t) +
                        cv::Point2d(-across * std::sin(angle), across * std::cos(angle)));
    }
  };
  side(1, -1, 0.02);
  side(-1, 1, -0.02);
  draw_polygon(mask, corners);
  return mask;
}

double disc_of(const LeafMask& leaf) {
  const double area = cv::countNonZero(view(leaf));
  return kPetioleDisc * 2 * std::sqrt(area / std::numbers::pi);
}

void draw_line(LeafMask& mask, cv::Point2d from, cv::Point2d to, int width) {
  cv::line(view(mask), from, to, cv::Scalar(1), width);
}

// Both masks are equal except within `band` of a point.
void expect_equal_beyond(const LeafMask& a, const LeafMask& b, cv::Point2d point, double band,
                         const char* what, double angle) {
  int differ = 0;
  for (int row = 0; row < a.height(); ++row) {
    for (int column = 0; column < a.width(); ++column) {
      const bool far = std::hypot(column - point.x, row - point.y) > band;
      differ += far && a.at(row, column) != b.at(row, column);
    }
  }
  EXPECT_EQ(differ, 0) << what << ", angle " << angle;
}

// oracle: stalks of several lengths and widths in every direction are cut, and every pixel of the
// blade stays except where the two meet. The limit is where the blade is as wide as the disc, which
// for a blade of this shape is two disc widths before the tip.
TEST(Petiole, StalkGoesAndBladeStays) {
  for (int turn = 0; turn < 12; ++turn) {
    const double angle = turn * std::numbers::pi / 6 + 0.1;
    for (const auto& [length, width] : {std::pair{60, 6}, {100, 5}, {110, 9}}) {
      const LeafMask without = blade(angle);
      LeafMask leaf = without;
      draw_line(leaf, along(angle, kReach - 10), along(angle, kReach + length), width);
      const double share =
          1 - cv::countNonZero(view(without)) / static_cast<double>(cv::countNonZero(view(leaf)));
      const double cut = cut_petiole(leaf, 1);
      expect_equal_beyond(leaf, without, along(angle, kReach), 2 * disc_of(without), "stalk",
                          angle);
      EXPECT_NEAR(cut, share, 0.01) << angle;
    }
  }
}

// invariant: nothing is cut from leaves without a stalk: with two tips, a toothed edge, narrowing
// lobes, or a needle.
TEST(Petiole, LeavesWithoutStalkStayAsTheyAre) {
  std::vector<LeafMask> leaves;
  leaves.reserve(16);
  for (int turn = 0; turn < 12; ++turn) leaves.push_back(blade(turn * std::numbers::pi / 6));
  for (const auto& [points, inner] : {std::pair{40, 0.9}, {5, 0.4}, {7, 0.5}}) {
    std::vector<cv::Point2d> corners;
    corners.reserve(2 * static_cast<std::size_t>(points));
    for (int i = 0; i < 2 * points; ++i) {
      corners.push_back(along(std::numbers::pi * i / points, i % 2 == 0 ? 200 : 200 * inner));
    }
    draw_polygon(leaves.emplace_back(kSide, kSide), corners);
  }
  draw_line(leaves.emplace_back(kSide, kSide), along(0.5, -200), along(0.5, 200), 8);
  for (std::size_t i = 0; i < leaves.size(); ++i) {
    LeafMask mask = leaves[i];
    EXPECT_EQ(cut_petiole(mask, 1), 0) << i;
    EXPECT_TRUE(std::ranges::equal(mask.pixels(), leaves[i].pixels())) << i;
  }
}

// invariant: a stalk with a thick end is cut with it; a bridge between two blades is not a stalk.
TEST(Petiole, KnowsWhatHangsOnAStalk) {
  const LeafMask without = blade(0);
  LeafMask clubbed = without;
  draw_line(clubbed, along(0, kReach - 10), along(0, kReach + 80), 6);
  cv::circle(view(clubbed), along(0, kReach + 85), 9, cv::Scalar(1), cv::FILLED);
  EXPECT_GT(cut_petiole(clubbed, 1), 0);
  expect_equal_beyond(clubbed, without, along(0, kReach), 2 * disc_of(without), "clubbed", 0);

  LeafMask pair(kSide, kSide);
  cv::circle(view(pair), cv::Point(150, 300), 90, cv::Scalar(1), cv::FILLED);
  cv::circle(view(pair), cv::Point(450, 300), 60, cv::Scalar(1), cv::FILLED);
  draw_line(pair, {150, 300}, {450, 300}, 6);
  const LeafMask before = pair;
  EXPECT_EQ(cut_petiole(pair, 1), 0);
  EXPECT_TRUE(std::ranges::equal(pair.pixels(), before.pixels()));
}

// agreement: a squeezed photograph loses the same stalk as in its own shape; a pixel of the
// squeezed one is as wide as two.
TEST(Petiole, PixelsMayBeWiderThanHigh) {
  LeafMask leaf = blade(0.4);
  draw_line(leaf, along(0.4, kReach - 10), along(0.4, kReach + 100), 8);
  LeafMask squeezed(kSide / 2, kSide);
  cv::resize(view(leaf), view(squeezed), cv::Size(kSide / 2, kSide), 0, 0, cv::INTER_NEAREST);
  const double whole = cut_petiole(leaf, 1), half = cut_petiole(squeezed, 2);
  EXPECT_GT(whole, 0);
  // One row of pixels more or less where the stalk is cut from the blade.
  EXPECT_NEAR(half, whole, 0.003);
  // A disc in squeezed pixels would be a different one: the blade is half as wide along the rows.
  LeafMask thin(kSide / 2, kSide);
  cv::resize(view(blade(0.4)), view(thin), cv::Size(kSide / 2, kSide), 0, 0, cv::INTER_NEAREST);
  EXPECT_EQ(cut_petiole(thin, 2), 0);
}

// invariant: on a photograph squeezed from 4:3 no pixel of a stalk remains far from the blade, in
// any direction.
TEST(Petiole, NoEdgeOfTheStalkStaysOnSqueezedPhotographs) {
  for (int i = 0; i < 12; ++i) {
    const double angle = 2 * std::numbers::pi * i / 12 + 0.1;
    LeafMask leaf = blade(angle);
    draw_line(leaf, along(angle, kReach - 10), along(angle, kReach + 120), 8);
    const double far = kReach + 2 * disc_of(leaf);
    LeafMask squeezed(kSide * 3 / 4, kSide);
    cv::resize(view(leaf), view(squeezed), cv::Size(squeezed.width(), kSide), 0, 0,
               cv::INTER_NEAREST);
    EXPECT_GT(cut_petiole(squeezed, 4.0 / 3), 0) << angle;
    int left = 0;
    for (int row = 0; row < squeezed.height(); ++row) {
      for (int column = 0; column < squeezed.width(); ++column) {
        const double x = (column + 0.5) * 4 / 3 - kStalkMiddle, y = row + 0.5 - kStalkMiddle;
        left += squeezed.at(row, column) != 0 && std::hypot(x, y) > far;
      }
    }
    EXPECT_EQ(left, 0) << angle;
  }
}

// invariant: for any mask and any pixel shape, the blade is part of the mask, and the reported
// share is gone. Random masks, seeds from 1; empty, full, one pixel.
TEST(Petiole, TakesAwayWhatItSays) {
  std::vector<LeafMask> masks(3, LeafMask(40, 30));
  std::ranges::fill(masks[1].pixels(), std::uint8_t{1});
  masks[2].at(7, 5) = 1;
  for (unsigned seed = 1; seed <= 30; ++seed) {
    std::mt19937 random(seed);
    LeafMask& mask = masks.emplace_back(80, 60);
    for (int i = 0; i < 6; ++i) {
      const auto below = [&](unsigned end) { return static_cast<int>(random() % end); };
      const cv::Point from(below(80), below(60)), to(below(80), below(60));
      draw_line(mask, from, to, 1 + below(20));
    }
  }
  double most = 0;
  for (std::size_t i = 0; i < masks.size(); ++i) {
    for (const double aspect : {1.0, 4.0 / 3, 0.01, 100.0}) {
      LeafMask mask = masks[i];
      const double share = cut_petiole(mask, aspect);
      const double before = cv::countNonZero(view(masks[i]));
      EXPECT_NEAR(cv::countNonZero(view(mask)), (1 - share) * before, 1e-9) << i << " " << aspect;
      EXPECT_EQ(cv::countNonZero(view(mask) & ~(view(masks[i]) * 255)), 0) << i << " " << aspect;
      most = std::max(most, share);
    }
  }
  EXPECT_GT(most, 0);
  EXPECT_LT(most, 1);
}

Image<std::uint8_t> photographed(const LeafMask& mask) {
  Image<std::uint8_t> grey(mask.width(), mask.height());
  std::ranges::transform(mask.pixels(), grey.pixels().begin(), [](std::uint8_t inside) {
    return inside != 0 ? std::uint8_t{90} : std::uint8_t{240};
  });
  return grey;
}

// invariant: a leaf with its stalk cut is prepared like one without a stalk, and with it kept it is
// not; mechanics: the cut is reported, and cutting several parts is refused.
TEST(Petiole, IsCutInPreparation) {
  const LeafMask without = blade(0);
  LeafMask leaf = without;
  draw_line(leaf, along(0, kReach - 10), along(0, kReach + 110), 8);
  for (const Finder finder : {Finder::kThreshold, Finder::kBest}) {
    PrepareSpec spec;
    spec.finder = finder;
    const PreparedLeaf bare = prepare_leaf(photographed(without), "bare", spec);
    const PreparedLeaf kept = prepare_leaf(photographed(leaf), "kept", spec);
    spec.petiole = Petiole::kCut;
    const PreparedLeaf cut = prepare_leaf(photographed(leaf), "cut", spec);
    const auto differ = [&](const PreparedLeaf& other) {
      return cv::countNonZero(view(bare.mask) != view(other.mask));
    };
    // The fillet at the base, and how far it moves the centroid.
    EXPECT_LT(differ(cut), 60);
    EXPECT_GT(differ(kept), 300);
    EXPECT_TRUE(kept.notes.empty());
    ASSERT_EQ(cut.notes.size(), 1U);
    EXPECT_NE(cut.notes.front().find("stalk"), std::string::npos) << cut.notes.front();
  }
  PrepareSpec all;
  all.petiole = Petiole::kCut;
  all.parts = LeafParts::kAll;
  EXPECT_THROW(validate(all), UsageError);
}

}  // namespace
}  // namespace leafglyph
