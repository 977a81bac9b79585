// What the parts of a photograph are, by their shape.
#include "features/leaf/part_kind.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>
#include <opencv2/imgproc.hpp>
#include <string>
#include <vector>

#include "datasets/leaf/synthetic_leaves.h"
#include "features/leaf/mat_view.h"
#include "features/leaf/preprocess.h"
#include "features/leaf/segment_leaf.h"

namespace leafglyph {
namespace {

cv::Mat paper() { return {600, 800, CV_8U, cv::Scalar(0)}; }

ForegroundParts parts_of(const cv::Mat& mask) {
  Image<std::uint8_t> image(mask.cols, mask.rows);
  mask.copyTo(view(image));
  return foreground_parts(image);
}

PartShape shape_of(const cv::Mat& mask) {
  const ForegroundParts parts = parts_of(mask);
  return part_shape(parts.outlines[parts.largest], mask);
}

// A rectangle with its centre in the middle of the paper, turned by `degrees`.
cv::Mat rectangle(float width, float height, float degrees) {
  cv::Mat mask = paper();
  cv::Point2f corners[4];
  cv::RotatedRect({400, 300}, {width, height}, degrees).points(corners);
  std::vector<cv::Point> points;
  for (const cv::Point2f& corner : corners) points.emplace_back(corner);
  cv::fillConvexPoly(mask, points, {1});
  return mask;
}

cv::Mat ellipse(cv::Mat mask, cv::Point centre, cv::Size axes, double degrees) {
  cv::ellipse(mask, centre, axes, degrees, 0, 360, {1}, cv::FILLED);
  return mask;
}

// oracle: labels and rulers of any direction are rectangles, an ellipse fills pi / 4 of one.
TEST(PartKind, RectanglesAreNotLeaves) {
  for (const float degrees : {0.0F, 7.0F, 30.0F, 45.0F, 81.0F}) {
    for (const cv::Size2f size : {cv::Size2f(200, 120), {150, 150}, {500, 40}}) {
      const PartShape shape = shape_of(rectangle(size.width, size.height, degrees));
      // The outline of a turned rectangle has steps of a pixel.
      EXPECT_NEAR(shape.rectangularity, 1, 0.05) << size << " " << degrees;
      if (size.height > 100) {
        EXPECT_GE(shape.right_angles, 3) << size << " " << degrees;
      }
      EXPECT_NE(why_not_a_leaf(shape), "") << size << " " << degrees;
    }
  }
  const PartShape round = shape_of(ellipse(paper(), {400, 300}, {150, 80}, 20));
  EXPECT_NEAR(round.rectangularity, 0.785, 0.02);  // pi / 4; the outline has steps of a pixel
  EXPECT_EQ(round.right_angles, 0);
  EXPECT_EQ(why_not_a_leaf(round), "");
}

// mechanics: the reason says what was seen.
TEST(PartKind, ReasonsAreGiven) {
  cv::Mat text = rectangle(240, 160, 5);
  for (int i = 0; i < 12; ++i) {
    cv::circle(text, {320 + 15 * i, 270 + 30 * (i % 3)}, 3, {0}, cv::FILLED);
  }
  EXPECT_EQ(why_not_a_leaf(shape_of(text)), "a rectangle with text or marks");
  EXPECT_EQ(why_not_a_leaf(shape_of(rectangle(240, 160, 5))), "straight edges with right angles");
  // Colours like the paper's are missing from a chart: an L of squares.
  cv::Mat chart = paper();
  cv::rectangle(chart, {200, 200, 60, 240}, {1}, cv::FILLED);
  cv::rectangle(chart, {200, 200, 240, 60}, {1}, cv::FILLED);
  EXPECT_LT(shape_of(chart).rectangularity, 0.6);
  EXPECT_EQ(why_not_a_leaf(shape_of(chart)), "straight edges with right angles");
  cv::Mat round = rectangle(300, 140, 0) | rectangle(220, 220, 0);
  for (const cv::Point corner : {cv::Point(290, 230), {510, 230}, {290, 370}, {510, 370}}) {
    cv::circle(round, corner, 40, {1}, cv::FILLED);
  }
  EXPECT_EQ(why_not_a_leaf(shape_of(round)), "as straight as a rectangle");
}

// oracle: a bent strip is as wide everywhere, a leaf as long and narrow is not.
TEST(PartKind, StemsAreStrips) {
  cv::Mat stem = paper();
  std::vector<cv::Point> line;
  for (int x = 100; x <= 700; x += 10) {
    line.emplace_back(x, static_cast<int>(300 + 80 * std::sin(x / 120.0)));
  }
  cv::polylines(stem, line, /*isClosed=*/false, {1}, 9);
  const PartShape strip = shape_of(stem);
  EXPECT_NEAR(strip.even_width, 1, 0.07);  // its width of 9 pixels is known to half a pixel
  EXPECT_GT(strip.elongation, 50);
  EXPECT_EQ(why_not_a_leaf(strip), "as narrow everywhere as a stem or a ruler");
  const PartShape needle = shape_of(ellipse(paper(), {400, 300}, {300, 9}, 0));
  EXPECT_LT(needle.even_width, 0.87);
  EXPECT_EQ(why_not_a_leaf(needle), "");
}

// invariant: no drawn leaf is taken for anything else.
TEST(PartKind, LeavesAreLeaves) {
  PrepareSpec spec;
  spec.finder = Finder::kBest;
  for (int species = 0; species < 12; ++species) {
    const Photograph photograph{draw_synthetic_leaf(species, species % 4, /*seed=*/5)};
    const std::vector<LeafRegion> found = segment_leaves(photograph, "leaf", spec);
    ASSERT_EQ(found.size(), 1U) << species;
    EXPECT_EQ(found[0].state, PartState::kWhole) << species << found[0].reason;
  }
}

// oracle: a label larger than a leaf does not make clutter of it, and is not taken instead of it.
TEST(PartKind, LabelsDoNotHideLeaves) {
  cv::Mat mask = rectangle(500, 200, 0);
  mask = ellipse(mask, {120, 90}, {60, 35}, 10);
  mask = ellipse(mask, {650, 500}, {50, 40}, 10);
  const ForegroundParts parts = parts_of(mask);
  const std::vector<PhotographPart> found = photograph_parts(parts, mask, false);
  ASSERT_EQ(found.size(), 3U);
  EXPECT_EQ(found[0].state, PartState::kWhole);
  EXPECT_EQ(found[1].state, PartState::kWhole);
  EXPECT_EQ(found[2].state, PartState::kNotALeaf);
  EXPECT_GE(parts.areas[found[0].outlines[0]], parts.areas[found[1].outlines[0]]);

  Image<std::uint8_t> photograph(mask.cols, mask.rows, 230);
  view(photograph).setTo(70, mask);
  const LeafRegion leaf = segment_leaf(Photograph{photograph}, "sheet", {});
  EXPECT_NEAR(leaf.area, std::numbers::pi * 60 * 35,
              0.03 * leaf.area);  // the outline has steps of a pixel
  ASSERT_EQ(leaf.warnings.size(), 1U);
  EXPECT_NE(leaf.warnings[0].find("left out 1 other"), std::string::npos) << leaf.warnings[0];
  const std::vector<LeafRegion> all = segment_leaves(Photograph{photograph}, "sheet", {});
  ASSERT_EQ(all.size(), 3U);
  EXPECT_EQ(all[1].state, PartState::kNotALeaf);
  EXPECT_EQ(all[1].reason, "straight edges with right angles");
}

}  // namespace
}  // namespace leafglyph
