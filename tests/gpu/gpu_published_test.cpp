// oracle: the published kernels against the definition. Skipped where there is no GPU.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "features/base/errors.h"
#include "features/base/relative_error.h"
#include "gpu/devices.h"
#include "gpu/published/published.h"
#include "tests/support/moment_oracle.h"
#include "tests/support/random_image.h"

namespace leafglyph::gpu::published {
namespace {

constexpr unsigned kSeed = 41;

class GpuPublished : public ::testing::Test {
 protected:
  void SetUp() override {
    const std::string reason = find_gpus().reason;
    if (!reason.empty()) GTEST_SKIP() << reason;
  }
};

// oracle: the definition in long double.
TEST_F(GpuPublished, KintnerVariantsAgreeWithTheOracle) {
  for (const int size : {16, 27}) {
    const auto image = random_image(size, kSeed);
    const auto expected = oracle::moments(Family::kZernike, 40, 1, image, size);
    for (const auto variant :
         {KintnerVariant::kStoreAndReduce, KintnerVariant::kAtomic, KintnerVariant::kAtomicConstant,
          KintnerVariant::kFourfold, KintnerVariant::kEightfold}) {
      const bool hardware =
          variant != KintnerVariant::kStoreAndReduce && variant != KintnerVariant::kAtomic;
      // Float sine instructions are good to 2^-21; double recurrences to 1e-12 at order 40.
      EXPECT_LT(relative_l2(kintner_moments(variant, 40, image, size).moments, expected),
                hardware ? 2e-6 : 1e-12)
          << kintner_variant_name(variant) << ", N = " << size << ", seed " << kSeed;
    }
  }
}

// oracle: the definition in long double.
TEST_F(GpuPublished, FactorialSumsAgreeWithTheOracle) {
  const int size = 21;
  const auto image = random_image(size, kSeed);
  const auto expected = oracle::moments(Family::kZernike, 34, 1, image, size);
  for (const int n : {0, 1, 2, 11, 20, 34}) {
    const auto first =
        expected.begin() + static_cast<long>(moment_position(Family::kZernike, n, n % 2));
    const std::vector<std::complex<long double>> row(first, first + n / 2 + 1);
    // The terms of the sum grow to 1e10 at order 34 while the sum is at most 1.
    const double tolerance = n <= 20 ? 1e-8 : 1e-3;
    EXPECT_LT(relative_l2(factorial_order(n, image, size).moments, row), tolerance) << "n = " << n;
    const auto single = factorial_moment(n, n, image, size).moments;
    EXPECT_LT(relative_l2(single, std::vector{row.back()}), tolerance) << "n = m = " << n;
  }
  EXPECT_THROW(factorial_order(35, image, size), UsageError);
}

// oracle: the definition in long double.
TEST_F(GpuPublished, DengsRecursionAgreesWithTheOracleWholeAndInParts) {
  for (const int size : {16, 27}) {
    const auto image = random_image(size, kSeed);
    for (const Family family : {Family::kZernike, Family::kPseudoZernike}) {
      const auto expected = oracle::moments(family, 30, 1, image, size);
      // all pixels at once, and parts of 52 pixels (768 bytes of rows a pixel)
      for (const std::size_t scratch : {std::size_t{1} << 24, std::size_t{40000}}) {
        EXPECT_LT(relative_l2(deng_moments(family, 30, image, size, scratch).moments, expected),
                  1e-12)  // a stable recursion in double
            << family_name(family) << ", N = " << size << ", " << scratch << " bytes";
      }
    }
  }
  EXPECT_THROW(deng_moments(Family::kZernike, 30, random_image(8, kSeed), 8, 100), UsageError);
}

}  // namespace
}  // namespace leafglyph::gpu::published
