// Plans on rings and Jacobi plans on the GPU against those on the CPU. Skipped without a GPU.
#include <gtest/gtest.h>

#include <random>
#include <vector>

#include "features/base/errors.h"
#include "features/base/statistics.h"
#include "features/plan/repetition_transform.h"
#include "gpu/bessel_fourier/ring_transform.h"
#include "gpu/zernike/polar_transform.h"
#include "tests/support/plans.h"
#include "tests/support/random_image.h"

namespace leafglyph {
namespace {

constexpr unsigned kGpuFamiliesSeed = 20241001;

// Sums of the same products in double in another order; arguments of J_1 are accurate to 1e-13.
constexpr double kExactTolerance = 1e-12;
constexpr double kFastTolerance = 2e-6;  // what the plans state for float products
constexpr double kCanary = 12345.0;

class GpuFamilies : public ::testing::Test {
 protected:
  void SetUp() override {
    const std::string reason = gpu::find_gpus().reason;
    if (!reason.empty()) GTEST_SKIP() << reason;
  }

  static std::unique_ptr<MomentPlan> gpu_plan(const MomentSpec& spec, const ArraySize& size,
                                              Precision precision) {
    return make_moment_plan(spec, size, options_for(DeviceChoice::Kind::kCuda, precision));
  }

  static void compare(const MomentSpec& spec, const ArraySize& size, int lower_order,
                      Precision precision) {
    const double tolerance = precision == Precision::kDouble ? kExactTolerance : kFastTolerance;
    const auto values = random_values(size.elements(), kGpuFamiliesSeed);
    const auto cpu = cpu_plan(spec, size);
    const auto gpu = gpu_plan(spec, size, precision);
    const auto expected = moments_of(*cpu, values);
    std::vector<std::complex<double>> guarded(expected.size() + 2, kCanary);
    const auto got = std::span(guarded).subspan(1, expected.size());
    for (int run = 0; run < 2; ++run) {  // a plan's arrays are reused
      gpu->moments(ImageBatch(values, 1, size), got);
      EXPECT_LT(relative_l2(got, expected), tolerance) << gpu->describe();
    }
    EXPECT_EQ(guarded.front(), kCanary);
    EXPECT_EQ(guarded.back(), kCanary);
    for (const int order : {lower_order, top_order(spec)}) {
      EXPECT_LT(relative_l2(image_of(*gpu, expected, order), image_of(*cpu, expected, order)),
                tolerance)
          << gpu->describe() << " to " << order;
    }
  }
};

MomentSpec bessel_spec(int n, int m, Method method, int points) {
  return {Family::kBesselFourier, n, method, points, {}, {}, m};
}

MomentSpec jacobi_spec(int order, JacobiWeight weight) {
  return {Family::kJacobi, order, Method::kExact, 1, weight};
}

// agreement: every method, odd and even sizes, fewer and more repetitions than orders
TEST_F(GpuFamilies, BesselFourierAgreesWithTheCpu) {
  for (const Precision precision : {Precision::kDouble, Precision::kFloat}) {
    compare(bessel_spec(3, 2, Method::kSubregion, 1), 2, 1, precision);
    compare(bessel_spec(40, 70, Method::kAdaptive, 1), 65, 20, precision);
    compare(bessel_spec(130, 90, Method::kSubregion, 3), 128, 100, precision);
    compare(bessel_spec(50, 50, Method::kGauss, 4), 64, 10, precision);
    compare(bessel_spec(100, 100, Method::kAdaptive, 1), 96, 50, precision);
    compare(bessel_spec(300, 300, Method::kSubregion, 1), 512, 200, precision);
  }
}

// agreement: functions with a common factor, rings by angle, complex radial functions
TEST_F(GpuFamilies, JacobiAndExponentFourierAgreeWithTheCpu) {
  for (const Precision precision : {Precision::kDouble, Precision::kFloat}) {
    for (const JacobiWeight& weight :
         {JacobiWeight{2, 2}, JacobiWeight{2, 1.5}, JacobiWeight{4.7, 3.2}}) {
      compare({Family::kJacobiFourier, 0, Method::kSubregion, 1, weight}, 5, 0, precision);
      compare({Family::kJacobiFourier, 60, Method::kSubregion, 3, weight}, 65, 20, precision);
      compare({Family::kJacobiFourier, 200, Method::kSubregion, 1, weight}, 256, 150, precision);
      compare({Family::kJacobiFourier, 100, Method::kGauss, 4, weight}, 64, 10, precision);
    }
    compare({Family::kExponentFourier, 0}, 4, 0, precision);
    compare({Family::kExponentFourier, 50, Method::kSubregion, 3}, 65, 20, precision);
    compare({Family::kExponentFourier, 150}, 256, 100, precision);
    compare({Family::kExponentFourier, 60, Method::kGauss, 4}, 64, 10, precision);
    compare({Family::kPolarExponent, 50, Method::kSubregion, 3, {2}}, 65, 20, precision);
    compare({Family::kPolarCosine, 120, Method::kSubregion, 1, {2}}, 128, 60, precision);
    compare({Family::kPolarSine, 40, Method::kGauss, 3, {1.4}}, 64, 10, precision);
  }
}

// agreement: volumes, images, more orders than elements and fewer
TEST_F(GpuFamilies, JacobiAgreesWithTheCpu) {
  for (const Precision precision : {Precision::kDouble, Precision::kFloat}) {
    compare(jacobi_spec(45, {0.3, 0.7}), {40, 50, 60}, 17, precision);
    compare(jacobi_spec(150, {0.0, 0.0}), {97, 33, 1}, 20, precision);
    compare(jacobi_spec(200, {0.3, 0.3}), {150, 128, 140}, 130, precision);
    compare(jacobi_spec(250, {0.3, 0.7}), {300, 200}, 64, precision);
    compare(jacobi_spec(0, {0.0, 0.0}), {1, 1, 1}, 0, precision);
  }
}

// agreement: volumes in the ball with axes even, odd, equal and not, more orders than voxels
TEST_F(GpuFamilies, BallAgreesWithTheCpu) {
  for (const Precision precision : {Precision::kDouble, Precision::kFloat}) {
    compare({Family::kZernike3d, 20}, {40, 40, 40}, 11, precision);
    compare({Family::kZernike3d, 17}, {33, 33, 33}, 4, precision);
    compare({Family::kZernike3d, 12}, {20, 31, 26}, 5, precision);
    compare({Family::kZernike3d, 60}, {24, 24, 24}, 30, precision);
    compare({Family::kZernike3d, 40}, {100, 100, 100}, 20, precision);
    compare({Family::kZernike3d, 3}, {1, 1, 1}, 0, precision);
    compare({Family::kZernike3d, 0}, {4, 5, 4}, 0, precision);
  }
}

// agreement: more volumes than are transformed together, of bytes, and their magnitudes
TEST_F(GpuFamilies, BatchesOfVolumesAgreeWithTheCpu) {
  const ArraySize size{9, 8, 10};
  const std::size_t count = 1101;
  const MomentSpec spec{Family::kZernike3d, 6};
  std::mt19937 generator(kGpuFamiliesSeed + 4);
  std::vector<unsigned char> volumes(count * size.elements());
  for (auto& voxel : volumes) voxel = static_cast<unsigned char>(generator() % 256);
  const ImageBatch batch(volumes, count, size);
  const auto cpu = cpu_plan(spec, size);
  std::vector<std::complex<double>> expected(count * cpu->moment_count());
  cpu->moments(batch, expected);
  std::vector<double> absolute;
  for (const auto& moment : expected) absolute.push_back(std::abs(moment));
  for (const Precision precision : {Precision::kDouble, Precision::kFloat}) {
    const double tolerance = precision == Precision::kDouble ? kExactTolerance : kFastTolerance;
    const auto gpu = gpu_plan(spec, size, precision);
    std::vector<std::complex<double>> got(expected.size());
    std::vector<float> magnitudes(expected.size());
    gpu->moments(batch, got);
    gpu->magnitudes(batch, magnitudes);
    EXPECT_LT(relative_l2(got, expected), tolerance) << gpu->describe();
    EXPECT_LT(relative_l2(magnitudes, absolute), kFastTolerance) << gpu->describe();
    EXPECT_LT(relative_l2(image_of(*gpu, expected, 6), image_of(*cpu, expected, 6)), tolerance)
        << gpu->describe();
  }
}

// regression: an image without a pixel in the disk divided by zero
TEST_F(GpuFamilies, NoPixelMayCount) {
  for (const MomentSpec& spec :
       {bessel_spec(3, 2, Method::kAdaptive, 1), MomentSpec{Family::kZernike, 3, Method::kExact},
        MomentSpec{Family::kPseudoZernike, 3, Method::kAdaptive},
        MomentSpec{Family::kZernike, 3, Method::kGauss, 2}}) {
    const auto plan = gpu_plan(spec, 2, Precision::kDouble);
    const auto moments = moments_of(*plan, std::vector<double>(4, 7.0));
    EXPECT_EQ(moments, std::vector<std::complex<double>>(moments.size())) << describe(spec);
    EXPECT_EQ(image_of(*plan, moments, top_order(spec)), std::vector<double>(4));
  }
}

// agreement: batches, as in the leaf and character pipelines
TEST_F(GpuFamilies, BatchesAgreeWithTheCpu) {
  const int size = 48;
  const std::size_t count = 37;
  std::mt19937 generator(kGpuFamiliesSeed + 2);
  std::vector<unsigned char> images(count * size * size);
  for (auto& pixel : images) pixel = static_cast<unsigned char>(generator() % 256);
  const ImageBatch batch(images, count, size);
  for (const MomentSpec& spec :
       {MomentSpec{Family::kLegendre, 30, Method::kExact},
        MomentSpec{Family::kLegendre, 60, Method::kSubregion, 2},
        MomentSpec{Family::kJacobi, 30, Method::kExact, 1, {0.3, 0.7}},
        MomentSpec{Family::kBesselFourier, 20, Method::kSubregion, 1},
        MomentSpec{Family::kJacobiFourier, 20, Method::kSubregion, 1, {2, 1.5}},
        MomentSpec{Family::kExponentFourier, 12, Method::kSubregion, 2},
        MomentSpec{Family::kBesselFourier, 24, Method::kAdaptive}}) {
    const auto cpu = cpu_plan(spec, size);
    std::vector<std::complex<double>> expected(count * cpu->moment_count());
    cpu->moments(batch, expected);
    for (const Precision precision : {Precision::kDouble, Precision::kFloat}) {
      const auto gpu = gpu_plan(spec, size, precision);
      std::vector<std::complex<double>> got(expected.size());
      std::vector<float> magnitudes(expected.size());
      gpu->moments(batch, got);
      gpu->magnitudes(batch, magnitudes);
      const double tolerance = precision == Precision::kDouble ? kExactTolerance : kFastTolerance;
      EXPECT_LT(relative_l2(got, expected), tolerance) << gpu->describe();
      std::vector<double> absolute;
      absolute.reserve(expected.size());
      for (const auto& moment : expected) absolute.push_back(std::abs(moment));
      EXPECT_LT(relative_l2(magnitudes, absolute), kFastTolerance) << gpu->describe();
    }
  }
}

// agreement: batches shared among all GPUs of this machine, for moments and images
TEST_F(GpuFamilies, AllGpusAgreeWithOne) {
  PlanOptions all = options_for(DeviceChoice::Kind::kCuda);
  all.device.index = -1;
  const std::size_t count = 700;  // more than one part per GPU
  const int size = 12;
  const auto images = random_values(count * size * size, kGpuFamiliesSeed + 4);
  for (const MomentSpec& spec :
       {MomentSpec{Family::kZernike, 8}, MomentSpec{Family::kZernike, 8, Method::kExact},
        MomentSpec{Family::kPseudoZernike, 8, Method::kAdaptive},
        MomentSpec{Family::kBesselFourier, 6, Method::kAdaptive},
        MomentSpec{Family::kLegendre, 8, Method::kExact}}) {
    const auto one = gpu_plan(spec, size, Precision::kDouble);
    const auto many = make_moment_plan(spec, size, all);
    const auto moments = moments_of(*one, images);
    EXPECT_LT(relative_l2(moments_of(*many, images), moments), kExactTolerance) << many->describe();
    const std::span some(moments.data(), 9 * one->moment_count());
    EXPECT_LT(relative_l2(image_of(*many, some, spec.order), image_of(*one, some, spec.order)),
              kExactTolerance);
  }
}

// The moments of an image from `shares` ranges of repetitions.
std::vector<std::complex<double>> by_repetitions(RepetitionTransform& transform,
                                                 const ImageBatch& image, std::size_t shares,
                                                 std::size_t moment_count) {
  std::vector<std::complex<double>> moments(moment_count, kCanary);
  const std::vector<int> cuts = transform.cuts(shares);
  EXPECT_EQ(cuts.size(), shares + 1);
  for (std::size_t s = 0; s < shares; ++s) {
    transform.compute_repetitions(image, cuts[s], cuts[s + 1], moments);
  }
  return moments;
}

// agreement: ranges of repetitions give the moments of the whole, whose sums they share.
TEST_F(GpuFamilies, RepetitionsInPartsAreThoseOfTheWhole) {
  const gpu::GpuDevice gpu = gpu::find_gpus().devices.front();
  const int size = 48;
  const auto values = random_values(size * size, kGpuFamiliesSeed + 5);
  const ImageBatch image(values, 1, size);
  for (const MomentSpec& spec :
       {MomentSpec{Family::kBesselFourier, 100, Method::kSubregion, 3},
        MomentSpec{Family::kExponentFourier, 70},
        MomentSpec{Family::kJacobiFourier, 40, Method::kSubregion, 1, {2.0, 2.0}},
        MomentSpec{Family::kPseudoZernike, 300, Method::kAdaptive},
        MomentSpec{Family::kPseudoZernike, 600}, MomentSpec{Family::kPseudoZernike, 30}}) {
    std::shared_ptr<ForwardTransform> transform;
    if (spec.family == Family::kPseudoZernike) {
      transform = gpu::make_polar_forward(spec, size, gpu);
    } else {
      transform = gpu::make_ring_transform(spec, size, Precision::kDouble, gpu);
    }
    std::vector<std::complex<double>> whole(moment_count(spec, size));
    transform->compute_moments(image, whole);
    auto& parts = dynamic_cast<RepetitionTransform&>(*transform);
    for (const std::size_t shares : {1, 2, 4, 7}) {
      EXPECT_LT(relative_l2(by_repetitions(parts, image, shares, whole.size()), whole),
                kExactTolerance / 10)
          << describe(spec) << " in " << shares;
    }
  }
}

// agreement: a long image that all GPUs share has the moments of one GPU.
TEST_F(GpuFamilies, OneImageOnAllGpus) {
  if (gpu::find_gpus().devices.size() < 2) GTEST_SKIP() << "needs two GPUs";
  PlanOptions all = options_for(DeviceChoice::Kind::kCuda);
  all.device.index = -1;
  const int size = 512;
  const auto values = random_values(size * size, kGpuFamiliesSeed + 6);
  for (const MomentSpec& spec : {MomentSpec{Family::kBesselFourier, 500, Method::kSubregion, 15},
                                 MomentSpec{Family::kPseudoZernike, 700, Method::kSubregion, 11}}) {
    const auto one = gpu_plan(spec, size, Precision::kDouble);
    const auto many = make_moment_plan(spec, size, all);
    EXPECT_NE(many->describe().find("shared by its repetitions"), std::string::npos);
    EXPECT_LT(relative_l2(moments_of(*many, values), moments_of(*one, values)),
              kExactTolerance / 10)
        << many->describe();
  }
}

// Small sizes of every kernel, for compute-sanitizer.
class GpuSanitizedFamilies : public GpuFamilies {};

// mechanics: small plans of every kind, for compute-sanitizer.
TEST_F(GpuSanitizedFamilies, SmallPlans) {
  compare(bessel_spec(9, 11, Method::kSubregion, 2), 17, 4, Precision::kDouble);
  compare(bessel_spec(12, 7, Method::kAdaptive, 1), 16, 4, Precision::kFloat);
  compare({Family::kJacobiFourier, 9, Method::kSubregion, 2, {2, 1.5}}, 17, 4, Precision::kDouble);
  compare({Family::kExponentFourier, 9, Method::kSubregion, 2}, 16, 4, Precision::kFloat);
  compare(jacobi_spec(20, {0.3, 0.7}), {9, 8, 7}, 5, Precision::kDouble);
  compare(jacobi_spec(20, {0.0, 0.0}), {9, 8}, 19, Precision::kFloat);
  compare({Family::kZernike3d, 9}, {7, 7, 7}, 4, Precision::kDouble);
  compare({Family::kZernike3d, 9}, {8, 6, 7}, 4, Precision::kFloat);
  const auto plan = gpu_plan({Family::kLegendre, 12, Method::kExact}, 10, Precision::kDouble);
  const auto images = random_values(7 * 100, kGpuFamiliesSeed + 3);
  const auto moments = moments_of(*plan, images);
  std::vector<float> magnitudes(moments.size());
  plan->magnitudes(ImageBatch(images, 7, 10), magnitudes);
}

}  // namespace
}  // namespace leafglyph
