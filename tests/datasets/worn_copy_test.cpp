// Worn copies of photographs: what is stated of them.
#include "datasets/leaf/worn_copy.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>

#include "features/base/errors.h"
#include "tests/support/leaf_test_images.h"

namespace leafglyph {
namespace {

constexpr int kWornWidth = testing::EllipseScene::kWidth,
              kWornHeight = testing::EllipseScene::kHeight;

// oracle: of 200 copies about a quarter each lost a part of the leaf by a hole or a cut, at most
// 15 % and the blurred rim, and are else as they were; were blurred, which keeps the mean; and have
// noise of at most 30 grey values on the paper.
TEST(WornCopy, AreOfFourKinds) {
  const testing::EllipseScene leaf;
  int damaged = 0, blurred = 0, noisy = 0;
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    const Image<std::uint8_t> worn = worn_copy(leaf.photograph, leaf.mask, seed).grey;
    double square = 0, count = 0, lost = 0, area = 0, changed = 0;
    for (std::size_t i = 0; i < worn.size(); ++i) {
      const int difference = worn.data()[i] - leaf.photograph.grey.data()[i];
      changed += difference != 0;
      if (leaf.mask.data()[i] != 0) {
        ++area;
        lost += worn.data()[i] > 200;
      } else if (i / kWornWidth < 10) {
        ++count;
        square += difference * difference;
      }
    }
    const double deviation = std::sqrt(square / count);
    if (deviation > 1) {
      ++noisy;
      EXPECT_LT(deviation, 31) << seed;
    } else if (lost > 0.015 * area && changed < 0.25 * area) {
      ++damaged;
      EXPECT_LT(lost, 0.2 * area) << seed;
      EXPECT_EQ(square, 0) << seed;
    } else {
      ++blurred;
      EXPECT_LT(lost, 0.05 * area) << seed;
    }
  }
  // Binomial with standard deviation 6 to 7; four of them.
  EXPECT_NEAR(noisy, 50, 26);
  EXPECT_NEAR(damaged, 100, 28);
  EXPECT_NEAR(blurred, 50, 26);
}

// mechanics: the same seed gives the same picture, of grey values and colours; a mask of another
// size, or without a leaf, is refused.
TEST(WornCopy, IsTheSameForASeed) {
  const testing::EllipseScene leaf;
  std::vector<std::uint8_t> colours;
  for (const std::uint8_t value : leaf.photograph.grey.pixels()) {
    colours.insert(colours.end(), {value, 255, value});
  }
  const Photograph green = colour_photograph(kWornWidth, kWornHeight, std::move(colours));
  for (std::uint64_t seed = 0; seed < 12; ++seed) {
    const Photograph once = worn_copy(green, leaf.mask, seed);
    EXPECT_EQ(once.colour, worn_copy(green, leaf.mask, seed).colour);
    EXPECT_NE(once.colour, green.colour);
    EXPECT_TRUE(std::ranges::equal(
        colour_photograph(kWornWidth, kWornHeight, once.colour).grey.pixels(), once.grey.pixels()));
  }
  EXPECT_THROW(worn_copy(green, Image<std::uint8_t>(3, 3), 0), UsageError);
  for (std::uint64_t seed = 0; seed < 3; ++seed) {
    EXPECT_THROW(worn_copy(green, Image<std::uint8_t>(kWornWidth, kWornHeight), seed), UsageError);
  }
}

}  // namespace
}  // namespace leafglyph
