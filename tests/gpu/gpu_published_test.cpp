// CUDA kernels from the literature against the definition. Skipped without a GPU.
#include <gtest/gtest.h>

#include <cmath>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "features/base/errors.h"
#include "features/base/statistics.h"
#include "features/moments/jacobi_polynomials.h"
#include "gpu/devices.h"
#include "tests/support/moment_oracle.h"
#include "tests/support/plans.h"
#include "tests/support/random_image.h"
#include "tools/literature/cuda/published.h"

namespace leafglyph::gpu::published {
namespace {

constexpr unsigned kGpuPublishedSeed = 41;

class GpuPublished : public ::testing::Test {
 protected:
  void SetUp() override {
    const std::string reason = find_gpus().reason;
    if (!reason.empty()) GTEST_SKIP() << reason;
  }
};

// oracle: the definition, with sub-regions, with and without a centre pixel
TEST_F(GpuPublished, KintnersStrategiesAgreeWithTheOracle) {
  constexpr int kOrder =
      20;  // S1 launches four kernels per moment, each of which racecheck watches
  for (const int size : {16, 27}) {
    const auto image = random_image(size, kGpuPublishedSeed);
    for (const int k : {1, 3}) {
      const auto expected = oracle::moments(Family::kZernike, kOrder, k, image, size);
      for (const auto strategy : {KintnerStrategy::kStoreAndReduce, KintnerStrategy::kCopies,
                                  KintnerStrategy::kAllocations, KintnerStrategy::kAtomic,
                                  KintnerStrategy::kAtomicConstant, KintnerStrategy::kFourfold,
                                  KintnerStrategy::kEightfold}) {
        const bool hardware = strategy == KintnerStrategy::kAtomicConstant ||
                              strategy == KintnerStrategy::kFourfold ||
                              strategy == KintnerStrategy::kEightfold;
        // Float sine instructions are accurate to 2^-21, double recurrences to 1e-12 at order 20.
        EXPECT_LT(relative_l2(kintner_moments(strategy, kOrder, k, image, size).moments, expected),
                  hardware ? 2e-6 : 1e-12)
            << kintner_strategy_name(strategy) << ", N = " << size << ", k = " << k << ", seed "
            << kGpuPublishedSeed;
      }
    }
  }
}

// oracle: the definition
TEST_F(GpuPublished, FactorialSumsAgreeWithTheOracle) {
  const int size = 22;
  const auto image = random_image(size, kGpuPublishedSeed);
  const auto expected = oracle::moments(Family::kZernike, 34, 1, image, size);
  for (const auto method :
       {FactorialMethod::kBaseline, FactorialMethod::kSymmetric, FactorialMethod::kDirect,
        FactorialMethod::kLookup, FactorialMethod::kRelayout}) {
    for (const int n : {0, 1, 2, 11, 20, 34}) {
      const auto first =
          expected.begin() + static_cast<long>(moment_position(Family::kZernike, n, n % 2));
      const std::vector<std::complex<long double>> row(first, first + n / 2 + 1);
      // The terms of the sum grow to 1e10 at order 34 while the sum is at most 1.
      const double tolerance = n <= 20 ? 1e-8 : 1e-3;
      EXPECT_LT(relative_l2(factorial_moments(method, n, n % 2, n, image, size).moments, row),
                tolerance)
          << "method " << static_cast<int>(method) << ", n = " << n;
      EXPECT_LT(relative_l2(factorial_moments(method, n, n, n, image, size).moments,
                            std::vector{row.back()}),
                tolerance)
          << "n = m = " << n;
    }
  }
  // An image cut into parts, on every GPU, and twice on the first.
  std::vector<GpuDevice> gpus = find_gpus().devices;
  gpus.push_back(gpus.front());
  const auto first = expected.begin() + static_cast<long>(moment_position(Family::kZernike, 12, 0));
  const std::vector<std::complex<long double>> row(first, first + 7);
  EXPECT_LT(relative_l2(factorial_moments_on(gpus, 12, 0, 12, image, size).moments, row), 1e-8);
  EXPECT_THROW(factorial_moments(FactorialMethod::kLookup, 35, 1, 1, image, size), UsageError);
  EXPECT_THROW(factorial_moments(FactorialMethod::kLookup, 4, 1, 1, image, size), UsageError);
  EXPECT_THROW(factorial_moments(FactorialMethod::kLookup, 4, 0, 0, image, 21), UsageError);
}

// oracle: the definition, at sizes of one block of the octant and of several
TEST_F(GpuPublished, CombinedKernelAgreesWithTheOracle) {
  for (const int size : {22, 64}) {
    const auto image = random_image(size, kGpuPublishedSeed);
    const auto expected = oracle::moments(Family::kZernike, 34, 1, image, size);
    // The terms of the polynomials grow to 1e10 at order 34 while their sum is at most 1.
    EXPECT_LT(relative_l2(combined_moments(34, image, size).moments, expected), 1e-4)
        << "N = " << size;
    EXPECT_LT(relative_l2(combined_moments(12, image, size).moments,
                          std::span(expected).first(moment_count(Family::kZernike, 12))),
              1e-11)
        << "N = " << size;
  }
  EXPECT_THROW(combined_moments(35, random_image(8, kGpuPublishedSeed), 8), UsageError);
  EXPECT_THROW(combined_moments(4, random_image(9, kGpuPublishedSeed), 9), UsageError);
}

// oracle: the definition, with and without a centre pixel, where the recurrence divides by 0
TEST_F(GpuPublished, QRecursiveMethodAgreesWithTheOracle) {
  for (const int size : {16, 27}) {
    const auto image = random_image(size, kGpuPublishedSeed);
    const auto expected = oracle::moments(Family::kZernike, 34, 1, image, size);
    // The recurrence loses two digits by order 34 on the processor, too (bench_published errors).
    EXPECT_LT(relative_l2(q_recursive_moments(34, image, size).moments, expected), 1e-11)
        << "N = " << size << ", seed " << kGpuPublishedSeed;
  }
  EXPECT_THROW(q_recursive_moments(-1, random_image(8, kGpuPublishedSeed), 8), UsageError);
}

// agreement: the same tables of the processor
TEST_F(GpuPublished, OriginKernelAgreesWithTheProcessor) {
  for (const int size : {16, 27, 132}) {  // without a corner at radius 1, which rounding decides
    const auto expected = leafglyph::published::polar_tables(size);
    const auto got = origin_tables(size).tables;
    EXPECT_LT(relative_l2(got.rho, expected.rho), 1e-6);      // float roundings
    EXPECT_LT(relative_l2(got.theta, expected.theta), 1e-6);  // the same
    EXPECT_EQ(got.mask, expected.mask) << "N = " << size;
  }
}

// oracle: the definition, all samples at once and in parts
TEST_F(GpuPublished, DengsRecursionAgreesWithTheOracleWholeAndInParts) {
  for (const int size : {16, 27}) {
    const auto image = random_image(size, kGpuPublishedSeed);
    for (const Family family : {Family::kZernike, Family::kPseudoZernike}) {
      for (const int k : {1, 2}) {
        const auto expected = oracle::moments(family, 20, k, image, size);
        for (const auto precision : {Precision::kDouble, Precision::kFloat}) {
          const std::size_t sample = deng_sample_bytes(family, precision, 20);
          for (const std::size_t scratch : {std::size_t{0}, 7 * sample}) {
            EXPECT_LT(
                relative_l2(deng_moments(family, precision, 20, k, image, size, scratch).moments,
                            expected),
                // a stable recursion: 20 steps in double, and in float
                precision == Precision::kDouble ? 1e-12 : 2e-5)
                << family_name(family) << ", N = " << size << ", k = " << k << ", " << scratch
                << " bytes, " << precision_name(precision);
          }
        }
      }
    }
  }
  EXPECT_THROW(deng_moments(Family::kZernike, Precision::kFloat, 30, 1,
                            random_image(8, kGpuPublishedSeed), 8, 100),
               UsageError);
}

// agreement: LeafGlyph's moments on the CPU, at a size at which copies to the GPU take longer than
// a launch
TEST_F(GpuPublished, LargeImagesAgreeWithThePlan) {
  const int size = 512;
  const int order = 60;
  const auto image = random_image(size, kGpuPublishedSeed);
  const auto plan = cpu_plan({Family::kZernike, order}, size);
  const auto expected = moments_of(*plan, image);
  for (int repeat = 0; repeat < 3; ++repeat) {
    // S1 launches four kernels per moment, each of which racecheck watches: fewer moments do.
    for (const auto& [strategy, own_order] :
         {std::pair{KintnerStrategy::kStoreAndReduce, 24}, {KintnerStrategy::kEightfold, order}}) {
      const std::span own(expected.data(), moment_count(Family::kZernike, own_order));
      EXPECT_LT(relative_l2(kintner_moments(strategy, own_order, 1, image, size).moments, own),
                strategy == KintnerStrategy::kEightfold ? 2e-6 : 1e-12)  // float sine, or double
          << kintner_strategy_name(strategy);
    }
    EXPECT_LT(relative_l2(deng_moments(Family::kZernike, Precision::kDouble, order, 1, image, size,
                                       std::size_t{1} << 30)
                              .moments,
                          expected),
              1e-12);  // 60 stable steps in double
  }
}

// agreement: LeafGlyph's moments and image on the CPU
TEST_F(GpuPublished, BesselFourierKernelsAgreeWithThePlan) {
  for (const int size : {24, 27}) {
    const auto image = random_image(size, kGpuPublishedSeed);
    for (const int k : {1, 3}) {
      const MomentSpec spec{Family::kBesselFourier, 20, Method::kSubregion, k};
      const auto plan = cpu_plan(spec, size);
      std::vector<std::complex<double>> expected(plan->moment_count());
      plan->moments(ImageBatch(image, 1, size), expected);
      std::vector<double> expected_image(image.size());
      plan->reconstruct(expected, {0, top_order(spec)}, expected_image);
      for (const auto precision : {Precision::kDouble, Precision::kFloat}) {
        std::vector<double> back(image.size());
        const Result result = bessel_fourier_moments(precision, 20, k, image, size, back);
        // The arguments of J_1, up to 64, and of the sine, up to 20 pi, are rounded first.
        const double tolerance = precision == Precision::kDouble ? 1e-11 : 1e-5;
        EXPECT_LT(relative_l2(result.moments, expected), tolerance)
            << "N = " << size << ", k = " << k << ", " << precision_name(precision);
        // In parts: a sample takes 5 * 20 + 14 numbers of at most 8 bytes.
        EXPECT_LT(
            relative_l2(
                bessel_fourier_moments(precision, 20, k, image, size, {}, 7 * 114 * 8).moments,
                expected),
            tolerance)
            << "in parts, N = " << size << ", k = " << k << ", " << precision_name(precision);
        if (k == 1) {  // the plan's mask for k = 3 omits pixels that the kernel fills
          EXPECT_LT(relative_l2(back, expected_image), tolerance)
              << "N = " << size << ", " << precision_name(precision);
        }
      }
    }
  }
}

// oracle: sums of p_n(x) p_m(y) and the weights at the right edges of sub-pixels, in long double
TEST_F(GpuPublished, JacobiKernelsSampleAtTheRightEdge) {
  constexpr int kSize = 20;
  constexpr int kOrder = 6;
  constexpr int kPoints = 3;
  const JacobiWeight weight{0.3, 0.7};
  const auto values = random_values(kSize * kSize, kGpuPublishedSeed);
  const JacobiRecurrence recurrence(weight, kOrder);
  std::vector<std::vector<long double>> at(kSize, std::vector<long double>(kOrder + 1));
  for (int i = 0; i < kSize; ++i) {
    for (int h = 1; h <= kPoints; ++h) {
      const long double x = -1.0L + 2.0L * (i * kPoints + h) / (kPoints * kSize);
      std::vector<long double> p(kOrder + 1);
      recurrence.evaluate(x, p);
      for (std::size_t n = 0; n < p.size(); ++n) {
        at[static_cast<std::size_t>(i)][n] +=
            p[n] * std::pow(1.0L - x, 0.3L) * std::pow(1.0L + x, 0.7L) * 2.0L / (kPoints * kSize);
      }
    }
  }
  std::vector<double> expected;
  for (std::size_t m = 0; m <= kOrder; ++m) {
    for (std::size_t n = 0; n <= kOrder; ++n) {
      long double sum = 0.0L;
      for (std::size_t y = 0; y < kSize; ++y) {
        for (std::size_t x = 0; x < kSize; ++x) {
          sum += values[y * kSize + x] * at[x][n] * at[y][m];
        }
      }
      expected.push_back(static_cast<double>(sum));
    }
  }
  const std::vector<float> single(values.begin(), values.end());
  const JacobiResult result =
      jacobi_moments(weight, kOrder, kPoints, single, kSize, 1, SampleAt::kRightEdge);
  EXPECT_LT(relative_l2(result.values, expected), 1e-5);  // float, fast powers
}

// agreement: LeafGlyph's moments of images and volumes, whose rows run downwards
TEST_F(GpuPublished, JacobiKernelsAgreeWithThePlan) {
  const int size = 20;
  const int order = 12;
  for (const JacobiWeight weight : {JacobiWeight{0.3, 0.3}, JacobiWeight{0.3, 0.7}}) {
    for (const int depth : {1, size}) {
      for (const int k : {1, 5}) {
        const auto values =
            random_values(static_cast<std::size_t>(size) * size * static_cast<std::size_t>(depth),
                          kGpuPublishedSeed);
        MomentSpec spec{Family::kJacobi, order, Method::kSubregion, k, weight};
        const ArraySize shape{size, size, depth > 1 ? depth : 0};
        const auto plan = cpu_plan(spec, shape);
        std::vector<std::complex<double>> expected(plan->moment_count());
        plan->moments(ImageBatch(std::span<const double>(values), 1, shape), expected);
        std::vector<double> expected_volume(values.size());
        plan->reconstruct(expected, {0, order}, expected_volume);
        std::vector<float> upwards;
        const auto flip = [&](std::size_t i) {
          const auto n = static_cast<std::size_t>(size);
          return i / (n * n) * n * n + (n - 1 - i / n % n) * n + i % n;
        };
        for (std::size_t i = 0; i < values.size(); ++i) {
          upwards.push_back(static_cast<float>(values[flip(i)]));
        }
        const JacobiResult result = jacobi_moments(weight, order, k, upwards, size, depth);
        std::vector<double> back;
        for (std::size_t i = 0; i < values.size(); ++i) {
          back.push_back(static_cast<double>(result.volume[flip(i)]));
        }
        EXPECT_LT(relative_l2(back, expected_volume), 1e-5)  // float, fast powers
            << "alpha " << weight.alpha << ", beta " << weight.beta << ", depth " << depth
            << ", k = " << k << ", seed " << kGpuPublishedSeed;
      }
    }
  }
}

}  // namespace
}  // namespace leafglyph::gpu::published
