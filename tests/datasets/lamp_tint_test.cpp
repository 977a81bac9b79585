// Lamps and papers of other colours, and generated leaves in colour.
#include "datasets/leaf/augmented_copy.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>

#include "datasets/leaf/synthetic_leaves.h"
#include "features/base/errors.h"
#include "features/leaf/leaf_colour.h"

namespace leafglyph {
namespace {

constexpr std::uint64_t kLampTintSeed = 11;

// oracle: linear light is multiplied by the lamp, on the paper also by the paper; white light keeps
// the 8-bit values.
TEST(LampTint, MultipliesLinearLight) {
  const Photograph photograph = colour_photograph(2, 1, {200, 150, 100, 90, 120, 60});
  Image<std::uint8_t> leaf(2, 1);
  leaf.at(0, 0) = 1;
  EXPECT_EQ(in_light(photograph, leaf, {1, 1, 1}, {1, 1, 1}).colour, photograph.colour);
  const Tint lamp = {1, 0.7, 0.4}, paper = {1, 0.9, 0.8};
  const Photograph lit = in_light(photograph, leaf, lamp, paper);
  for (std::size_t i = 0; i < 6; ++i) {
    const double light =
        linear_light(photograph.colour[i]) * lamp[i % 3] * (i < 3 ? 1 : paper[i % 3]);
    EXPECT_EQ(lit.colour[i], std::lround(encoded_light(light))) << i;
  }
  const Tint warm = tint_of(0.5, 0);
  EXPECT_DOUBLE_EQ(*std::ranges::max_element(warm), 1);
  EXPECT_DOUBLE_EQ(warm[0] / warm[2], std::exp(1.0));
  EXPECT_THROW(in_light(Photograph{leaf}, leaf, lamp, paper), UsageError);
  EXPECT_THROW(in_light(photograph, Image<std::uint8_t>(3, 1), lamp, paper), UsageError);
}

// invariant: the same seed gives the same light.
TEST(LampTint, DependsOnItsSeedAlone) {
  const Photograph leaf = draw_synthetic_leaf(1, 2, kLampTintSeed, DrawnColours::kDaylight);
  const Image<std::uint8_t> mask(leaf.grey.width(), leaf.grey.height());
  EXPECT_EQ(in_other_light(leaf, mask, 3).colour, in_other_light(leaf, mask, 3).colour);
  EXPECT_NE(in_other_light(leaf, mask, 3).colour, in_other_light(leaf, mask, 4).colour);
}

// invariant: a leaf in colour has the shape of the grey one. In daylight its grey values differ
// little, since the tones keep the luminance; at most a hundredth of the picture differs by more
// than 25 of 255.
TEST(ColouredLeaves, AreTheGreyOnes) {
  const Image<std::uint8_t> grey = draw_synthetic_leaf(3, 5, kLampTintSeed);
  const Photograph same = draw_synthetic_leaf(3, 5, kLampTintSeed, DrawnColours::kNone);
  EXPECT_FALSE(same.has_colour());
  EXPECT_TRUE(std::ranges::equal(same.grey.pixels(), grey.pixels()));
  const Photograph coloured = draw_synthetic_leaf(3, 5, kLampTintSeed, DrawnColours::kDaylight);
  ASSERT_TRUE(coloured.has_colour());
  int apart = 0;
  for (std::size_t i = 0; i < grey.size(); ++i) {
    apart += std::abs(coloured.grey.data()[i] - grey.data()[i]) > 25;
  }
  EXPECT_LT(apart, static_cast<int>(grey.size() / 100));
  EXPECT_EQ(coloured.colour,
            draw_synthetic_leaf(3, 5, kLampTintSeed, DrawnColours::kDaylight).colour);
  EXPECT_NE(coloured.colour, draw_synthetic_leaf(3, 5, kLampTintSeed, DrawnColours::kLamps).colour);
  EXPECT_THROW(draw_synthetic_leaf(-1, 0, kLampTintSeed, DrawnColours::kLamps), UsageError);
}

}  // namespace
}  // namespace leafglyph
