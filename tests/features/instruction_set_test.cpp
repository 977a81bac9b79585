// The kernels of every instruction set that this processor supports, against each other.
#include "features/kernels/instruction_set.h"

#include <gtest/gtest.h>

#include <complex>
#include <random>
#include <string>
#include <vector>

#include "features/base/statistics.h"
#include "features/distance/pairwise.h"
#include "features/separable/recurrence_moments.h"
#include "features/separable/separable_image.h"
#include "features/separable/table_moments.h"
#include "tests/support/instruction_sets.h"
#include "tests/support/plans.h"
#include "tests/support/random_image.h"

namespace leafglyph {
namespace {

constexpr unsigned kInstructionSetSeed = 20261121;

// mechanics: every instruction set has its own name, and the widest is the default.
TEST_F(InstructionSets, HaveNames) {
  std::size_t count = 0;
  for_each([&] { ++count; });
  EXPECT_GE(count, 1U);
  EXPECT_EQ(names_.size(), count);
  EXPECT_TRUE(names_.contains(std::string(instruction_set_name())));
}

// agreement: distances and their statistics are the same to the last bit.
TEST_F(InstructionSets, GiveTheSameDistances) {
  std::mt19937 random(kInstructionSetSeed);
  std::normal_distribution<double> normal;
  std::vector<double> values(300 * 12);
  for (double& value : values) value = normal(random);
  const FeatureRows rows{values, 12, 3};
  const PairwiseOptions options{.bin_width = 0.05, .bins = 100, .closest = 50};
  std::vector<PairwiseStatistics> all;
  for_each([&] { all.push_back(pairwise_statistics(rows, options)); });
  for (const PairwiseStatistics& other : all) {
    EXPECT_EQ(other.counts, all.front().counts);
    EXPECT_NEAR(other.mean, all.front().mean, 1e-13);  // summed lane by lane: rounding of 4e4 terms
    EXPECT_EQ(other.largest, all.front().largest);
    ASSERT_EQ(other.closest.size(), all.front().closest.size());
    for (std::size_t i = 0; i < other.closest.size(); ++i) {
      EXPECT_EQ(other.closest[i].distance, all.front().closest[i].distance);
    }
  }
}

// agreement: moments by every algorithm, and images from them. Fused multiply-adds are ordered
// differently, so that the last digits differ: 1e-13 is the error that the transforms themselves
// allow (polar_transform.h).
TEST_F(InstructionSets, GiveTheSameMomentsAndImages) {
  constexpr int kSize = 41;
  std::mt19937 random(kInstructionSetSeed);
  std::uniform_real_distribution<double> grey(0.0, 255.0);
  std::vector<double> image(kSize * kSize);
  for (double& value : image) value = grey(random);
  for (const Method method : {Method::kSubregion, Method::kExact, Method::kAdaptive}) {
    const MomentSpec spec{Family::kZernike, 30, method};
    std::vector<std::complex<double>> first_moments;
    std::vector<double> first_image;
    for_each([&] {
      const auto plan = cpu_plan(spec, kSize);
      const auto moments = moments_of(*plan, image);
      const auto back = image_of(*plan, moments, spec.order);
      if (first_moments.empty()) {
        first_moments = moments;
        first_image = back;
      }
      EXPECT_LT(relative_l2(moments, first_moments), 1e-13);
      EXPECT_LT(relative_l2(back, first_image), 1e-13);
    });
  }
}

// agreement: the separable transform with tables and with recurrences, and images from it. The
// orders leave every possible number of registers over.
TEST_F(InstructionSets, GiveTheSameSeparableTransform) {
  for (const int order : {13, 47, 130}) {
    for (const Method method : {Method::kSubregion, Method::kExact}) {
      const DiskRule rule{45, order, method, 1, Mask::kCentre};
      const auto image = random_image(rule.size, kInstructionSetSeed);
      std::vector<std::complex<double>> first_moments;
      std::vector<double> first_image;
      for_each([&] {
        std::vector<std::complex<double>> moments(moment_count(Family::kZernike, order));
        RecurrenceMoments::Workspace work;
        RecurrenceMoments(rule).moments(ImageBatch(image, 1, rule.size), moments, work);
        std::vector<double> back(image.size());
        SeparableImage(rule).image(moments, back);
        if (first_moments.empty()) {
          first_moments = moments;
          first_image = back;
        }
        // 1e-13: a hundred roundings; 1e-6: what float tables promise
        EXPECT_LT(relative_l2(moments, first_moments), 1e-13) << order;
        EXPECT_LT(relative_l2(back, first_image), 1e-13) << order;
        TableMoments<double>(rule).moments(ImageBatch(image, 1, rule.size), moments);
        EXPECT_LT(relative_l2(moments, first_moments), 1e-13) << order;
        TableMoments<float>(rule).moments(ImageBatch(image, 1, rule.size), moments);
        EXPECT_LT(relative_l2(moments, first_moments), 1e-6) << order;
      });
    }
  }
}

}  // namespace
}  // namespace leafglyph
