// Augmented copies of photographs: their documented properties.
#include "datasets/leaf/augmented_copy.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "features/base/errors.h"
#include "tests/support/leaf_test_images.h"

namespace leafglyph {
namespace {

constexpr int kAugmentedWidth = testing::EllipseScene::kWidth,
              kAugmentedHeight = testing::EllipseScene::kHeight;

// oracle: among 200 copies, about half lost part of the leaf by a hole or a cut, a quarter each: at
// most 15 % and the blurred rim, and nothing else changed. A quarter were blurred, which keeps the
// mean, and a quarter have noise of at most 30 grey values on the paper.
TEST(AugmentedCopy, AreOfFourKinds) {
  const testing::EllipseScene leaf;
  int damaged = 0, blurred = 0, noisy = 0;
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    const Image<std::uint8_t> augmented = augmented_copy(leaf.photograph, leaf.mask, seed).grey;
    double square = 0, count = 0, lost = 0, area = 0, changed = 0;
    for (std::size_t i = 0; i < augmented.size(); ++i) {
      const int difference = augmented.data()[i] - leaf.photograph.grey.data()[i];
      changed += difference != 0;
      if (leaf.mask.data()[i] != 0) {
        ++area;
        lost += augmented.data()[i] > 200;
      } else if (i / kAugmentedWidth < 10) {
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
  // Binomial with a standard deviation of 6 to 7; the tolerance is four of them.
  EXPECT_NEAR(noisy, 50, 26);
  EXPECT_NEAR(damaged, 100, 28);
  EXPECT_NEAR(blurred, 50, 26);
}

// mechanics: the same seed gives the same picture, in grey values and colours; a mask of another
// size, or without a leaf, is refused.
TEST(AugmentedCopy, IsTheSameForASeed) {
  const testing::EllipseScene leaf;
  std::vector<std::uint8_t> colours;
  for (const std::uint8_t value : leaf.photograph.grey.pixels()) {
    colours.insert(colours.end(), {value, 255, value});
  }
  const Photograph green = colour_photograph(kAugmentedWidth, kAugmentedHeight, std::move(colours));
  for (std::uint64_t seed = 0; seed < 12; ++seed) {
    const Photograph once = augmented_copy(green, leaf.mask, seed);
    EXPECT_EQ(once.colour, augmented_copy(green, leaf.mask, seed).colour);
    EXPECT_NE(once.colour, green.colour);
    EXPECT_TRUE(std::ranges::equal(
        colour_photograph(kAugmentedWidth, kAugmentedHeight, once.colour).grey.pixels(),
        once.grey.pixels()));
  }
  EXPECT_THROW(augmented_copy(green, Image<std::uint8_t>(3, 3), 0), UsageError);
  for (std::uint64_t seed = 0; seed < 3; ++seed) {
    EXPECT_THROW(
        augmented_copy(green, Image<std::uint8_t>(kAugmentedWidth, kAugmentedHeight), seed),
        UsageError);
  }
}

}  // namespace
}  // namespace leafglyph
