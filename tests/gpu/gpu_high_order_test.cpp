// The GPU's transforms for high orders against the CPU's. Skipped without a GPU.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <iostream>
#include <memory>
#include <random>
#include <utility>
#include <vector>

#include "features/base/errors.h"
#include "features/separable/separable_transform.h"
#include "features/zernike/polar_transform.h"
#include "gpu/separable/separable_transform.h"
#include "gpu/zernike/polar_transform.h"
#include "tests/support/plans.h"
#include "tests/support/random_image.h"

namespace leafglyph {
namespace {

constexpr unsigned kGpuHighOrderSeed = 20240604;
constexpr double kHighOrderCanary = 12345.0;

class GpuHighOrder : public ::testing::Test {
 protected:
  void SetUp() override {
    const gpu::GpuInventory found = gpu::find_gpus();
    if (found.devices.empty()) GTEST_SKIP() << found.reason;
    gpu_ = found.devices.front();
  }
  gpu::GpuDevice gpu_;
};
// The same at small sizes, for the sanitizers.
class GpuSanitizedHighOrder : public GpuHighOrder {};

// Moments of one image, with guard values around them.
std::vector<std::complex<double>> compute(MomentPlan&& plan, const ImageBatch& images) {
  const std::size_t count = images.count * plan.moment_count();
  std::vector<std::complex<double>> out(count + 2, kHighOrderCanary);
  plan.moments(images, std::span(out).subspan(1, count));
  EXPECT_EQ(out.front(), kHighOrderCanary);
  EXPECT_EQ(out.back(), kHighOrderCanary);
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
    worst = d <= worst ? worst : d;  // NaN stays
  }
  return worst / largest;
}

// agreement: the library promises 1e-10 of the largest moment between back ends
constexpr double kAgreement = 1e-10;

void check_direct(const MomentSpec& spec, int size, const gpu::GpuDevice& gpu) {
  const auto image = random_image(size, kGpuHighOrderSeed);
  const ImageBatch batch(image, 1, size);
  const auto expected = compute(plan_through(spec, size, make_polar_forward(spec, size)), batch);
  const auto got =
      compute(plan_through(spec, size, gpu::make_polar_forward(spec, size, gpu)), batch);
  const double d = difference(got, expected);
  EXPECT_LT(d, kAgreement) << describe(spec) << " N=" << size << " seed " << kGpuHighOrderSeed;
  std::cout << describe(spec) << ", N = " << size << ": " << d << "\n";
}

// agreement: the same sums in another order, which lose 1e-12 at order 2000
constexpr double kSameSums = 1e-12;

void check_separable(const MomentSpec& spec, int size, const gpu::GpuDevice& gpu) {
  const auto image = random_image(size, kGpuHighOrderSeed + 1);
  const ImageBatch batch(image, 1, size);
  const auto expected =
      compute(plan_through(spec, size, make_separable_forward(spec, size)), batch);
  const auto got =
      compute(plan_through(spec, size, gpu::make_separable_forward(spec, size, gpu)), batch);
  const double d = difference(got, expected);
  EXPECT_LT(d, kSameSums) << describe(spec) << " N=" << size << " seed " << kGpuHighOrderSeed + 1;
  std::cout << describe(spec) << ", N = " << size << ": " << d << "\n";
}

using BackwardPair =
    std::pair<std::shared_ptr<BackwardTransform>, std::shared_ptr<BackwardTransform>>;

// The transforms of the CPU and of the GPU.
BackwardPair backward_pair(const MomentSpec& spec, int size, const gpu::GpuDevice& gpu) {
  if (spec.family == Family::kZernike) {
    return {make_separable_backward(spec, size), gpu::make_separable_backward(spec, size, gpu)};
  }
  return {make_polar_backward(spec, size), gpu::make_polar_backward(spec, size, gpu)};
}

void check_reconstruction(const MomentSpec& spec, int size, const MomentSelection& selection,
                          const gpu::GpuDevice& gpu) {
  std::mt19937 generator(kGpuHighOrderSeed + 2);
  std::normal_distribution<double> normal;
  std::vector<std::complex<double>> moments;
  for (const auto& [n, m] : moment_indices(spec.family, spec.order)) {
    const double real = normal(generator);
    moments.emplace_back(real, m == 0 ? 0.0 : normal(generator));
  }
  const auto pixels = static_cast<std::size_t>(size) * size;
  std::vector<double> expected(pixels);
  std::vector<double> got(pixels + 2, kHighOrderCanary);
  const auto [on_cpu, on_gpu] = backward_pair(spec, size, gpu);
  plan_through(spec, size, nullptr, on_cpu).reconstruct(moments, selection, expected);
  plan_through(spec, size, nullptr, on_gpu)
      .reconstruct(moments, selection, std::span(got).subspan(1, pixels));
  EXPECT_EQ(got.front(), kHighOrderCanary);
  EXPECT_EQ(got.back(), kHighOrderCanary);
  double largest = 0.0;
  for (const double v : expected) largest = std::max(largest, std::abs(v));
  for (std::size_t p = 0; p < pixels; ++p) {
    ASSERT_NEAR(got[p + 1], expected[p], kAgreement * largest) << describe(spec) << " pixel " << p;
  }
}

// agreement: GPU and CPU.
TEST_F(GpuSanitizedHighOrder, DirectAgreesWithTheCpu) {
  for (const Family family : {Family::kZernike, Family::kPseudoZernike}) {
    check_direct({family, 0}, 8, gpu_);
    check_direct({family, 1}, 9, gpu_);
    check_direct({family, 30}, 24, gpu_);
    check_direct({family, 70, Method::kSubregion, 3}, 21, gpu_);
    check_direct({family, 20, Method::kAdaptive}, 13, gpu_);
  }
}

// agreement: GPU and CPU.
TEST_F(GpuSanitizedHighOrder, SeparableAgreesWithTheCpu) {
  for (const Mask mask : {Mask::kCentre, Mask::kWhole}) {
    for (const int order : {0, 1, 2, 5, 30, 41}) {
      for (const int size : {9, 24}) {
        check_separable({Family::kZernike, order, Method::kExact, 1, {}, mask}, size, gpu_);
        check_separable({Family::kZernike, order, Method::kSubregion, 1, {}, mask}, size, gpu_);
      }
      check_separable({Family::kZernike, order, Method::kSubregion, 3, {}, mask}, 15, gpu_);
      check_separable({Family::kZernike, order, Method::kGauss, 2, {}, mask}, 16, gpu_);
    }
    // sums over many lines, on fewer nodes
    check_separable({Family::kZernike, 20, Method::kSubregion, 9, {}, mask}, 24, gpu_);
  }
  check_separable({Family::kZernike, 7}, 2, gpu_);
}

// agreement: GPU and CPU.
TEST_F(GpuSanitizedHighOrder, ReconstructionAgreesWithTheCpu) {
  for (const Family family : {Family::kZernike, Family::kPseudoZernike}) {
    check_reconstruction({family, 0}, 8, {0, 0, Repetitions::kAll}, gpu_);
    check_reconstruction({family, 33}, 24, {0, 33, Repetitions::kAll}, gpu_);
    check_reconstruction({family, 33}, 25, {10, 20, Repetitions::kPositive}, gpu_);
    check_reconstruction({family, 12}, 2, {3, 12, Repetitions::kZero}, gpu_);
    check_reconstruction({family, 140}, 9, {0, 140, Repetitions::kAll}, gpu_);
  }
}

// agreement: GPU and CPU.
TEST_F(GpuHighOrder, DirectAgreesWithTheCpu) {
  check_direct({Family::kZernike, 500}, 512, gpu_);
  check_direct({Family::kZernike, 500, Method::kSubregion, 3}, 256, gpu_);
  check_direct({Family::kPseudoZernike, 300, Method::kGauss, 4}, 200, gpu_);
  check_direct({Family::kPseudoZernike, 700}, 128, gpu_);
  check_direct({Family::kPseudoZernike, 150, Method::kAdaptive}, 129, gpu_);
  // more repetitions than fit on the GPU at a time; values that start below double's range
  check_direct({Family::kPseudoZernike, 1100}, 64, gpu_);
  check_direct({Family::kZernike, 2100}, 64, gpu_);
}

// agreement: GPU and CPU.
TEST_F(GpuHighOrder, SeparableAgreesWithTheCpu) {
  check_separable({Family::kZernike, 500}, 512, gpu_);
  check_separable({Family::kZernike, 500, Method::kExact}, 512, gpu_);
  check_separable({Family::kZernike, 300, Method::kExact, 1, {}, Mask::kCentre}, 301, gpu_);
  check_separable({Family::kZernike, 1001, Method::kExact}, 256, gpu_);
  check_separable({Family::kZernike, 200, Method::kSubregion, 9}, 101, gpu_);
  // values that start below double's range; more places and terms than a warp handles
  check_separable({Family::kZernike, 2100}, 64, gpu_);
  check_separable({Family::kZernike, 2000, Method::kExact}, 64, gpu_);
  check_separable({Family::kZernike, 40}, 1500, gpu_);
  // more lines than can wait for their nodes at a time
  check_separable({Family::kZernike, 2500, Method::kExact}, 900, gpu_);
}

// agreement: GPU and CPU.
TEST_F(GpuHighOrder, ReconstructionAgreesWithTheCpu) {
  check_reconstruction({Family::kZernike, 500}, 512, {0, 500, Repetitions::kAll}, gpu_);
  check_reconstruction({Family::kPseudoZernike, 400}, 128, {100, 350, Repetitions::kAll}, gpu_);
  check_reconstruction({Family::kZernike, 1300}, 96, {0, 1300, Repetitions::kAll}, gpu_);
  check_reconstruction({Family::kZernike, 60}, 1100, {0, 60, Repetitions::kAll}, gpu_);
}

// regression: a plan of a low order took the shared memory from the plans of high orders made
// before it, whose moments then failed.
TEST_F(GpuHighOrder, LaterPlansTakeNothingFromEarlierOnes) {
  const int size = 64;
  const auto image = random_image(size, kGpuHighOrderSeed + 3);
  const ImageBatch batch(image, 1, size);
  const MomentSpec high{Family::kZernike, 2500}, high_pseudo{Family::kPseudoZernike, 1100};
  MomentPlan separable = plan_through(high, size, gpu::make_separable_forward(high, size, gpu_),
                                      gpu::make_separable_backward(high, size, gpu_));
  MomentPlan polar =
      plan_through(high_pseudo, size, gpu::make_polar_forward(high_pseudo, size, gpu_));
  std::vector<std::complex<double>> moments(separable.moment_count()), again(moments.size());
  std::vector<std::complex<double>> pseudo(polar.moment_count()), pseudo_again(pseudo.size());
  std::vector<double> values(image.size()), values_again(image.size());
  const MomentSelection all{0, high.order, Repetitions::kAll};
  separable.moments(batch, moments);
  separable.reconstruct(moments, all, values);
  polar.moments(batch, pseudo);
  const MomentSpec low{Family::kZernike, 4}, low_pseudo{Family::kPseudoZernike, 4};
  gpu::make_separable_forward(low, size, gpu_);
  gpu::make_separable_backward(low, size, gpu_);
  gpu::make_polar_forward(low_pseudo, size, gpu_);
  separable.moments(batch, again);
  separable.reconstruct(moments, all, values_again);
  polar.moments(batch, pseudo_again);
  EXPECT_EQ(again, moments);
  EXPECT_EQ(values_again, values);
  EXPECT_EQ(pseudo_again, pseudo);
}

// agreement: pixel types, several images; invariant: all runs agree to the last bit
TEST_F(GpuHighOrder, PixelTypesAndRunsAgree) {
  const int size = 40;
  constexpr std::size_t kImages = 5;  // more than are processed at a time
  std::vector<unsigned char> bytes(kImages * static_cast<std::size_t>(size) * size);
  for (std::size_t p = 0; p < bytes.size(); ++p)
    bytes[p] = static_cast<unsigned char>(p * 41 % 251);
  const std::vector<std::uint16_t> words(bytes.begin(), bytes.end());
  const std::vector<float> floats(bytes.begin(), bytes.end());
  const std::vector<double> doubles(bytes.begin(), bytes.end());
  const MomentSpec sampled{Family::kZernike, 45};
  const MomentSpec exact{Family::kZernike, 45, Method::kExact};
  for (const auto& served : {std::pair{sampled, gpu::make_polar_forward(sampled, size, gpu_)},
                             std::pair{exact, gpu::make_separable_forward(exact, size, gpu_)}}) {
    const MomentSpec& spec = served.first;
    const auto& forward = served.second;
    const auto on_gpu = [&](const ImageBatch& batch) {
      return compute(plan_through(spec, size, forward), batch);
    };
    const auto a = on_gpu(ImageBatch(bytes, kImages, size));
    EXPECT_EQ(on_gpu(ImageBatch(words, kImages, size)), a) << forward->describe();
    EXPECT_EQ(on_gpu(ImageBatch(floats, kImages, size)), a);
    EXPECT_EQ(on_gpu(ImageBatch(doubles, kImages, size)), a);
    EXPECT_EQ(on_gpu(ImageBatch(bytes, kImages, size)), a);
    const auto count = static_cast<std::ptrdiff_t>(moment_count(spec, size));
    EXPECT_EQ(on_gpu(ImageBatch(bytes, kImages, size).slice(3, 1)),
              std::vector(a.begin() + 3 * count, a.begin() + 4 * count));
  }
}

}  // namespace
}  // namespace leafglyph
