// Whether a command takes the cores or a GPU, decided without either.
#include <gtest/gtest.h>

#include "features/base/threads.h"
#include "gpu/plans.h"

namespace leafglyph {
namespace {

// 16 threads, until the end of the scope.
class SixteenThreads {
 public:
  SixteenThreads() : before_(thread_count()) { set_thread_count(16); }
  ~SixteenThreads() { set_thread_count(before_); }
  SixteenThreads(const SixteenThreads&) = delete;
  SixteenThreads& operator=(const SixteenThreads&) = delete;

 private:
  int before_;
};

DeviceChoice::Kind kind_for(const MomentSpec& spec, const ArraySize& size, std::size_t images) {
  std::string reason;
  const DeviceChoice::Kind kind = device_for(spec, size, images, {}, reason).kind;
  EXPECT_EQ(reason.empty(), kind == DeviceChoice::Kind::kAuto);
  return kind;
}

constexpr auto kCores = DeviceChoice::Kind::kCpu;
constexpr auto kGpuIfAny = DeviceChoice::Kind::kAuto;

// regression: from start to file, one image of the middle three takes 0.12, 0.09 and 0.44 s on 16
// cores and 0.47, 0.43 and 0.48 with an H100; the last one 4.8 and 0.8
TEST(DeviceFor, TakesTheFasterForOneImage) {
  const SixteenThreads threads;
  EXPECT_EQ(kind_for({Family::kZernike, 30}, 256, 1), kCores);
  EXPECT_EQ(kind_for({Family::kLegendre, 500, Method::kExact}, 512, 1), kCores);
  EXPECT_EQ(kind_for({Family::kZernike, 500, Method::kExact}, 512, 1), kCores);
  EXPECT_EQ(kind_for({Family::kZernike, 500}, 512, 1), kCores);
  EXPECT_EQ(kind_for({Family::kPseudoZernike, 700, Method::kAdaptive}, 512, 1), kCores);
  EXPECT_EQ(kind_for({Family::kBesselFourier, 1000, Method::kAdaptive}, 1024, 1), kGpuIfAny);
}

// mechanics: many images pay for the start of CUDA, and few cores take longer
TEST(DeviceFor, CountsImagesAndCores) {
  const SixteenThreads threads;
  const MomentSpec spec{Family::kZernike, 500, Method::kExact};
  EXPECT_EQ(kind_for(spec, 512, 1000), kGpuIfAny);
  EXPECT_EQ(kind_for({Family::kZernike, 30}, 256, 1000000), kGpuIfAny);
  const double sixteen = estimated_seconds(spec, 512);
  set_thread_count(2);
  EXPECT_DOUBLE_EQ(estimated_seconds(spec, 512), 8 * sixteen);
}

// mechanics: a device that was asked for stays
TEST(DeviceFor, ChangesOnlyAuto) {
  std::string reason;
  PlanOptions options;
  for (const auto kind : {DeviceChoice::Kind::kCuda, DeviceChoice::Kind::kCpu}) {
    options.device = {kind, 0};
    EXPECT_EQ(device_for({Family::kZernike, 8}, 64, 1, options, reason).kind, kind);
    EXPECT_EQ(reason, "");
  }
}

// invariant: more points per pixel take longer, in proportion at most
TEST(DeviceFor, EstimatesGrowWithPoints) {
  const auto seconds = [](Family family, Method method, int points) {
    return estimated_seconds({family, 200, method, points}, 256);
  };
  for (const Family family : {Family::kBesselFourier, Family::kPseudoZernike}) {
    const double one = seconds(family, Method::kSubregion, 1);
    const double nine = seconds(family, Method::kSubregion, 9);
    const double adaptive = seconds(family, Method::kAdaptive, 1);
    EXPECT_GT(nine, 10 * one) << family_name(family);
    EXPECT_LT(nine, 81 * one) << family_name(family);  // tables and nodes do not grow
    EXPECT_GT(adaptive, one) << family_name(family);
    EXPECT_LT(adaptive, nine) << family_name(family);
  }
}

}  // namespace
}  // namespace leafglyph
