// Zernike moments about every pixel on the GPU against those on the CPU. Skipped without a GPU.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "gpu/plans.h"
#include "tests/support/random_image.h"

namespace leafglyph {
namespace {

constexpr unsigned kGpuLocalSeed = 20261129;

class GpuLocal : public ::testing::Test {
 protected:
  void SetUp() override {
    const std::string reason = gpu::find_gpus().reason;
    if (!reason.empty()) GTEST_SKIP() << reason;
  }
};

// agreement: numbers and magnitudes of the CPU, of the whole and of a strip
TEST_F(GpuLocal, AreThoseOfTheCpu) {
  for (const LocalSpec& spec :
       {LocalSpec{8, 16.0}, LocalSpec{0, 1.0}, LocalSpec{16, 30.5, 3, LocalBorder::kMirror},
        LocalSpec{5, 60.0, 70}, LocalSpec{11, 9.0, 2}}) {
    constexpr int kWidth = 211;
    constexpr int kHeight = 90;
    const auto image = random_values(std::size_t{kWidth} * kHeight, kGpuLocalSeed);
    const LocalMoments cpu(spec, kWidth, kHeight);
    const auto gpu = make_local_moments(spec, kWidth, kHeight, {DeviceChoice::Kind::kCuda, 0});
    const int first = cpu.rows() / 3;
    for (const auto& [from, to] : {std::pair{0, cpu.rows()}, {first, cpu.rows() - first}}) {
      const std::size_t sites = static_cast<std::size_t>(to - from) * cpu.columns();
      std::vector<double> expected(sites * cpu.numbers().size());
      std::vector<double> got(expected.size());
      cpu.moments(image, from, to, expected);
      gpu->moments(image, from, to, got);
      double largest = 0.0;
      for (std::size_t i = 0; i < got.size(); ++i) {
        largest = std::max(largest, std::abs(got[i] - expected[i]));
      }
      EXPECT_LT(largest, 1e-8) << spec.order;  // twice what both state, of values below 100
      std::vector<float> magnitudes(sites * cpu.moment_count());
      std::vector<float> of_gpu(magnitudes.size());
      cpu.magnitudes(image, from, to, magnitudes);
      gpu->magnitudes(image, from, to, of_gpu);
      for (std::size_t i = 0; i < of_gpu.size(); ++i) {
        ASSERT_NEAR(of_gpu[i], magnitudes[i], 1e-5F * (1.0F + magnitudes[i])) << spec.order;
      }
    }
  }
}

}  // namespace
}  // namespace leafglyph
