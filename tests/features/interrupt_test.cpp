// Every long computation ends with Interrupted on request, and only then.
#include "features/base/errors.h"

#include <gtest/gtest.h>

#include <vector>

#include "features/base/matrix_product.h"
#include "features/distance/pairwise.h"
#include "features/image/volume.h"
#include "gpu/plans.h"
#include "tests/support/plans.h"
#include "tests/support/random_image.h"

namespace leafglyph {
namespace {

constexpr unsigned kInterruptSeed = 20250207;
constexpr int kSize = 16;

class InterruptTest : public ::testing::Test {
 protected:
  ~InterruptTest() override { withdraw_interruption(); }

  // `work` runs undisturbed, is interrupted on request, and runs again afterwards.
  template <class Work>
  static void expect_interruptible(const char* name, const Work& work) {
    EXPECT_NO_THROW(work()) << name;
    request_interruption();
    EXPECT_THROW(work(), Interrupted) << name;
    withdraw_interruption();
    EXPECT_NO_THROW(work()) << name;
  }
};

// mechanics: a request stays until it is withdrawn.
TEST_F(InterruptTest, RequestsAreRememberedUntilTheyAreWithdrawn) {
  EXPECT_FALSE(interrupted());
  EXPECT_NO_THROW(throw_if_interrupted());
  EXPECT_FALSE(request_interruption());
  EXPECT_TRUE(request_interruption());
  EXPECT_TRUE(interrupted());
  try {
    throw_if_interrupted();
    FAIL() << "not thrown";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ExitCode::kInterrupted);
  }
  withdraw_interruption();
  EXPECT_FALSE(interrupted());
}

// mechanics: every computation ends with Interrupted once it is requested.
TEST_F(InterruptTest, MomentsAndImagesOfEveryFamilyAndMethod) {
  const std::vector<double> image = random_image(kSize, kInterruptSeed);
  const std::vector<MomentSpec> specs = {
      {Family::kZernike, 8, Method::kExact},
      {Family::kZernike, 8, Method::kAdaptive},
      {Family::kZernike, 8, Method::kGauss, 2},
      {Family::kPseudoZernike, 8, Method::kAdaptive},
      {Family::kBesselFourier, 8, Method::kAdaptive},
      {Family::kBesselFourier, 8, Method::kSubregion, 2},
      {Family::kLegendre, 8, Method::kExact},
      {Family::kJacobi, 8, Method::kGauss, 2, {0.3, 0.7}},
  };
  for (const MomentSpec& spec : specs) {
    const std::string name = describe(spec);
    expect_interruptible((name + ", tables").c_str(),
                         [&] { cpu_plan(spec, kSize)->prepare(MomentPlan::Direction::kMoments); });
    const auto plan = cpu_plan(spec, kSize);
    const auto moments = moments_of(*plan, image);
    expect_interruptible((name + ", moments").c_str(), [&] { moments_of(*plan, image); });
    expect_interruptible((name + ", image").c_str(), [&] { image_of(*plan, moments, spec.order); });
  }
}

// mechanics: the same for volumes.
TEST_F(InterruptTest, Volumes) {
  const MomentSpec spec{Family::kJacobi, 5, Method::kExact};
  const ArraySize size{6, 6, 6};
  const Volume bone = generate_bone(6, 6, 6, kInterruptSeed);
  expect_interruptible("a made volume", [] { generate_bone(6, 6, 6, kInterruptSeed); });
  expect_interruptible("tables",
                       [&] { cpu_plan(spec, size)->prepare(MomentPlan::Direction::kMoments); });
  const auto plan = cpu_plan(spec, size);
  const auto moments = moments_of(*plan, bone.values);
  expect_interruptible("moments", [&] { moments_of(*plan, bone.values); });
  expect_interruptible("volume", [&] { image_of(*plan, moments, spec.order); });
}

// mechanics: the same for distances of pairs.
TEST_F(InterruptTest, StatisticsOfPairs) {
  const std::vector<double> values = random_values(30, kInterruptSeed);
  const FeatureRows rows{values, 3, 1};
  PairwiseOptions options;
  options.closest = 1;
  expect_interruptible("pairs", [&] { pairwise_statistics(rows, options); });
}

// mechanics: slightly more than 2^34 multiply-adds: more than one piece, with a depth that keeps
// the matrices small
TEST_F(InterruptTest, ProductsThatTakeLongComeInPieces) {
  const std::size_t rows = 4100;
  const std::size_t columns = 2100;
  const std::size_t depth = 2000;
  const std::vector<float> a(rows * depth);
  const std::vector<float> b(columns * depth);
  std::vector<float> c(rows * columns);
  request_interruption();
  EXPECT_THROW(
      add_product_nt(rows, columns, depth, a.data(), depth, b.data(), depth, c.data(), columns),
      Interrupted);
}

}  // namespace
}  // namespace leafglyph
