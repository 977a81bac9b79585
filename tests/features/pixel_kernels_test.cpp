// The passes over the pixels of photographs, with every instruction set that this processor
// supports.
#include "features/leaf/pixel_kernels.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <random>
#include <vector>

#include "features/image/image.h"
#include "tests/support/instruction_sets.h"

namespace leafglyph {
namespace {

// Whole blocks of every instruction set, and a few pixels over.
constexpr std::size_t kPixels = 16 * 40 + 7;
constexpr std::uint8_t kUntouched = 77;

std::vector<std::uint8_t> random_bytes(std::size_t count, int most, unsigned seed) {
  std::mt19937 random(seed);
  std::uniform_int_distribution<int> value(0, most);
  std::vector<std::uint8_t> bytes(count);
  for (std::uint8_t& byte : bytes) byte = static_cast<std::uint8_t>(value(random));
  return bytes;
}

using PixelKernelsTest = InstructionSets;

// agreement: every possible colour has the grey value of grey_of.
TEST_F(PixelKernelsTest, EveryColourHasItsGreyValue) {
  constexpr std::size_t kPlane = 256 * 256;
  for_each([&] {
    std::vector<std::uint8_t> colours(3 * kPlane), grey(kPlane);
    for (unsigned red = 0; red < 256; ++red) {
      for (unsigned i = 0; i < kPlane; ++i) {
        colours[3 * i] = static_cast<std::uint8_t>(red);
        colours[3 * i + 1] = static_cast<std::uint8_t>(i / 256);
        colours[3 * i + 2] = static_cast<std::uint8_t>(i % 256);
      }
      pixel_kernels().grey(colours.data(), kPlane, grey.data());
      for (unsigned i = 0; i < kPlane; ++i) {
        ASSERT_EQ(grey[i], grey_of(red, i / 256, i % 256)) << red << " of pixel " << i;
      }
    }
  });
}

// oracle: the formula of pixel_kernels.h in double. Rounding accounts for half a value; the float
// errors of the shares, about 1e-7 of 1, for 1e-4 values.
TEST_F(PixelKernelsTest, LikenessFollowsItsFormula) {
  const PaperColour paper{0.36F, 0.33F, 0.25F, 40};
  const std::vector<std::uint8_t> colours = random_bytes(3 * kPixels, 255, 1);
  std::vector<std::uint8_t> first;
  for_each([&] {
    std::vector<std::uint8_t> likeness(kPixels + 1, kUntouched);
    pixel_kernels().likeness(colours.data(), kPixels, paper, likeness.data());
    for (std::size_t i = 0; i < kPixels; ++i) {
      const double r = colours[3 * i], g = colours[3 * i + 1], b = colours[3 * i + 2];
      const double sum = r + g + b;
      const double d =
          std::hypot((r + 1) / (sum + 3) - paper.red, (g + 1) / (sum + 3) - paper.green);
      const double weight = std::min(1.0, sum / 3 / paper.darkest);
      const double expected = std::clamp(255 * (1 - weight * d / paper.farthest), 0.0, 255.0);
      ASSERT_NEAR(likeness[i], expected, 0.5 + 1e-3) << i;
    }
    EXPECT_EQ(likeness[kPixels], kUntouched);
    if (first.empty()) first = likeness;
    EXPECT_EQ(likeness, first);
  });
}

// oracle: one pixel at a time; products of bytes and this weight are exact.
TEST_F(PixelKernelsTest, PixelsOfAMaskAreAdded) {
  constexpr float kWeight = 0.125F;
  const std::vector<std::uint8_t> grey = random_bytes(kPixels, 255, 2);
  const std::vector<std::uint8_t> mask = random_bytes(kPixels, 1, 3);
  for_each([&] {
    std::vector<float> shares(kPixels + 1, 1), sums(kPixels + 1, 2);
    pixel_kernels().add_masked(mask.data(), grey.data(), kPixels, kWeight, shares.data(),
                               sums.data());
    for (std::size_t i = 0; i < kPixels; ++i) {
      const float inside = mask[i] != 0 ? 1 : 0;
      ASSERT_EQ(shares[i], 1 + kWeight * inside) << i;
      ASSERT_EQ(sums[i], 2 + kWeight * inside * static_cast<float>(grey[i])) << i;
    }
    EXPECT_EQ(shares[kPixels], 1);
    EXPECT_EQ(sums[kPixels], 2);
    std::vector<float> alone(kPixels + 1, 1);
    pixel_kernels().add_masked(mask.data(), nullptr, kPixels, kWeight, alone.data(), nullptr);
    EXPECT_EQ(alone, shares);
  });
}

// oracle: one pixel at a time; sums of bytes are exact. One row is longer than the stretches in
// which columns are summed.
TEST_F(PixelKernelsTest, SumsOfRows) {
  for (const std::size_t count : {std::size_t{0}, kPixels, std::size_t{3 * 4096 + 5}}) {
    const std::vector<std::uint8_t> grey = random_bytes(count, 255, 4);
    const std::vector<std::uint8_t> mask = random_bytes(count, 1, 5);
    std::uint64_t inside = 0, columns = 0, of_inside = 0, of_all = 0;
    for (std::size_t i = 0; i < count; ++i) {
      inside += mask[i];
      columns += mask[i] * i;
      of_inside += static_cast<std::uint64_t>(mask[i]) * grey[i];
      of_all += grey[i];
    }
    for_each([&] {
      const GreySums greys = pixel_kernels().grey_sums(mask.data(), grey.data(), count);
      EXPECT_EQ(greys.inside, inside);
      EXPECT_EQ(greys.of_inside, of_inside);
      EXPECT_EQ(greys.of_all, of_all);
      const MaskSums masks = pixel_kernels().mask_sums(mask.data(), count);
      EXPECT_EQ(masks.inside, inside);
      EXPECT_EQ(masks.columns, columns);
    });
  }
}

// invariant: nothing is written if there are no pixels.
TEST_F(PixelKernelsTest, NoPixelsAreNone) {
  for_each([&] {
    std::uint8_t untouched = kUntouched;
    pixel_kernels().grey(nullptr, 0, &untouched);
    pixel_kernels().likeness(nullptr, 0, {}, &untouched);
    EXPECT_EQ(untouched, kUntouched);
  });
}

}  // namespace
}  // namespace leafglyph
