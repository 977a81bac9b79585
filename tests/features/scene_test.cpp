// What surrounds the paper of a photograph: frames, rulers and charts along its sides.
#include "features/leaf/scene.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <opencv2/imgproc.hpp>
#include <string>
#include <vector>

#include "features/leaf/mat_view.h"
#include "features/leaf/preprocess.h"
#include "features/leaf/segment_leaf.h"

namespace leafglyph {
namespace {

const cv::Scalar kSheet(236, 234, 228), kGreen(60, 85, 40), kBlack(12, 12, 12);
const cv::Size kFrame(800, 600);

struct Margins {
  int top, bottom, left, right;
};

// Softened, as by a lens.
Photograph softened(const cv::Mat& picture) {
  cv::Mat soft;
  cv::GaussianBlur(picture, soft, {0, 0}, 0.7);
  return colour_photograph(soft.cols, soft.rows, {soft.data, soft.data + 3 * soft.total()});
}

// Four leaves on paper.
cv::Mat four_leaves() {
  cv::Mat picture(kFrame, CV_8UC3, kSheet);
  for (const cv::Point centre : {cv::Point(250, 200), {550, 200}, {250, 400}, {550, 400}}) {
    cv::ellipse(picture, centre, {70, 30}, centre.x / 10.0, 0, 360, kGreen, cv::FILLED);
  }
  return picture;
}

cv::Mat framed(cv::Mat picture, const Margins& frame, const cv::Scalar& colour = kBlack) {
  const cv::Rect inside(frame.left, frame.top, kFrame.width - frame.left - frame.right,
                        kFrame.height - frame.top - frame.bottom);
  const cv::Mat paper = picture(inside).clone();
  picture.setTo(colour);
  paper.copyTo(picture(inside));
  return picture;
}

PrepareSpec by_scene() {
  PrepareSpec spec;
  spec.finder = Finder::kScene;
  spec.background = Background::kAuto;
  return spec;
}

bool is_all(const PictureBox& box) { return box == PictureBox{0, 0, kFrame.width, kFrame.height}; }

// oracle: a frame on two, three or four sides is left out, with the ruler that lies on it, and
// every leaf has the pixels that it has without a frame.
TEST(Scene, LeavesInFramesAreThoseWithoutThem) {
  const std::vector<LeafRegion> plain =
      segment_leaves(softened(four_leaves()), "plain", by_scene());
  ASSERT_EQ(plain.size(), 4U);
  std::vector<cv::Mat> pictures;
  for (const Margins& frame : {Margins{0, 0, 16, 16},
                               {60, 0, 16, 16},
                               {0, 0, 90, 0},
                               {60, 40, 16, 16},
                               {90, 90, 110, 110}}) {
    pictures.push_back(framed(four_leaves(), frame));
  }
  pictures.push_back(framed(four_leaves(), {60, 40, 40, 40}, {118, 120, 126}));
  pictures.push_back(pictures[3].clone());
  cv::rectangle(pictures.back(), {200, 12, 340, 36}, {220, 225, 225}, cv::FILLED);
  for (std::size_t i = 0; i < pictures.size(); ++i) {
    SCOPED_TRACE("picture " + std::to_string(i));
    const std::vector<LeafRegion> found =
        segment_leaves(softened(pictures[i]), "framed", by_scene());
    ASSERT_EQ(found.size(), plain.size());
    for (std::size_t leaf = 0; leaf < plain.size(); ++leaf) {
      const cv::Mat a = view(plain[leaf].mask), b = view(found[leaf].mask);
      ASSERT_EQ(a.size(), b.size());
      // The light is estimated from other paper, which moves outlines by less than half a pixel:
      // 330 pixels of outline, of 6,600.
      EXPECT_GT(cv::countNonZero(a & b), 0.97 * cv::countNonZero(a | b));
      EXPECT_EQ(found[leaf].state, PartState::kWhole);
    }
  }
}

// oracle: beside a grey scale and a colour chart along two sides the leaf is found, not the chart,
// which is the larger and the more colourful of them; its box is that in the whole photograph.
TEST(Scene, ChartsAlongTheSidesAreNotTheLeaf) {
  cv::Mat picture(kFrame, CV_8UC3, kSheet);
  cv::ellipse(picture, {320, 260}, {70, 30}, 0, 0, 360, kGreen, cv::FILLED);
  const std::vector<cv::Scalar> patches = {
      {150, 60, 90}, {200, 180, 40}, {20, 210, 240}, {90, 60, 230}, {160, 40, 220}};
  for (int i = 0; i < 5; ++i) {
    cv::rectangle(picture, {640, 40 + 90 * i, 60, 90}, patches[static_cast<std::size_t>(i)],
                  cv::FILLED);
    cv::rectangle(picture, {80 + 144 * i, 520, 144, 80}, cv::Scalar::all(20 + 45 * i), cv::FILLED);
  }
  cv::rectangle(picture, {710, 0, 90, 600}, cv::Scalar::all(90), cv::FILLED);
  const PreparedLeaf leaf = prepare_leaf(softened(picture), "chart", by_scene());
  EXPECT_EQ(leaf.box, (PictureBox{250, 230, 141, 61}));
  EXPECT_EQ(leaf.notes.back(), "a frame, a ruler or a chart along the sides was left out");
}

// mechanics: what has no straight end along a side is not a strip: paper alone, a leaf that touches
// a side, one that fills most of the photograph, a shade at a side.
TEST(Scene, PaperWithoutStripsIsWhole) {
  EXPECT_TRUE(is_all(within_strips(softened(four_leaves()))));
  cv::Mat touching(kFrame, CV_8UC3, kSheet);
  cv::ellipse(touching, {400, 620}, {330, 190}, 0, 0, 360, kGreen, cv::FILLED);
  EXPECT_TRUE(is_all(within_strips(softened(touching))));
  cv::Mat large(kFrame, CV_8UC3, kSheet);
  cv::ellipse(large, {400, 300}, {390, 290}, 0, 0, 360, kGreen, cv::FILLED);
  cv::rectangle(large, {0, 0, 100, 600}, kSheet, cv::FILLED);
  EXPECT_TRUE(is_all(within_strips(softened(large))));
  cv::Mat shaded = four_leaves();
  for (int row = 400; row < kFrame.height; ++row) {
    shaded.row(row) *= 1 - 0.5 * (row - 400) / 200.0;
  }
  EXPECT_TRUE(is_all(within_strips(softened(shaded))));
}

// mechanics: other finders, such as that of models of 0.2.0, look for no strips.
TEST(Scene, OtherFindersTakeThePhotographWhole) {
  PrepareSpec spec = by_scene();
  spec.finder = Finder::kBest;
  const Photograph photograph = softened(framed(four_leaves(), {60, 40, 16, 16}));
  EXPECT_EQ(&LeafScene(photograph, spec, nullptr).photograph(), &photograph);
  EXPECT_NE(&LeafScene(photograph, by_scene(), nullptr).photograph(), &photograph);
}

}  // namespace
}  // namespace leafglyph
