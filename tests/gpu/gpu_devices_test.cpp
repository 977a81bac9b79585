#include "gpu/devices.h"

#include <gtest/gtest.h>

#include "features/base/errors.h"

namespace leafglyph {
namespace {

// mechanics: there is either a GPU or a reason, and each choice is consistent with that
TEST(GpuDevices, ChoicesFollowFromWhatIsThere) {
  const gpu::GpuInventory found = gpu::find_gpus();
  EXPECT_EQ(found.devices.empty(), !found.reason.empty());
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

}  // namespace
}  // namespace leafglyph
