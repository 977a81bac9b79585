// The passes over the pixels of photographs, with every instruction set that this processor
// supports.
#include "features/leaf/pixel_kernels.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
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
  const PaperChromaticity paper{0.36F, 0.33F, 0.25F, 40};
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

// oracle: the formula in double. Rounding accounts for half a value; float errors of the distance,
// about 1e-7 of 442, for 1e-4 values.
TEST_F(PixelKernelsTest, NearnessFollowsItsFormula) {
  const PaperColour paper{220, 190, 140, 0.65F, 190};
  const std::vector<std::uint8_t> colours = random_bytes(3 * kPixels, 255, 1);
  std::vector<std::uint8_t> first;
  for_each([&] {
    std::vector<std::uint8_t> nearness(kPixels + 1, kUntouched);
    pixel_kernels().nearness(colours.data(), kPixels, paper, nearness.data());
    for (std::size_t i = 0; i < kPixels; ++i) {
      const double r = colours[3 * i], g = colours[3 * i + 1], b = colours[3 * i + 2];
      const double along = (r * 220 + g * 190 + b * 140) / (220 * 220 + 190 * 190 + 140 * 140);
      const double light = std::max<double>(paper.shadow, along);
      const double d = std::hypot(r - light * 220, g - light * 190, b - light * 140);
      const double expected = std::clamp(255 * (1 - d / paper.farthest), 0.0, 255.0);
      ASSERT_NEAR(nearness[i], expected, 0.5 + 1e-3) << i;
    }
    EXPECT_EQ(nearness[kPixels], kUntouched);
    if (first.empty()) first = nearness;
    EXPECT_EQ(nearness, first);
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

// oracle: one pixel at a time, with whole numbers that floats hold exactly; along a row whose own
// pixels are the rows, and with fewer pixels than a block has.
TEST_F(PixelKernelsTest, RowsAreFilteredSymmetrically) {
  constexpr std::size_t kRadius = 3;
  const std::vector<float> weights = {8, 5, 2, 1};
  for (const std::size_t count : {std::size_t{3}, kPixels}) {
    const std::vector<std::uint8_t> bytes = random_bytes(count + 2 * kRadius, 255, 6);
    for_each([&] {
      std::vector<float> values(bytes.size() + 1, kUntouched);
      pixel_kernels().scaled(bytes.data(), bytes.size(), 3, values.data());
      EXPECT_EQ(values.back(), kUntouched);
      std::vector<const float*> rows;
      for (std::size_t i = 0; i <= 2 * kRadius; ++i) rows.push_back(values.data() + i);
      std::vector<float> filtered(count + 1, kUntouched);
      pixel_kernels().filter_rows(rows.data(), weights.data(), kRadius, count, filtered.data());
      for (std::size_t i = 0; i < count; ++i) {
        const auto at = [&](std::size_t k) { return 3 * static_cast<int>(bytes[i + k]); };
        ASSERT_EQ(filtered[i], static_cast<float>(8 * at(3) + 5 * (at(2) + at(4)) +
                                                  2 * (at(1) + at(5)) + at(0) + at(6)))
            << i;
      }
      EXPECT_EQ(filtered.back(), kUntouched);
    });
  }
}

// oracle: the second difference of second differences, one pixel at a time. One row is longer than
// the stretches in which pixels are counted.
TEST_F(PixelKernelsTest, FlatPixelsAreCounted) {
  for (const std::size_t count : {std::size_t{2}, kPixels, std::size_t{4096 + 9}}) {
    const std::vector<std::uint8_t> above = random_bytes(count, 9, 7);
    const std::vector<std::uint8_t> here = random_bytes(count, 9, 8);
    const std::vector<std::uint8_t> below = random_bytes(count, 9, 9);
    for (const int most : {0, 7}) {
      std::size_t flat = 0;
      for (std::size_t i = 0; i < count; ++i) {
        const auto down = [&](std::size_t x) { return above[x] - 2 * here[x] + below[x]; };
        const std::size_t left = i > 0 ? i - 1 : 1, right = i + 1 < count ? i + 1 : count - 2;
        flat += std::abs(down(left) - 2 * down(i) + down(right)) <= most ? 1 : 0;
      }
      for_each([&] {
        std::vector<std::int16_t> room(count + 2);
        EXPECT_EQ(pixel_kernels().flat_pixels(above.data(), here.data(), below.data(), count, most,
                                              room.data()),
                  flat);
      });
    }
  }
}

// oracle: bilinear interpolation in double at the rounded positions; weights are multiples of
// 1/1024 and values whole, so that sums are exact. Positions beyond the plane are 0.
TEST_F(PixelKernelsTest, SamplesLieBetweenFourPixels) {
  constexpr int kWidth = 9, kHeight = 6;
  std::vector<float> plane(kWidth * kHeight);
  for (int row = 1; row + 1 < kHeight; ++row) {
    for (int column = 1; column + 1 < kWidth; ++column) {
      plane[static_cast<std::size_t>(kWidth * row + column)] =
          static_cast<float>(7 * row * row + 3 * column);
    }
  }
  const auto at = [&](int row, int column) {
    const bool inside = row >= 0 && column >= 0 && row < kHeight && column < kWidth;
    return inside ? static_cast<double>(plane[static_cast<std::size_t>(kWidth * row + column)]) : 0;
  };
  for (const std::size_t count : {std::size_t{5}, kPixels}) {
    std::mt19937 random(10);
    std::uniform_int_distribution<int> anywhere(-3 * 1024, 12 * 1024);
    std::vector<std::int32_t> across(count), down(count);
    for (std::int32_t& x : across) x = anywhere(random);
    for (std::int32_t& y : down) y = anywhere(random);
    for_each([&] {
      std::vector<float> samples(count + 1, kUntouched);
      pixel_kernels().sample({plane.data(), kWidth, kHeight}, {50, -70, across.data(), down.data()},
                             count, samples.data());
      for (std::size_t i = 0; i < count; ++i) {
        const double x = std::floor((across[i] + 50 + 16) / 32.0) / 32;
        const double y = std::floor((down[i] - 70 + 16) / 32.0) / 32;
        const int column = static_cast<int>(std::floor(x)), row = static_cast<int>(std::floor(y));
        const double right = x - column, below = y - row;
        const double expected =
            (1 - below) * ((1 - right) * at(row, column) + right * at(row, column + 1)) +
            below * ((1 - right) * at(row + 1, column) + right * at(row + 1, column + 1));
        ASSERT_EQ(samples[i], expected) << i;
      }
      EXPECT_EQ(samples.back(), kUntouched);
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
