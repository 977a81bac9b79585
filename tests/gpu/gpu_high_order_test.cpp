// The GPU's transforms for high orders against the CPU's. Skipped where there is no GPU.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <iostream>
#include <random>
#include <vector>

#include "features/base/errors.h"
#include "features/engine/reconstructor.h"
#include "features/zernike/polar_engine.h"
#include "features/zernike/ridge_engine.h"
#include "gpu/devices.h"
#include "gpu/zernike/polar_engine.h"
#include "gpu/zernike/polar_reconstructor.h"
#include "gpu/zernike/ridge_engine.h"
#include "tests/support/random_image.h"

namespace leafglyph {
namespace {

constexpr unsigned kSeed = 20240604;
constexpr double kCanary = 12345.0;

class GpuHighOrder : public ::testing::Test {
 protected:
  void SetUp() override {
    const GpuInventory found = find_gpus();
    if (found.devices.empty()) GTEST_SKIP() << found.reason;
    gpu_ = found.devices.front();
  }
  GpuDevice gpu_;
};
// The same on small sizes, which is what the sanitizers run.
class GpuSanitizedHighOrder : public GpuHighOrder {};

// Moments of one image, with guard values around them.
std::vector<std::complex<double>> compute(MomentEngine& engine, const ImageBatch& images) {
  const std::size_t count = images.count * engine.moment_count();
  std::vector<std::complex<double>> out(count + 2, kCanary);
  engine.moments(images, std::span(out).subspan(1, count));
  EXPECT_EQ(out.front(), kCanary);
  EXPECT_EQ(out.back(), kCanary);
  return {out.begin() + 1, out.end() - 1};
}

// Largest difference relative to the largest moment.
double difference(const std::vector<std::complex<double>>& a,
                  const std::vector<std::complex<double>>& b) {
  double largest = 0.0;
  double worst = 0.0;
  for (std::size_t c = 0; c < b.size(); ++c) {
    largest = std::max(largest, std::abs(b[c]));
    const double d = std::abs(a[c] - b[c]);
    worst = d <= worst ? worst : d;  // not a number stays
  }
  return worst / largest;
}

// agreement: 1e-10 of the largest moment is what the library promises between back ends
constexpr double kAgreement = 1e-10;

void check_direct(const MomentSpec& spec, int size, const GpuDevice& gpu) {
  const auto image = random_image(size, kSeed);
  const ImageBatch batch(image, 1, size);
  const auto expected = compute(*make_direct_moment_engine(spec, size), batch);
  const auto got = compute(*make_direct_gpu_engine(spec, size, gpu), batch);
  const double d = difference(got, expected);
  EXPECT_LT(d, kAgreement) << describe(spec) << " N=" << size << " seed " << kSeed;
  std::cout << describe(spec) << ", N = " << size << ": " << d << "\n";
}

void check_exact(int order, int size, const GpuDevice& gpu) {
  const auto image = random_image(size, kSeed + 1);
  const ImageBatch batch(image, 1, size);
  const MomentSpec spec{Family::kZernike, order, Method::kExact};
  const auto expected = compute(*make_exact_moment_engine(spec, size), batch);
  const auto got = compute(*make_exact_gpu_engine(spec, size, gpu), batch);
  const double d = difference(got, expected);
  EXPECT_LT(d, kAgreement) << describe(spec) << " N=" << size << " seed " << kSeed + 1;
  std::cout << describe(spec) << ", N = " << size << ": " << d << "\n";
}

void check_reconstruction(const MomentSpec& spec, int size, const MomentSelection& selection,
                          const GpuDevice& gpu) {
  std::mt19937 generator(kSeed + 2);
  std::normal_distribution<double> normal;
  std::vector<std::complex<double>> moments;
  for (const auto& [n, m] : moment_indices(spec.family, spec.order)) {
    const double real = normal(generator);
    moments.emplace_back(real, m == 0 ? 0.0 : normal(generator));
  }
  const auto pixels = static_cast<std::size_t>(size) * size;
  std::vector<double> expected(pixels);
  std::vector<double> got(pixels + 2, kCanary);
  make_cpu_reconstructor(spec, size)->reconstruct(moments, selection, expected);
  make_gpu_reconstructor(spec, size, gpu)
      ->reconstruct(moments, selection, std::span(got).subspan(1, pixels));
  EXPECT_EQ(got.front(), kCanary);
  EXPECT_EQ(got.back(), kCanary);
  double largest = 0.0;
  for (const double v : expected) largest = std::max(largest, std::abs(v));
  for (std::size_t p = 0; p < pixels; ++p) {
    ASSERT_NEAR(got[p + 1], expected[p], kAgreement * largest) << describe(spec) << " pixel " << p;
  }
}

TEST_F(GpuSanitizedHighOrder, DirectAgreesWithTheCpu) {
  for (const Family family : {Family::kZernike, Family::kPseudoZernike}) {
    check_direct({family, 0}, 8, gpu_);
    check_direct({family, 1}, 9, gpu_);
    check_direct({family, 30}, 24, gpu_);
    check_direct({family, 70, Method::kSubregion, 3}, 21, gpu_);
    check_direct({family, 20, Method::kAdaptive}, 13, gpu_);
  }
}

TEST_F(GpuSanitizedHighOrder, ExactAgreesWithTheCpu) {
  for (const int order : {0, 1, 2, 5, 30, 41}) {
    check_exact(order, 24, gpu_);
    check_exact(order, 9, gpu_);
  }
}

TEST_F(GpuSanitizedHighOrder, ReconstructionAgreesWithTheCpu) {
  for (const Family family : {Family::kZernike, Family::kPseudoZernike}) {
    check_reconstruction({family, 0}, 8, {0, 0, Repetitions::kAll}, gpu_);
    check_reconstruction({family, 33}, 24, {0, 33, Repetitions::kAll}, gpu_);
    check_reconstruction({family, 33}, 25, {10, 20, Repetitions::kPositive}, gpu_);
    check_reconstruction({family, 12}, 2, {3, 12, Repetitions::kZero}, gpu_);
  }
}

TEST_F(GpuHighOrder, DirectAgreesWithTheCpu) {
  check_direct({Family::kZernike, 500}, 512, gpu_);
  check_direct({Family::kZernike, 500, Method::kSubregion, 3}, 256, gpu_);
  check_direct({Family::kPseudoZernike, 300, Method::kGauss, 4}, 200, gpu_);
  check_direct({Family::kPseudoZernike, 700}, 128, gpu_);
  check_direct({Family::kPseudoZernike, 150, Method::kAdaptive}, 129, gpu_);
  // more repetitions than are on the GPU at a time; values that start below double's range
  check_direct({Family::kPseudoZernike, 1100}, 64, gpu_);
  check_direct({Family::kZernike, 2100}, 64, gpu_);
}

TEST_F(GpuHighOrder, ExactAgreesWithTheCpu) {
  check_exact(500, 512, gpu_);
  check_exact(1001, 256, gpu_);
  check_exact(2000, 64, gpu_);
}

TEST_F(GpuHighOrder, ReconstructionAgreesWithTheCpu) {
  check_reconstruction({Family::kZernike, 500}, 512, {0, 500, Repetitions::kAll}, gpu_);
  check_reconstruction({Family::kPseudoZernike, 400}, 128, {100, 350, Repetitions::kAll}, gpu_);
  check_reconstruction({Family::kZernike, 1300}, 96, {0, 1300, Repetitions::kAll}, gpu_);
}

// agreement: types of pixels, several images; invariant: no run differs from another in a bit
TEST_F(GpuHighOrder, PixelTypesAndRunsAgree) {
  const int size = 40;
  std::vector<unsigned char> bytes(2 * static_cast<std::size_t>(size) * size);
  for (std::size_t p = 0; p < bytes.size(); ++p)
    bytes[p] = static_cast<unsigned char>(p * 41 % 251);
  const std::vector<float> floats(bytes.begin(), bytes.end());
  const std::vector<double> doubles(bytes.begin(), bytes.end());
  std::vector<std::unique_ptr<MomentEngine>> engines;
  engines.push_back(make_direct_gpu_engine({Family::kZernike, 45}, size, gpu_));
  engines.push_back(make_exact_gpu_engine({Family::kZernike, 45, Method::kExact}, size, gpu_));
  for (const auto& engine : engines) {
    const auto a = compute(*engine, ImageBatch(bytes, 2, size));
    EXPECT_EQ(compute(*engine, ImageBatch(floats, 2, size)), a) << engine->describe();
    EXPECT_EQ(compute(*engine, ImageBatch(doubles, 2, size)), a);
    EXPECT_EQ(compute(*engine, ImageBatch(bytes, 2, size)), a);
    std::vector<float> magnitudes(a.size());
    engine->magnitudes(ImageBatch(bytes, 2, size), magnitudes);
    for (std::size_t c = 0; c < a.size(); ++c) {
      EXPECT_FLOAT_EQ(magnitudes[c], static_cast<float>(std::abs(a[c])));
    }
  }
}

TEST_F(GpuHighOrder, NonFinitePixelsAreNamed) {
  std::vector<double> image(64, 1.0);
  image[3 * 8 + 4] = std::numeric_limits<double>::quiet_NaN();
  for (const bool exact : {false, true}) {
    auto engine = exact ? make_exact_gpu_engine({Family::kZernike, 4, Method::kExact}, 8, gpu_)
                        : make_direct_gpu_engine({Family::kZernike, 4}, 8, gpu_);
    EXPECT_THROW(compute(*engine, ImageBatch(image, 1, 8)), InputError);
  }
}

}  // namespace
}  // namespace leafglyph
