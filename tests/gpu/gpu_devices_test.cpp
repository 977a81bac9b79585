#include "gpu/devices.h"

#include <gtest/gtest.h>

#include <complex>
#include <cstdlib>
#include <string>
#include <thread>
#include <vector>

#include "features/base/errors.h"
#include "gpu/cuda/visible_gpus.h"
#include "gpu/plans.h"

namespace leafglyph {
namespace {

// mechanics: there is either a GPU or a reason, and each choice is consistent with that
TEST(GpuDevices, ChoicesFollowFromWhatIsThere) {
  const gpu::GpuInventory found = usable_gpus();
  EXPECT_EQ(found.devices.empty(), !found.reason.empty());
  EXPECT_LE(usable_gpus(/*most=*/1).devices.size(), 1U);
  std::string reason;
  EXPECT_TRUE(select_gpus({DeviceChoice::Kind::kCpu, 0}, reason).empty());
  const auto automatic = select_gpus({DeviceChoice::Kind::kAuto, 0}, reason);
  EXPECT_EQ(automatic.size(), found.devices.empty() ? 0U : 1U);
  EXPECT_EQ(reason, found.reason);
  if (found.devices.empty()) {
    for (const int index : {-1, 0}) {
      try {
        select_gpus({DeviceChoice::Kind::kCuda, index}, reason);
        FAIL() << "a GPU was given where there is none";
      } catch (const Error& error) {
        EXPECT_NE(std::string(error.what()).find(found.reason), std::string::npos) << error.what();
      }
    }
  } else {
    EXPECT_EQ(select_gpus({DeviceChoice::Kind::kCuda, -1}, reason).size(), found.devices.size());
    const int first = found.devices[0].index;
    EXPECT_EQ(select_gpus({DeviceChoice::Kind::kCuda, first}, reason)[0].index, first);
    EXPECT_THROW(select_gpus({DeviceChoice::Kind::kCuda, 4096}, reason), Error);
  }
}

// mechanics: the entry of a list is the only one left, and keeps its number; a list without it
// stays. In a process of its own, because the environment is that of all tests.
TEST(VisibleGpus, OneOfAList) {
  const auto sees = [](int number, const std::string& only, int first) {
    ::setenv("CUDA_VISIBLE_DEVICES", "4,GPU-5,7", /*overwrite=*/1);
    gpu::see_only(number);
    const bool right =
        std::getenv("CUDA_VISIBLE_DEVICES") == only && gpu::first_visible_gpu() == first;
    std::_Exit(right ? 0 : 1);
  };
  EXPECT_EXIT(sees(1, "GPU-5", 1), testing::ExitedWithCode(0), "");
  EXPECT_EXIT(sees(2, "7", 2), testing::ExitedWithCode(0), "");
  EXPECT_EXIT(sees(3, "4,GPU-5,7", 0), testing::ExitedWithCode(0), "");
}

// Computes on one GPU, as a process that uses no other; the exit code is that of a process that has
// a context on the other one.
[[noreturn]] void compute_and_exit(int used, int other) {
  {
    PlanOptions options;
    options.device = {DeviceChoice::Kind::kCuda, used};
    const auto plan = make_moment_plan({Family::kZernike, 8}, 32, options);
    const std::vector<double> image(32 * 32, 1.0);
    std::vector<std::complex<double>> moments(plan->moment_count());
    std::jthread([&] { plan->moments(ImageBatch(image, 1, 32), moments); }).join();
  }
  std::exit(gpu::has_context(other) || !gpu::has_context(used) ? 1 : 0);
}

// mechanics: a process that uses one GPU of several has no context on the others, whichever it is,
// whichever thread computes and after everything was given back.
TEST(GpuDevices, OneGpuOneContext) {
  const gpu::GpuInventory found = gpu::find_gpus();
  if (found.devices.size() < 2) GTEST_SKIP() << "needs two GPUs";
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  const int first = found.devices.front().index;
  const int last = found.devices.back().index;
  EXPECT_EXIT(compute_and_exit(first, last), ::testing::ExitedWithCode(0), "");
  EXPECT_EXIT(compute_and_exit(last, first), ::testing::ExitedWithCode(0), "");
}

}  // namespace
}  // namespace leafglyph
