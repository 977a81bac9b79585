#include "features/leaf/resample_masked.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <random>
#include <vector>

#include "features/image/resample.h"
#include "tests/support/instruction_sets.h"

namespace leafglyph {
namespace {

// oracle: shrinking a linear ramp by a whole factor with the triangle filter gives a linear ramp.
TEST(Resample, KeepsALinearRamp) {
  std::vector<float> ramp(60 * 40);
  for (int row = 0; row < 40; ++row) {
    for (int x = 0; x < 60; ++x) ramp[60 * row + x] = static_cast<float>(2.0 * x - 3.0 * row);
  }
  std::vector<float> small(10 * 10);
  const ResampleAxis columns{60, 10, 1.0 / 3, 29.5, 4.5}, rows{40, 10, 0.7, 19.5, 4.5};
  resample(ramp, columns, rows, small);
  for (int v = 0; v < 10; ++v) {
    for (int u = 0; u < 10; ++u) {
      const double x = (u - 4.5) * 3 + 29.5, y = (v - 4.5) / 0.7 + 19.5;
      // Float sums of values up to 200; the triangle's weights are sampled, which shifts the mean
      // of an off-centre triangle by well under a hundredth of a pixel at this scale.
      EXPECT_NEAR(small[v * 10 + u], 2 * x - 3 * y, 0.3) << u << ", " << v;
    }
  }
}

using ResampleMasked = InstructionSets;

// agreement: mask and values resampled together equal each of them alone, to the last bit, with
// every instruction set.
TEST_F(ResampleMasked, MaskAndValuesTogetherAreThoseAlone) {
  constexpr int kWidth = 61, kHeight = 47;
  constexpr std::size_t kStride = 70;
  std::mt19937 random(5);
  std::vector<std::uint8_t> mask(kStride * kHeight), values(mask.size());
  for (std::size_t i = 0; i < mask.size(); ++i) {
    const std::size_t row = i / kStride;
    const double x = static_cast<double>(i % kStride) - 30, y = static_cast<double>(row) - 25;
    mask[i] = x * x + 2 * y * y < 600 && random() % 9 != 0;  // some rows are empty
    values[i] = static_cast<std::uint8_t>(random());
  }
  std::vector<float> inside, behind;
  for (int row = 0; row < kHeight; ++row) {
    for (std::size_t i = kStride * row; i < kStride * row + kWidth; ++i) {
      inside.push_back(mask[i]);
      behind.push_back(static_cast<float>(mask[i]) * static_cast<float>(values[i]));
    }
  }
  for (const double scale : {0.13, 0.5, 1.0, 1.7}) {
    const ResampleAxis columns{kWidth, 40, scale, 30.3, 19.5}, rows{kHeight, 36, scale, 24.8, 17.5};
    std::vector<float> alone(40 * 36), alone_values(alone.size());
    std::vector<float> coverage(alone.size()), covered(alone.size());
    resample(inside, columns, rows, alone);
    resample(behind, columns, rows, alone_values);
    for_each([&] {
      resample_masked({mask.data(), values.data(), kStride}, columns, rows, coverage, covered);
      EXPECT_EQ(alone, coverage) << scale;
      EXPECT_EQ(alone_values, covered) << scale;
      std::ranges::fill(coverage, 0.0F);
      each_resampled_row(
          {mask.data(), nullptr, kStride}, columns, rows, [&](const ResampledRow& row) {
            EXPECT_TRUE(row.values.empty());
            std::ranges::copy(row.coverage, coverage.begin() + 40 * row.row + row.first);
          });
      EXPECT_EQ(alone, coverage) << scale << ", without values";
    });
  }
}

}  // namespace
}  // namespace leafglyph
