// Which algorithm a plan takes.
#include <gtest/gtest.h>

#include <filesystem>
#include <set>

#include "features/base/threads.h"
#include "gpu/cuda_algorithms.h"
#include "tests/support/moment_oracle.h"
#include "tests/support/plans.h"
#include "tests/support/random_image.h"
#include "tools/bench/measured_times.h"

namespace leafglyph {
namespace {

constexpr unsigned kChoiceSeed = 20261128;

std::string chosen(const MomentSpec& spec, int size, std::size_t images,
                   Precision precision = Precision::kDouble) {
  const PlanRequest request{spec, size, precision, images};
  return std::string(
      cheapest<CpuAlgorithm>(cpu_algorithms(), &CpuAlgorithm::moments, request)->name);
}

// regression: 0.2.0 took folded products in all of these cases, and needed up to 30 times as long
TEST(Choice, TakesTheFastestForPseudoZernikeAndBesselFourier) {
  const MomentSpec pseudo20{Family::kPseudoZernike, 20, Method::kSubregion, 1};
  const MomentSpec pseudo30{Family::kPseudoZernike, 30, Method::kSubregion, 1};
  const MomentSpec pseudo60{Family::kPseudoZernike, 60, Method::kSubregion, 1};
  const MomentSpec bessel20{Family::kBesselFourier, 20, Method::kSubregion, 1};
  const MomentSpec bessel30{Family::kBesselFourier, 30, Method::kSubregion, 1};
  const MomentSpec bessel60{Family::kBesselFourier, 60, Method::kSubregion, 1};
  EXPECT_EQ(chosen(pseudo20, 128, 1), "polar");
  for (const std::size_t images : {1U, 64U}) {
    EXPECT_EQ(chosen(pseudo30, 256, images), "polar");
    EXPECT_EQ(chosen(pseudo60, 128, images), "polar");
    EXPECT_EQ(chosen(pseudo60, 256, images), "polar");
    EXPECT_EQ(chosen(bessel30, 256, images), "rings");
    EXPECT_EQ(chosen(bessel60, 128, images), "rings");
  }
  EXPECT_EQ(chosen(bessel20, 128, 1), "rings");
  EXPECT_EQ(
      chosen({Family::kPseudoZernike, 10, Method::kSubregion, 1}, 64, 4096, Precision::kFloat),
      "folded");
}

// agreement: what the costs choose needs at most 1.3 times as long as the fastest did when every
// algorithm was measured (bench_algorithms --table), on each machine; in one cell of 100 more may
// be lost, for which the machines disagree or measurements scatter, but never as much again
TEST(Choice, IsNearlyTheFastestMeasured) {
  std::size_t cells = 0;
  std::size_t slow = 0;
  for (const auto& entry : std::filesystem::directory_iterator(LEAFGLYPH_MEASURED_TIMES)) {
    for (const Race& race : races_of(read_measured(entry.path()))) {
      if (race.times.front().back_end == "cuda" && gpu::cuda_algorithms().empty()) continue;
      const std::string what = entry.path().filename().string() + ": " +
                               describe(race.times.front().cell) + " takes " +
                               std::string(race.chosen);
      EXPECT_GE(race.ratio(), 1.0) << what << ", which was not measured";
      EXPECT_LT(race.ratio(), 2.0) << what;
      slow += race.ratio() > 1.3;
      ++cells;
    }
  }
  EXPECT_GT(cells, 1000U);
  EXPECT_LE(100 * slow, cells);
}

template <class Row>
void expect_times(std::span<const Row* const> rows, const std::string& back_end) {
  std::set<std::string_view> names;
  for (const Row* row : rows) {
    EXPECT_TRUE(names.insert(row->name).second) << row->name << " is there twice";
    for (const Way way : {Way::kMoments, Way::kImages}) {
      const bool moments = way == Way::kMoments;
      const bool supported =
          moments ? row->moments.supports != nullptr : row->images.supports != nullptr;
      if (!supported) continue;
      EXPECT_TRUE((moments ? row->moments.work : row->images.work) != nullptr) << row->name;
      const bool fitted = std::ranges::any_of(fitted_times(), [&](const WorkTimes& times) {
        return times.back_end == back_end && times.algorithm == row->name && times.way == way;
      });
      EXPECT_TRUE(fitted) << back_end << " " << row->name << " has no times for " << name_of(way);
    }
  }
}

// invariant: every row of the registry says what it costs
TEST(Choice, EveryAlgorithmHasACost) {
  expect_times(cpu_algorithms(), "cpu");
  expect_times(gpu::cuda_algorithms(), "cuda");
}

// invariant: the choice depends on nothing but the request, so that parts of a store that different
// machines make have the same digits
TEST(Choice, DoesNotDependOnThreads) {
  const int before = thread_count();
  const std::vector<double> image = random_image(64, kChoiceSeed);
  for (const Family family : {Family::kZernike, Family::kPseudoZernike, Family::kBesselFourier}) {
    const MomentSpec spec{family, 12, Method::kSubregion, 1};
    set_thread_count(1);
    const auto one = cpu_plan(spec, 64);
    const auto expected = moments_of(*one, image);
    set_thread_count(16);
    const auto many = cpu_plan(spec, 64);
    EXPECT_EQ(moments_of(*many, image), expected) << many->describe();
    set_thread_count(before);
  }
}

// agreement: plans for one image and for many differ in the last digits only
TEST(Choice, PlansForOneImageAndForManyAgree) {
  constexpr int kSize = 32;
  const std::vector<double> image = random_image(kSize, kChoiceSeed + 1);
  std::size_t different = 0;
  for (const Family family : {Family::kZernike, Family::kPseudoZernike, Family::kBesselFourier,
                              Family::kJacobiFourier, Family::kExponentFourier}) {
    for (const auto& [precision, tolerance] :
         {std::pair{Precision::kDouble, 1e-12}, {Precision::kFloat, 1e-6}}) {
      MomentSpec spec{family, 10, Method::kSubregion, 1};
      if (family.row().weighted) spec.weight = {4.0, 3.0};
      PlanOptions options = options_for(DeviceChoice::Kind::kCpu, precision);
      options.images = 1;
      const auto one = make_moment_plan(spec, kSize, options);
      options.images = kManyImages;
      const auto many = make_moment_plan(spec, kSize, options);
      EXPECT_LT(relative_l2(moments_of(*many, image), moments_of(*one, image)), tolerance)
          << one->describe() << " and " << many->describe();
      different += chosen(spec, kSize, 1, precision) != chosen(spec, kSize, kManyImages, precision);
    }
  }
  EXPECT_GT(different, 0U) << "no case has two algorithms";
}

// mechanics: the plan says what was taken and what else there was
TEST(Choice, IsSaid) {
  const auto plan = cpu_plan({Family::kPseudoZernike, 30, Method::kSubregion, 1}, 256);
  const std::string said = plan->describe();
  EXPECT_NE(said.find("; algorithm polar, about "), std::string::npos) << said;
  EXPECT_NE(said.find(" for the tables and 64 images (folded "), std::string::npos) << said;
  const auto only = cpu_plan({Family::kLegendre, 8}, 64);
  EXPECT_TRUE(only->describe().ends_with("; algorithm axes")) << only->describe();
}

}  // namespace
}  // namespace leafglyph
