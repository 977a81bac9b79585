// Which GPUs a build supports.
#include "gpu/cuda/architectures.h"

#include <gtest/gtest.h>

namespace leafglyph::gpu {
namespace {

// oracle: NVIDIA's rules of compatibility (CUDA C++ Programming Guide, binary and PTX), written out
// for the architectures of this build and for suffixes.
TEST(Architectures, MachineCodeAndPtxByTheRules) {
  constexpr const char* kOurs = "75-real,80-real,86-real,89-real,90";
  EXPECT_FALSE(runs_on(kOurs, 7, 0));
  EXPECT_TRUE(runs_on(kOurs, 7, 5));
  EXPECT_TRUE(runs_on(kOurs, 8, 0));
  EXPECT_TRUE(runs_on(kOurs, 8, 7));
  EXPECT_TRUE(runs_on(kOurs, 9, 0));
  EXPECT_TRUE(runs_on(kOurs, 10, 0));  // PTX of 90
  EXPECT_TRUE(runs_on(kOurs, 12, 1));

  EXPECT_FALSE(runs_on("86-real", 8, 0));
  EXPECT_TRUE(runs_on("86-real", 8, 9));
  EXPECT_FALSE(runs_on("86-real", 9, 0));
  EXPECT_TRUE(runs_on("80-virtual", 9, 0));
  EXPECT_TRUE(runs_on("80-virtual", 8, 0));
  EXPECT_FALSE(runs_on("80-virtual", 7, 5));
  EXPECT_TRUE(runs_on("90a", 9, 0));
  EXPECT_FALSE(runs_on("90a", 10, 0));
  EXPECT_TRUE(runs_on("100f-real", 10, 3));
  EXPECT_FALSE(runs_on("100f-real", 11, 0));
  EXPECT_TRUE(runs_on("120", 12, 1));
}

// mechanics: a build that does not say what it was compiled for is tried on every GPU.
TEST(Architectures, NoListSaysNothing) {
  EXPECT_TRUE(runs_on("", 5, 0));
  EXPECT_TRUE(runs_on("OFF", 12, 0));
}

}  // namespace
}  // namespace leafglyph::gpu
