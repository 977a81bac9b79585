// Leaves on backgrounds that are not plain: graph cuts, and which mask is the clearest.
#include "features/leaf/graph_cut.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <opencv2/imgproc.hpp>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include "features/base/errors.h"
#include "features/leaf/mat_view.h"
#include "features/leaf/segment_leaf.h"
#include "tests/support/gravel.h"

namespace leafglyph {
namespace {

constexpr unsigned kDrawingSeed = 7;
const cv::Size kPlantSize(320, 240);
const cv::Point kMiddle(165, 115);
const cv::Size kLeafAxes(85, 48);

// Small leaves of many greens, and soil between them, drawn at random.
cv::Mat foliage() {
  std::mt19937 random(kDrawingSeed);
  const auto any = [&](int low, int high) {
    return low + static_cast<int>(random() % static_cast<unsigned>(high - low));
  };
  cv::Mat picture(kPlantSize, CV_8UC3, cv::Scalar(70, 55, 45));
  for (int i = 0; i < 1500; ++i) {
    const cv::Point centre(any(0, kPlantSize.width), any(0, kPlantSize.height));
    cv::ellipse(picture, centre, {any(4, 11), any(2, 5)}, any(0, 180), 0, 360,
                cv::Scalar(any(10, 200), any(40, 210), any(10, 120)), cv::FILLED);
  }
  return picture;
}

cv::Mat leaf_shape() {
  cv::Mat mask(kPlantSize, CV_8U, cv::Scalar(0));
  cv::ellipse(mask, kMiddle, kLeafAxes, 20, 0, 360, cv::Scalar(1), cv::FILLED);
  return mask;
}

// One half of the leaf is lit.
cv::Mat leaf_on_plant() {
  cv::Mat picture = foliage();
  cv::Mat lit = leaf_shape();
  picture.setTo(cv::Scalar(60, 130, 40), lit);
  lit(cv::Rect(0, 0, kPlantSize.width, kMiddle.y)).setTo(0);
  picture.setTo(cv::Scalar(85, 165, 60), lit);
  return picture;
}

Photograph as_photograph(const cv::Mat& picture) {
  cv::Mat soft;
  cv::GaussianBlur(picture, soft, {0, 0}, 0.7);
  return colour_photograph(soft.cols, soft.rows, {soft.data, soft.data + 3 * soft.total()});
}

PrepareSpec on_a_plant() {
  PrepareSpec spec;
  spec.finder = Finder::kScene;
  spec.background = Background::kAuto;
  return spec;
}

double overlap(const cv::Mat& a, const cv::Mat& b) {
  return static_cast<double>(cv::countNonZero(a & b)) / cv::countNonZero(a | b);
}

Image<std::uint8_t> as_mask(const cv::Mat& pixels) {
  Image<std::uint8_t> mask(pixels.cols, pixels.rows);
  pixels.copyTo(view(mask));
  return mask;
}

// oracle: a leaf among others is found as it was drawn, which the former finder does not. Where
// leaves of its own green touch it, they are taken with it: 10 % of it, as drawn.
TEST(GraphCut, ALeafOnAPlantIsFound) {
  const Photograph photograph = as_photograph(leaf_on_plant());
  const LeafRegion found = segment_leaf(photograph, "plant", on_a_plant());
  EXPECT_GT(overlap(view(found.mask), leaf_shape()), 0.85);
  EXPECT_EQ(found.state, PartState::kWhole);
  EXPECT_TRUE(found.is_clear);
  ASSERT_FALSE(found.notes.empty());
  EXPECT_EQ(found.notes.front(), "the background is not plain: the leaf was found by a graph cut");
  PrepareSpec former = on_a_plant();
  former.finder = Finder::kBest;
  EXPECT_LT(overlap(view(segment_leaf(photograph, "plant", former).mask), leaf_shape()), 0.7);
}

// mechanics: gravel, in which nothing differs from what is around it, is refused, and the message
// says what to do; where some of it differs more, what is found is not called clear.
TEST(GraphCut, GravelIsNotALeaf) {
  try {
    static_cast<void>(segment_leaf(Photograph{testing::gravel(50)}, "gravel", on_a_plant()));
    FAIL() << "gravel was taken for a leaf";
  } catch (const InputError& error) {
    EXPECT_EQ(std::string(error.what()),
              "gravel: no leaf can be seen clearly; lay it on plain paper, or keep it in the "
              "middle, larger and apart from others");
  }
  const LeafRegion found = segment_leaf(Photograph{testing::gravel(100)}, "gravel", on_a_plant());
  EXPECT_FALSE(found.is_clear);
  EXPECT_EQ(
      found.warnings.front(),
      "the leaf is not seen clearly, so that its outline may be wrong; lay it on plain paper");
}

// Greens of stripes, as in a blade of grass, with light veins that end before the frame: the
// surface of a leaf that fills the picture.
Photograph leaf_surface() {
  std::mt19937 random(kDrawingSeed);
  cv::Mat picture(kPlantSize, CV_8UC3, cv::Scalar(70, 130, 45));
  for (int x = 0; x < kPlantSize.width; x += 4) {
    picture.colRange(x, x + 2) += cv::Scalar::all(static_cast<double>(random() % 80));
  }
  const cv::Scalar vein(105, 165, 80);
  for (int i = 0; i < 6; ++i) {
    cv::line(picture, {160, 60 + 20 * i}, {60 + 200 * (i % 2), 30 + 20 * i}, vein, 5);
  }
  cv::line(picture, {160, 30}, {160, 210}, vein, 8);
  return as_photograph(picture);
}

// mechanics: what fills the picture with one colour is not refused where it would be refused in
// grey: its mask is the former finder's, and is not called clear.
TEST(GraphCut, ALeafThatFillsThePictureIsNotRefused) {
  const Photograph surface = leaf_surface();
  EXPECT_TRUE(fills_picture(cut_size(surface)));
  const LeafRegion found = segment_leaf(surface, "surface", on_a_plant());
  EXPECT_FALSE(found.is_clear);
  PrepareSpec former = on_a_plant();
  former.finder = Finder::kBest;
  EXPECT_EQ(overlap(view(found.mask), view(segment_leaf(surface, "surface", former).mask)), 1);
}

// mechanics: neither greys, nor a leaf on paper, nor one in front of soil and other greens.
TEST(GraphCut, WhatIsAroundALeafIsNotOfItsColour) {
  EXPECT_FALSE(fills_picture(cut_size(Photograph{testing::gravel(50)})));
  EXPECT_FALSE(fills_picture(cut_size(as_photograph(leaf_on_plant()))));
  cv::Mat paper(kPlantSize, CV_8UC3, cv::Scalar(236, 234, 228));
  EXPECT_FALSE(fills_picture(cut_size(as_photograph(paper))));
  paper.setTo(cv::Scalar(60, 130, 40), leaf_shape());
  EXPECT_FALSE(fills_picture(cut_size(as_photograph(paper))));
}

// invariant: threads that cut at once, whatever the state of OpenCV's random numbers, have the same
// masks to the last bit, and that state is as before.
TEST(GraphCut, IsTheSameInEveryThread) {
  const Photograph small = cut_size(as_photograph(leaf_on_plant()));
  const std::vector<Image<std::uint8_t>> expected = cut_leaves(small);
  ASSERT_EQ(expected.size(), 2U);
  constexpr std::uint64_t kThreads = 4;
  std::vector<std::vector<Image<std::uint8_t>>> cuts(kThreads);
  std::vector<std::uint64_t> states(kThreads);
  {
    std::vector<std::jthread> threads;
    for (std::uint64_t i = 0; i < kThreads; ++i) {
      threads.emplace_back([&, i] {
        cv::theRNG().state = 100 + i;
        cuts[i] = cut_leaves(small);
        states[i] = cv::theRNG().state;
      });
    }
  }
  for (std::uint64_t i = 0; i < kThreads; ++i) {
    EXPECT_EQ(states[i], 100 + i);
    ASSERT_EQ(cuts[i].size(), expected.size());
    for (std::size_t cut = 0; cut < expected.size(); ++cut) {
      EXPECT_EQ(overlap(view(cuts[i][cut]), view(expected[cut])), 1);
    }
  }
}

// mechanics: on plain paper nothing is cut, and the mask stays what it was.
TEST(GraphCut, OnPaperTheFirstCandidateStays) {
  cv::Mat paper(kPlantSize, CV_8UC3, cv::Scalar(236, 234, 228));
  paper.setTo(cv::Scalar(60, 85, 40), leaf_shape());
  const Photograph photograph = as_photograph(paper);
  const ClearestMask clearest =
      clearest_mask(photograph, best_candidate(photograph, Background::kAuto));
  EXPECT_TRUE(clearest.mask.empty());
  EXPECT_EQ(clearest.quality, 1);
  PrepareSpec former = on_a_plant();
  former.finder = Finder::kBest;
  EXPECT_EQ(overlap(view(segment_leaf(photograph, "paper", on_a_plant()).mask),
                    view(segment_leaf(photograph, "paper", former).mask)),
            1);
}

// oracle: the quality of a mask whose outline is the leaf's is that of an ellipse, 1; half of a
// leaf has an edge where colours do not differ, and so has a moved one; a mask at the frame has
// none there.
TEST(GraphCut, QualityIsContrastAlongTheOutline) {
  cv::Mat plain(112, 112, CV_8UC3, cv::Scalar::all(200)), disc(112, 112, CV_8U, cv::Scalar(0));
  cv::circle(disc, {56, 56}, 30, cv::Scalar(1), cv::FILLED);
  plain.setTo(cv::Scalar::all(80), disc);
  const Photograph photograph =
      colour_photograph(112, 112, {plain.data, plain.data + 3 * 112 * 112});
  EXPECT_GT(mask_quality(photograph, as_mask(disc)), 0.97);
  cv::Mat half = disc.clone();
  half(cv::Rect(0, 0, 56, 112)).setTo(0);
  // The straight edge is 60 of 60 + 94 pixels.
  EXPECT_NEAR(mask_quality(photograph, as_mask(half)), 94.0 / 154, 0.06);
  EXPECT_EQ(mask_quality(photograph, as_mask(cv::Mat(112, 112, CV_8U, cv::Scalar(1)))), 0);
  EXPECT_EQ(mask_quality(photograph, as_mask(cv::Mat(112, 112, CV_8U, cv::Scalar(0)))), 0);
}

}  // namespace
}  // namespace leafglyph
