// Sheets with several leaves: what differs from the background, and leaves that touch.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numbers>
#include <opencv2/imgproc.hpp>
#include <vector>

#include "features/leaf/mat_view.h"
#include "features/leaf/segment_leaf.h"
#include "features/leaf/sheet_foreground.h"
#include "features/leaf/touching_leaves.h"

namespace leafglyph {
namespace {

const cv::Scalar kPaper(236, 234, 228), kDark(60, 85, 40), kPale(205, 215, 150);

cv::Mat white_paper() { return {600, 800, CV_8UC3, kPaper}; }

void draw_leaf(cv::Mat& picture, cv::Point centre, cv::Size axes, double degrees,
               const cv::Scalar& colour) {
  cv::ellipse(picture, centre, axes, degrees, 0, 360, colour, cv::FILLED);
}

// Softened, as by a lens.
Photograph photograph_of(const cv::Mat& picture) {
  cv::Mat soft;
  cv::GaussianBlur(picture, soft, {0, 0}, 0.7);
  return colour_photograph(soft.cols, soft.rows, {soft.data, soft.data + 3 * soft.total()});
}

double ellipse_area(double a, double b) { return std::numbers::pi * a * b; }

// oracle: a pale leaf, whose grey values are those of paper in a shadow, is found beside a dark one
// and beside one of a thirtieth of its area, with the areas of the ellipses; the shadow of the dark
// one is not part of it.
TEST(Sheet, PaleAndSmallLeavesAreFoundBesideDarkOnes) {
  cv::Mat picture = white_paper();
  draw_leaf(picture, {206, 207}, {130, 60}, 20, 0.86 * kPaper);  // a shadow
  cv::GaussianBlur(picture, picture, {0, 0}, 4);
  draw_leaf(picture, {200, 200}, {130, 60}, 20, kDark);
  draw_leaf(picture, {580, 200}, {100, 55}, 70, kPale);
  draw_leaf(picture, {400, 480}, {26, 11}, 140, kDark);
  PrepareSpec spec;
  spec.finder = Finder::kBest;
  spec.background = Background::kAuto;
  const std::vector<LeafRegion> found = segment_leaves(photograph_of(picture), "sheet", spec);
  ASSERT_EQ(found.size(), 3U);
  std::vector<double> areas;
  for (const LeafRegion& region : found) {
    EXPECT_EQ(region.state, PartState::kWhole);
    areas.push_back(region.area);
  }
  std::ranges::sort(areas);
  // The blurred outline is a pixel wide: 7 % of the smallest leaf for each half of it, 15 % in all.
  EXPECT_NEAR(areas[0], ellipse_area(26, 11), 0.15 * ellipse_area(26, 11));
  EXPECT_NEAR(areas[1], ellipse_area(100, 55), 0.04 * ellipse_area(100, 55));
  EXPECT_NEAR(areas[2], ellipse_area(130, 60), 0.04 * ellipse_area(130, 60));
}

// mechanics: a photograph of one leaf, of none, or with a background other than was stated is not a
// sheet; one of a leaf and a label is.
TEST(Sheet, OneLeafIsNotASheet) {
  cv::Mat picture = white_paper();
  EXPECT_FALSE(find_sheet(photograph_of(picture), Background::kAuto, Leaflets::kNone));
  draw_leaf(picture, {200, 200}, {130, 60}, 20, kDark);
  EXPECT_FALSE(find_sheet(photograph_of(picture), Background::kAuto, Leaflets::kNone));
  cv::rectangle(picture, {420, 300, 300, 180}, cv::Scalar(190, 180, 140), cv::FILLED);
  const std::optional<Sheet> sheet =
      find_sheet(photograph_of(picture), Background::kAuto, Leaflets::kNone);
  ASSERT_TRUE(sheet);
  EXPECT_EQ(sheet->found.size(), 2U);
  EXPECT_TRUE(find_sheet(photograph_of(picture), Background::kLight, Leaflets::kNone));
  EXPECT_FALSE(find_sheet(photograph_of(picture), Background::kDark, Leaflets::kNone));
}

// oracle: leaflets of 48 x 7 pixels on a thin stalk keep their pixels, although their blurred
// outlines have nearly as many. The intersection over union of a mask that is half a pixel too wide
// all around is 0.82.
TEST(Sheet, ThinLeafletsAreNotWidened) {
  cv::Mat picture = white_paper(), drawn(picture.size(), CV_8U, cv::Scalar(0));
  draw_leaf(picture, {600, 300}, {35, 80}, 10, kDark);
  const auto draw = [&](cv::Mat& to, const cv::Scalar& colour) {
    cv::line(to, {200, 130}, {200, 480}, colour, 2);
    for (int pair = 0; pair < 8; ++pair) {
      for (const int side : {-1, 1}) {
        cv::ellipse(to, {200 + 26 * side, 150 + 40 * pair}, {24, 3}, 15.0 * side, 0, 360, colour,
                    cv::FILLED);
      }
    }
  };
  draw(picture, kDark);
  draw(drawn, cv::Scalar(1));
  const std::optional<Sheet> sheet =
      find_sheet(photograph_of(picture), Background::kAuto, Leaflets::kNear);
  ASSERT_TRUE(sheet);
  ASSERT_EQ(sheet->found.size(), 2U);
  const cv::Mat first = view(sheet->found[0].mask), second = view(sheet->found[1].mask);
  const cv::Mat found = cv::countNonZero(first & drawn) > 0 ? first : second;
  EXPECT_GE(cv::countNonZero(found & drawn), 0.8 * cv::countNonZero(found | drawn));
}

// On paper with pale spots that widen it.
void draw_spotted_stem(cv::Mat& picture) {
  for (int degrees = 65; degrees < 170; degrees += 15) {
    const double angle = degrees * std::numbers::pi / 180;
    const cv::Point spot(200 + cvRound(150 * std::cos(angle)),
                         300 + cvRound(190 * std::sin(angle)));
    cv::circle(picture, spot, 9, cv::Scalar(236, 218, 216), cv::FILLED);
  }
  cv::ellipse(picture, {200, 300}, {150, 190}, 0, 60, 170, kDark, 4);
}

// oracle: a bent strip of even width is a stem.
TEST(Sheet, StemsAreNotLeaves) {
  cv::Mat picture = white_paper();
  draw_leaf(picture, {600, 300}, {35, 80}, 10, kDark);
  draw_spotted_stem(picture);
  const std::optional<Sheet> sheet =
      find_sheet(photograph_of(picture), Background::kAuto, Leaflets::kNear);
  ASSERT_TRUE(sheet);
  ASSERT_EQ(sheet->found.size(), 2U);
  EXPECT_EQ(std::ranges::count(sheet->found, PartState::kNotALeaf, &PhotographPart::state), 1);
}

// mechanics: a photograph without a leaf is not a sheet, also if only the part's own mask shows it.
TEST(Sheet, StemsAndLabelsAloneAreNotASheet) {
  cv::Mat picture = white_paper();
  cv::rectangle(picture, {520, 300, 200, 120}, cv::Scalar(190, 180, 140), cv::FILLED);
  draw_spotted_stem(picture);
  EXPECT_FALSE(find_sheet(photograph_of(picture), Background::kAuto, Leaflets::kNear));
  draw_leaf(picture, {600, 150}, {35, 80}, 80, kDark);
  EXPECT_TRUE(find_sheet(photograph_of(picture), Background::kAuto, Leaflets::kNear));
}

bool touch(const cv::Mat& picture) {
  Image<std::uint8_t> mask(picture.cols, picture.rows);
  cv::Mat grey;
  cv::cvtColor(picture, grey, cv::COLOR_RGB2GRAY);
  view(mask).setTo(1, grey < 225);
  const ForegroundParts parts = foreground_parts(mask);
  EXPECT_EQ(parts.outlines.size(), 1U);
  return are_several_leaves(parts.outlines[parts.largest], photograph_of(picture));
}

// oracle: two ellipses of one colour that touch at a right angle are several leaves, one is not.
TEST(TouchingLeaves, ShapesOfSeveralLeavesAreNoticed) {
  const cv::Size leaf(140, 35);
  cv::Mat picture = white_paper();
  draw_leaf(picture, {250, 300}, leaf, 0, kDark);
  EXPECT_FALSE(touch(picture));
  draw_leaf(picture, {375, 420}, leaf, 90, kDark);
  EXPECT_TRUE(touch(picture));
}

// oracle: ellipses side by side that cover a third of each other have no neck; two colours show
// that they are two.
TEST(TouchingLeaves, ColoursOfSeveralLeavesAreNoticed) {
  for (const bool differ : {false, true}) {
    cv::Mat picture = white_paper();
    draw_leaf(picture, {330, 300}, {70, 130}, 12, kDark);
    draw_leaf(picture, {420, 300}, {70, 130}, -12, differ ? kPale : kDark);
    EXPECT_EQ(touch(picture), differ);
  }
}

}  // namespace
}  // namespace leafglyph
