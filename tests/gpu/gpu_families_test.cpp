// Bessel-Fourier and Jacobi plans on the GPU against those on the CPU. Skipped without a GPU.
#include <gtest/gtest.h>

#include <limits>
#include <random>
#include <vector>

#include "features/base/errors.h"
#include "features/base/relative_error.h"
#include "features/bessel_fourier/bessel_fourier.h"
#include "features/jacobi/jacobi_moments.h"
#include "gpu/devices.h"
#include "tests/support/random_image.h"

namespace leafglyph {
namespace {

constexpr unsigned kSeed = 20241001;

// Sums of the same products in double in another order; arguments of J_1 are good to 1e-13.
constexpr double kExactTolerance = 1e-12;
constexpr double kFastTolerance = 2e-6;  // what the plans state for float products
constexpr double kCanary = 12345.0;

EngineOptions options_for(DeviceChoice::Kind kind, Precision precision = Precision::kExact) {
  EngineOptions options;
  options.device.kind = kind;
  options.precision = precision;
  return options;
}

class GpuFamilies : public ::testing::Test {
 protected:
  void SetUp() override {
    const std::string reason = find_gpus().reason;
    if (!reason.empty()) GTEST_SKIP() << reason;
  }

  static void compare(const BesselFourierSpec& spec, Precision precision) {
    const double tolerance = precision == Precision::kExact ? kExactTolerance : kFastTolerance;
    const auto size = static_cast<std::size_t>(spec.image_size);
    const auto image = random_values(size * size, kSeed);
    auto cpu = make_bessel_fourier(spec, options_for(DeviceChoice::Kind::kCpu));
    auto gpu = make_bessel_fourier(spec, options_for(DeviceChoice::Kind::kCuda, precision));
    std::vector<std::complex<double>> expected(spec.moment_count());
    std::vector<std::complex<double>> guarded(spec.moment_count() + 2, kCanary);
    const auto got = std::span(guarded).subspan(1, spec.moment_count());
    cpu->moments(image, expected);
    for (int run = 0; run < 2; ++run) {  // a plan's arrays are used again
      gpu->moments(image, got);
      EXPECT_LT(relative_l2(got, expected), tolerance) << gpu->describe();
    }
    EXPECT_EQ(guarded.front(), kCanary);
    EXPECT_EQ(guarded.back(), kCanary);
    std::vector<double> image_on_cpu(image.size());
    std::vector<double> image_on_gpu(image.size());
    cpu->reconstruct(expected, image_on_cpu);
    gpu->reconstruct(expected, image_on_gpu);
    EXPECT_LT(relative_l2(image_on_gpu, image_on_cpu), tolerance) << gpu->describe();
  }

  static void compare(const CartesianSpec& spec, int lower_order, Precision precision) {
    const double tolerance = precision == Precision::kExact ? kExactTolerance : kFastTolerance;
    const auto values = random_values(spec.element_count(), kSeed + 1);
    auto cpu = make_cartesian_moments(spec, options_for(DeviceChoice::Kind::kCpu));
    auto gpu = make_cartesian_moments(spec, options_for(DeviceChoice::Kind::kCuda, precision));
    std::vector<double> expected(spec.moment_count());
    std::vector<double> guarded(spec.moment_count() + 2, kCanary);
    const auto got = std::span(guarded).subspan(1, spec.moment_count());
    cpu->moments(values, expected);
    gpu->moments(values, got);
    EXPECT_LT(relative_l2(got, expected), tolerance) << gpu->describe();
    EXPECT_EQ(guarded.front(), kCanary);
    EXPECT_EQ(guarded.back(), kCanary);
    for (const int order : {lower_order, spec.order}) {
      std::vector<double> on_cpu(values.size());
      std::vector<double> on_gpu(values.size());
      cpu->reconstruct(expected, order, on_cpu);
      gpu->reconstruct(expected, order, on_gpu);
      EXPECT_LT(relative_l2(on_gpu, on_cpu), tolerance) << gpu->describe() << " to " << order;
    }
  }
};

BesselFourierSpec bessel_spec(int size, int n, int m, Method method, int points) {
  BesselFourierSpec spec;
  spec.image_size = size;
  spec.radial_order = n;
  spec.angular_order = m;
  spec.method = method;
  spec.points = points;
  return spec;
}

CartesianSpec cartesian_spec(int width, int height, int depth, int order, JacobiWeight weight) {
  CartesianSpec spec;
  spec.width = width;
  spec.height = height;
  spec.depth = depth;
  spec.order = order;
  spec.weight = weight;
  return spec;
}

// agreement: every method, odd and even sizes, fewer and more repetitions than orders
TEST_F(GpuFamilies, BesselFourierAgreesWithTheCpu) {
  for (const auto& spec :
       {bessel_spec(2, 3, 2, Method::kSubregion, 1), bessel_spec(65, 40, 70, Method::kSubregion, 1),
        bessel_spec(128, 130, 90, Method::kSubregion, 3),
        bessel_spec(64, 50, 50, Method::kGauss, 4), bessel_spec(96, 100, 100, Method::kAdaptive, 1),
        bessel_spec(33, 20, 60, Method::kAdaptive, 1),
        bessel_spec(512, 300, 300, Method::kSubregion, 1)}) {
    compare(spec, Precision::kExact);
    compare(spec, Precision::kFast);
  }
}

// agreement: volumes, images, more orders than elements and fewer
TEST_F(GpuFamilies, JacobiAgreesWithTheCpu) {
  for (const Precision precision : {Precision::kExact, Precision::kFast}) {
    compare(cartesian_spec(40, 50, 60, 45, {0.3, 0.7}), 17, precision);
    compare(cartesian_spec(97, 33, 1, 150, {0.0, 0.0}), 20, precision);
    compare(cartesian_spec(150, 128, 140, 200, {0.3, 0.3}), 130, precision);
    compare(cartesian_spec(300, 200, 0, 250, {0.3, 0.7}), 64, precision);
    compare(cartesian_spec(1, 1, 1, 0, {0.0, 0.0}), 0, precision);
  }
}

// agreement: the engines for batches, which the leaf and character pipelines use
TEST_F(GpuFamilies, BatchEnginesAgreeWithTheCpu) {
  const int size = 48;
  const std::size_t count = 37;
  std::mt19937 generator(kSeed + 2);
  std::vector<unsigned char> images(count * size * size);
  for (auto& pixel : images) pixel = static_cast<unsigned char>(generator() % 256);
  const ImageBatch batch(images, count, size);
  for (const MomentSpec& spec : {MomentSpec{Family::kLegendre, 30, Method::kExact},
                                 MomentSpec{Family::kLegendre, 60, Method::kSubregion, 2},
                                 MomentSpec{Family::kJacobi, 30, Method::kExact, 1, {0.3, 0.7}},
                                 MomentSpec{Family::kBesselFourier, 20, Method::kSubregion, 1},
                                 MomentSpec{Family::kBesselFourier, 24, Method::kAdaptive}}) {
    auto cpu = make_moment_engine(spec, size, options_for(DeviceChoice::Kind::kCpu));
    std::vector<std::complex<double>> expected(count * cpu->moment_count());
    cpu->moments(batch, expected);
    for (const Precision precision : {Precision::kExact, Precision::kFast}) {
      auto gpu = make_moment_engine(spec, size, options_for(DeviceChoice::Kind::kCuda, precision));
      std::vector<std::complex<double>> got(expected.size());
      std::vector<float> magnitudes(expected.size());
      gpu->moments(batch, got);
      gpu->magnitudes(batch, magnitudes);
      const double tolerance = precision == Precision::kExact ? kExactTolerance : kFastTolerance;
      EXPECT_LT(relative_l2(got, expected), tolerance) << gpu->describe();
      std::vector<double> absolute;
      absolute.reserve(expected.size());
      for (const auto& moment : expected) absolute.push_back(std::abs(moment));
      EXPECT_LT(relative_l2(magnitudes, absolute), kFastTolerance) << gpu->describe();
    }
  }
}

// mechanics: errors are those of the CPU
TEST_F(GpuFamilies, BadValuesAreRefused) {
  const auto spec = bessel_spec(16, 4, 4, Method::kSubregion, 1);
  auto plan = make_bessel_fourier(spec, options_for(DeviceChoice::Kind::kCuda));
  std::vector<double> image(256, 1.0);
  image[100] = std::numeric_limits<double>::quiet_NaN();
  std::vector<std::complex<double>> moments(spec.moment_count());
  EXPECT_THROW(plan->moments(image, moments), InputError);
  const auto volume = cartesian_spec(4, 4, 4, 3, {});
  auto cube = make_cartesian_moments(volume, options_for(DeviceChoice::Kind::kCuda));
  std::vector<double> values(64, 1.0);
  values[9] = std::numeric_limits<double>::infinity();
  std::vector<double> out(volume.moment_count());
  EXPECT_THROW(cube->moments(values, out), InputError);
}

// Small sizes of every kernel, for compute-sanitizer.
class GpuSanitizedFamilies : public GpuFamilies {};

TEST_F(GpuSanitizedFamilies, SmallPlans) {
  compare(bessel_spec(17, 9, 11, Method::kSubregion, 2), Precision::kExact);
  compare(bessel_spec(16, 12, 7, Method::kAdaptive, 1), Precision::kFast);
  compare(cartesian_spec(9, 8, 7, 20, {0.3, 0.7}), 5, Precision::kExact);
  compare(cartesian_spec(9, 8, 0, 20, {0.0, 0.0}), 19, Precision::kFast);
  auto engine = make_moment_engine({Family::kLegendre, 12, Method::kExact}, 10,
                                   options_for(DeviceChoice::Kind::kCuda));
  const auto images = random_values(7 * 100, kSeed + 3);
  std::vector<std::complex<double>> moments(7 * engine->moment_count());
  std::vector<float> magnitudes(moments.size());
  engine->moments(ImageBatch(images, 7, 10), moments);
  engine->magnitudes(ImageBatch(images, 7, 10), magnitudes);
}

}  // namespace
}  // namespace leafglyph
