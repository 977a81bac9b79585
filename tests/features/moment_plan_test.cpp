#include <gtest/gtest.h>

#include <limits>
#include <random>

#include "features/base/errors.h"
#include "features/base/statistics.h"
#include "features/base/threads.h"
#include "tests/features/toy_family.h"
#include "tests/support/moment_oracle.h"
#include "tests/support/plans.h"
#include "tests/support/random_image.h"
#include "tests/support/refusal.h"

namespace leafglyph {
namespace {

constexpr unsigned kMomentPlanSeed = 20240501;

std::vector<std::complex<double>> compute(const MomentSpec& spec, const std::vector<double>& images,
                                          std::size_t count, int size,
                                          Precision precision = Precision::kDouble) {
  PlanOptions options;
  options.device.kind = DeviceChoice::Kind::kCpu;
  options.precision = precision;
  auto engine = make_moment_plan(spec, size, options);
  std::vector<std::complex<double>> out(count * engine->moment_count());
  engine->moments(ImageBatch(images, count, size), out);
  return out;
}

// Why a plan does not compute the moments of a batch; empty if it does.
std::string refusal(MomentPlan& plan, const ImageBatch& images) {
  std::vector<std::complex<double>> out(images.count * plan.moment_count());
  return testing::refusal([&] { plan.moments(images, out); });
}

// mechanics: an algorithm of the caller's runs on the CPU for the directions that it supports,
// wherever LeafGlyph's own algorithms would run
TEST(MomentPlan, AlgorithmsOfOnesOwnRunOnTheCpu) {
  const MomentSpec spec{kFourierMellin, 3};
  const std::vector<const CpuAlgorithm*> own = {&kFourierMellinImages};
  PlanOptions options;
  options.algorithms = own;
  std::string chosen;
  options.log = [&chosen](const std::string& line) { chosen = line; };
  const auto plan = make_moment_plan(spec, 8, options);
  plan->prepare(MomentPlan::Direction::kMoments);
  EXPECT_TRUE(chosen.starts_with("moments: CPU, ")) << chosen;
  plan->prepare(MomentPlan::Direction::kImages);
  EXPECT_NE(chosen.find("algorithm sums of terms"), std::string::npos) << chosen;
  options.device.kind = DeviceChoice::Kind::kCuda;
  EXPECT_THROW(make_moment_plan(spec, 8, options), UsageError);
  options.algorithms = {};
  options.device.kind = DeviceChoice::Kind::kCpu;
  const auto without = make_moment_plan(spec, 8, options);
  EXPECT_THROW(without->prepare(MomentPlan::Direction::kImages), UsageError);
}

// agreement: rows and images that are apart or in reverse order, and their adjacent copies
TEST(MomentPlan, RowsApartHaveTheMomentsOfAdjacentOnes) {
  constexpr int kSize = 17;
  constexpr int kWidth = 40;
  constexpr int kImages = 5;
  const auto square = random_image(kWidth, kMomentPlanSeed + 5);
  const std::vector<float> pixels(square.begin(), square.end());
  // Image b begins 3 rows further down than image b - 1, or further up.
  for (const int rows : {3, -3}) {
    const int first = rows > 0 ? 3 * kWidth + 7 : (kWidth - 1) * kWidth + 7;
    const int row_stride = rows > 0 ? kWidth : -kWidth;
    std::vector<float> copies;
    for (int b = 0; b < kImages; ++b) {
      for (int j = 0; j < kSize; ++j) {
        const auto row = pixels.begin() + first + b * rows * kWidth + j * row_stride;
        copies.insert(copies.end(), row, row + kSize);
      }
    }
    ImageBatch apart(std::span<const float>(pixels), kImages, kSize);
    apart.pixels = pixels.data() + first;
    apart.row_stride = row_stride;
    apart.image_stride = rows * kWidth;
    const ImageBatch adjacent(std::span<const float>(copies), kImages, kSize);
    for (const Precision precision : {Precision::kFloat, Precision::kDouble}) {
      for (const Family family : {Family::kZernike, Family::kPseudoZernike}) {
        PlanOptions options;
        options.device.kind = DeviceChoice::Kind::kCpu;
        options.precision = precision;
        const auto plan = make_moment_plan({family, 8}, kSize, options);
        ASSERT_TRUE(plan->reads(apart)) << plan->describe();
        std::vector<std::complex<double>> expected(kImages * plan->moment_count());
        std::vector<std::complex<double>> got(expected.size());
        plan->moments(adjacent, expected);
        plan->moments(apart, got);
        EXPECT_EQ(got, expected) << plan->describe();
        std::vector<float> expected_magnitudes(expected.size());
        std::vector<float> magnitudes(expected.size());
        plan->magnitudes(adjacent, expected_magnitudes);
        plan->magnitudes(apart, magnitudes);
        EXPECT_EQ(magnitudes, expected_magnitudes) << plan->describe();
      }
    }
  }
}

// mechanics: an infinite pixel of rows that are apart is named, and other plans refuse such rows
TEST(MomentPlan, RowsApartAreNamedOrRefused) {
  constexpr int kSize = 8;
  std::vector<double> pixels(2 * kSize * kSize, 1.0);
  pixels[2 * kSize * 3 + 4] = std::numeric_limits<double>::infinity();  // row 3 of every second row
  pixels[kSize] = std::numeric_limits<double>::quiet_NaN();             // between two rows
  ImageBatch apart(std::span<const double>(pixels), 1, kSize);
  apart.row_stride = 2 * kSize;
  PlanOptions options;
  options.device.kind = DeviceChoice::Kind::kCpu;
  const auto plan = make_moment_plan({Family::kZernike, 4}, kSize, options);
  EXPECT_NE(refusal(*plan, apart).find("row 3, column 4"), std::string::npos);
  const auto square = make_moment_plan({Family::kLegendre, 4}, kSize, options);
  EXPECT_FALSE(square->reads(apart));
  EXPECT_TRUE(square->reads(ImageBatch(std::span<const double>(pixels), 1, kSize)));
  EXPECT_NE(refusal(*square, apart).find("not adjacent"), std::string::npos);
  // Pixels are numbered in 32 bits.
  apart.row_stride = std::numeric_limits<std::int32_t>::max() / 2;
  EXPECT_FALSE(plan->reads(apart));
}

// oracle: the definition in long double with a different radial recurrence
TEST(MomentPlan, AgreesWithTheOracleToOrder60) {
  for (const Family family : {Family::kZernike, Family::kPseudoZernike}) {
    for (const int size : {2, 9, 24, 33}) {
      const auto image = random_image(size, kMomentPlanSeed);
      const auto expected = oracle::moments(family, 60, 1, image, size);
      const auto got = compute({family, 60}, image, 1, size);
      // 1e-12: the bound the library states for order 60 in double
      EXPECT_LT(relative_l2(got, expected), 1e-12) << family_name(family) << " N=" << size;
    }
  }
}

// oracle: the same for sub-regions
TEST(MomentPlan, SubregionsAgreeWithTheOracle) {
  for (const Family family : {Family::kZernike, Family::kPseudoZernike}) {
    for (const int k : {2, 3}) {
      for (const int size : {8, 11}) {
        const auto image = random_image(size, kMomentPlanSeed + 1);
        const auto expected = oracle::moments(family, 20, k, image, size);
        MomentSpec spec{family, 20};
        spec.points = k;
        EXPECT_LT(relative_l2(compute(spec, image, 1, size), expected), 1e-12)
            << family_name(family) << " k=" << k << " N=" << size;
      }
    }
  }
}

// agreement: float against double, pixel types against each other, batches against single images
TEST(MomentPlan, FastAgreesWithExactWithinItsStatedError) {
  const int size = 64;
  const std::size_t count = 70;  // more than two tiles of images
  std::mt19937 generator(kMomentPlanSeed + 4);
  std::uniform_int_distribution<int> grey(0, 255);
  std::vector<unsigned char> bytes(count * size * size);
  for (auto& b : bytes) b = static_cast<unsigned char>(grey(generator));
  const std::vector<double> doubles(bytes.begin(), bytes.end());
  const std::vector<float> floats(bytes.begin(), bytes.end());
  const std::vector<std::uint16_t> words(bytes.begin(), bytes.end());
  const MomentSpec spec{Family::kZernike, 30};
  const auto exact = compute(spec, doubles, count, size);
  EXPECT_LT(relative_l2(compute(spec, doubles, count, size, Precision::kFloat), exact), 2e-6);
  PlanOptions options;
  options.device.kind = DeviceChoice::Kind::kCpu;
  options.precision = Precision::kFloat;
  auto engine = make_moment_plan(spec, size, options);
  std::vector<std::complex<double>> from_bytes(exact.size());
  std::vector<std::complex<double>> from_floats(exact.size());
  engine->moments(ImageBatch(bytes, count, size), from_bytes);
  std::vector<std::complex<double>> from_words(exact.size());
  engine->moments(ImageBatch(floats, count, size), from_floats);
  engine->moments(ImageBatch(words, count, size), from_words);
  EXPECT_EQ(from_bytes, from_floats);
  EXPECT_EQ(from_bytes, from_words);
  for (const std::size_t b : {std::size_t{0}, std::size_t{31}, std::size_t{69}}) {
    const std::vector<double> one(doubles.begin() + b * size * size,
                                  doubles.begin() + (b + 1) * size * size);
    const std::vector<std::complex<double>> row(exact.begin() + b * engine->moment_count(),
                                                exact.begin() + (b + 1) * engine->moment_count());
    EXPECT_LT(relative_l2(compute(spec, one, 1, size), row), 1e-14);
  }
}

// mechanics: sizes that have no such moments
TEST(MomentPlan, BadSizesAreRefused) {
  EXPECT_THROW(cpu_plan({Family::kZernike, -1}, 8), UsageError);
  EXPECT_THROW(cpu_plan({Family::kZernike, 4}, 1), UsageError);
  EXPECT_THROW(cpu_plan({Family::kZernike, 4}, {8, 9}), UsageError);
  EXPECT_THROW(cpu_plan({Family::kZernike, 4}, {8, 8, 8}), UsageError);
}

// mechanics: every name of a device is read, others are refused.
TEST(Device, NamesAreRead) {
  EXPECT_EQ(device_from_name("cuda:3").index, 3);
  EXPECT_EQ(device_from_name("cuda:all").index, -1);
  for (const char* bad : {"", "gpu", "cuda:", "cuda:-1", "cuda:x", "CPU"}) {
    EXPECT_THROW(device_from_name(bad), UsageError) << bad;
  }
  EXPECT_THROW(set_thread_count(-1), UsageError);
}

}  // namespace
}  // namespace leafglyph
