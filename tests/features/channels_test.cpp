#include "features/leaf/channels.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "features/base/errors.h"
#include "features/leaf/leaf_texture.h"
#include "features/leaf/preprocess.h"
#include "tests/support/leaf_test_images.h"
#include "tests/support/refusal.h"

namespace leafglyph {
namespace {

constexpr int kSize = 64;

// A square leaf, rows and columns 16..47, of grey value 100 + 2 * column.
PreparedLeaf ramp_leaf() {
  PreparedLeaf leaf{Image<float>(kSize, kSize), Image<std::uint8_t>(kSize, kSize), {}, {}};
  for (int row = 16; row < 48; ++row) {
    for (int column = 16; column < 48; ++column) {
      leaf.mask.at(row, column) = 1;
      leaf.grey.at(row, column) = 100.0f + 2.0f * static_cast<float>(column);
    }
  }
  leaf.measures = measure_leaf(leaf.grey, leaf.mask, 0.25);
  return leaf;
}

std::vector<float> channel_of(const PreparedLeaf& leaf, Channel channel) {
  std::vector<float> out(kSize * kSize, -7.0f);
  EXPECT_TRUE(compute_channels(leaf, std::span(&channel, 1), out).constant.empty())
      << name_of(channel);
  return out;
}

// oracle: the mean, deviation and gradient of a linear ramp are known.
TEST(Channels, MeasuresOfARamp) {
  const PreparedLeaf leaf = ramp_leaf();
  const LeafMeasures measures = leaf.measures;
  EXPECT_DOUBLE_EQ(measures.mean_grey, 100 + 2 * 31.5);
  // The variance of 32 values spaced 2 apart.
  EXPECT_NEAR(measures.spread_grey, 2 * std::sqrt((32.0 * 32 - 1) / 12), 1e-9);
  EXPECT_DOUBLE_EQ(mean_gradient(leaf), 2);
  EXPECT_EQ(measures.area_share, 0.25);
  std::vector<float> out(kSize * kSize);
  const Channel gradient = Channel::kGradient, mask = Channel::kMask;
  EXPECT_EQ(compute_channels(leaf, {&gradient, 1}, out).mean_gradient, mean_gradient(leaf));
  EXPECT_EQ(compute_channels(leaf, {&mask, 1}, out).mean_gradient, std::nullopt);
  const auto columns = measure_columns(leaf);
  EXPECT_EQ(measure_columns(leaf, mean_gradient(leaf)), columns);
  EXPECT_FLOAT_EQ(columns[0], std::log(0.25f));
  EXPECT_FLOAT_EQ(columns[3], 2.0f);
  EXPECT_EQ(measure_names().size(), columns.size());
}

// oracle: every channel of the ramp, by hand.
TEST(Channels, ValuesOnARamp) {
  const PreparedLeaf leaf = ramp_leaf();
  const std::size_t centre = 32 * kSize + 30, edge = 32 * kSize + 16, outside = 5 * kSize + 5;
  const float grey = 160.0f / 255;
  EXPECT_FLOAT_EQ(channel_of(leaf, Channel::kGrey)[centre], grey);
  EXPECT_FLOAT_EQ(channel_of(leaf, Channel::kInverted)[centre], 1 - grey);
  EXPECT_EQ(channel_of(leaf, Channel::kMask)[centre], 1);
  EXPECT_FLOAT_EQ(channel_of(leaf, Channel::kStandardised)[centre],
                  static_cast<float>((160 - 163) / leaf.measures.spread_grey));
  const std::vector<float> gradient = channel_of(leaf, Channel::kGradient);
  EXPECT_FLOAT_EQ(gradient[centre], 1);
  EXPECT_EQ(gradient[edge], 0) << "the outline counts as venation";
  const std::vector<float> outline = channel_of(leaf, Channel::kOutline);
  EXPECT_EQ(outline[edge], 1);
  EXPECT_EQ(outline[centre], 0);
  EXPECT_EQ(std::count(outline.begin(), outline.end(), 1.0f), 4 * 32 - 4);
  // The ramp varies along x: along the radius right of the centre, across it below.
  const std::vector<float> radial = channel_of(leaf, Channel::kRadial);
  EXPECT_GT(radial[31 * kSize + 40], 0.5f);
  EXPECT_LT(radial[40 * kSize + 31], -0.5f);
  EXPECT_EQ(radial[edge], 0);
  EXPECT_GT(channel_of(leaf, Channel::kOblique)[40 * kSize + 40], 0.5f);
  // A square is as wide as it is long: it only shrinks and keeps its ramp.
  const std::vector<float> rounded = channel_of(leaf, Channel::kRounded);
  EXPECT_LT(rounded[32 * kSize + 26], -0.5f);
  EXPECT_GT(rounded[32 * kSize + 37], 0.5f);
  const std::vector<float> gaps = channel_of(leaf, Channel::kHullGaps);
  EXPECT_EQ(std::count(gaps.begin(), gaps.end(), 0.0f), kSize * kSize);
  for (const Channel channel : image_channels()) {
    EXPECT_EQ(channel_of(leaf, channel)[outside], 0) << name_of(channel);
  }
}

// invariant: standardised values have mean 0 and variance 1 over the leaf; gradient and high-pass
// have mean 1 over the eroded leaf.
TEST(Channels, Normalisation) {
  PrepareSpec spec;
  spec.size = kSize;
  spec.area = 900;
  const PreparedLeaf leaf =
      prepare_leaf(testing::ellipse_photograph(320, 240, 150, 120, 90, 60), "ellipse", spec);
  double count = 0, sum = 0, squares = 0;
  const std::vector<float> standardised = channel_of(leaf, Channel::kStandardised);
  for (std::size_t i = 0; i < standardised.size(); ++i) {
    count += leaf.mask.data()[i];
    sum += standardised[i];
    squares += standardised[i] * standardised[i];
  }
  // Rounding of a few hundred floats.
  EXPECT_NEAR(sum / count, 0, 1e-5);
  EXPECT_NEAR(squares / count, 1, 1e-5);
  const Image<std::uint8_t> inside = eroded(leaf.mask);
  double pixels = 0;
  for (const std::uint8_t value : inside.pixels()) pixels += value;
  for (const Channel channel : {Channel::kGradient, Channel::kHighPass}) {
    double total = 0;
    for (const float value : channel_of(leaf, channel)) {
      EXPECT_GE(value, 0);
      total += value;
    }
    EXPECT_NEAR(total / pixels, 1, 1e-5) << name_of(channel);
  }
}

// mechanics: for a leaf of a single grey value, channels that cannot vary are reported and are 0,
// not NaN.
TEST(Channels, ConstantChannelsAreReported) {
  PreparedLeaf leaf = ramp_leaf();
  for (std::size_t i = 0; i < leaf.grey.size(); ++i) leaf.grey.data()[i] = leaf.mask.data()[i] * 90;
  leaf.measures = measure_leaf(leaf.grey, leaf.mask, 0.25);
  std::vector<float> out(image_channels().size() * kSize * kSize);
  const std::vector<Channel> constant = compute_channels(leaf, image_channels(), out).constant;
  EXPECT_EQ(constant,
            (std::vector<Channel>{Channel::kStandardised, Channel::kGradient, Channel::kHighPass,
                                  Channel::kRadial, Channel::kOblique, Channel::kRounded}));
  EXPECT_TRUE(
      std::all_of(out.begin(), out.end(), [](float value) { return std::isfinite(value); }));
  const auto gradient = std::span(out).subspan(4 * kSize * kSize, kSize * kSize);
  EXPECT_TRUE(std::all_of(gradient.begin(), gradient.end(), [](float v) { return v == 0; }));
}

// mechanics: a leaf that erosion removes entirely has no venation.
TEST(Channels, ThinLeavesHaveNoInside) {
  PreparedLeaf leaf{Image<float>(kSize, kSize), Image<std::uint8_t>(kSize, kSize), {}, {}};
  for (int column = 8; column < 56; ++column) {
    leaf.mask.at(32, column) = 1;
    leaf.grey.at(32, column) = static_cast<float>(column);
  }
  leaf.measures = measure_leaf(leaf.grey, leaf.mask, 0.01);
  EXPECT_EQ(mean_gradient(leaf), 0);
  std::vector<float> out(image_channels().size() * kSize * kSize);
  EXPECT_EQ(compute_channels(leaf, image_channels(), out).constant,
            (std::vector<Channel>{Channel::kGradient, Channel::kHighPass, Channel::kRadial,
                                  Channel::kOblique}));
}

// mechanics: names convert both ways; unknown names and wrong sizes are usage errors.
TEST(Channels, NamesAndSizes) {
  for (const Channel channel : all_channels()) {
    EXPECT_EQ(channel_from_name(name_of(channel)), channel);
  }
  const std::string refused = testing::refusal<UsageError>([] { channel_from_name("colour"); });
  EXPECT_TRUE(refused.starts_with("channel 'colour' is unknown; use grey, ")) << refused;
  for (const Channel channel : all_channels()) {
    EXPECT_NE(refused.find(name_of(channel)), refused.npos) << refused;
  }
  std::vector<float> out(kSize * kSize - 1);
  const Channel mask = Channel::kMask;
  EXPECT_THROW(compute_channels(ramp_leaf(), std::span(&mask, 1), out), UsageError);
}

}  // namespace
}  // namespace leafglyph
