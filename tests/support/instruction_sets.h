// A test fixture for the kernels of every instruction set that this processor supports.
#pragma once

#include <gtest/gtest.h>
// Must precede all headers of Highway.
#include "features/kernels/instruction_set.h"

#include <hwy/highway.h>

#include <cstdint>
#include <set>
#include <string>

namespace leafglyph {

// Calls use() once for each instruction set that is compiled in and supported by this processor.
class InstructionSets : public ::testing::Test {
 protected:
  ~InstructionSets() override { choose(0); }

  static void choose(std::int64_t targets) {
    hwy::SetSupportedTargetsForTest(targets);
    hwy::GetChosenTarget().Update(hwy::SupportedTargets());
  }

  template <class Use>
  void for_each(const Use& use) {
    for (const std::int64_t target : hwy::SupportedAndGeneratedTargets()) {
      choose(target);
      names_.insert(std::string(instruction_set_name()));
      SCOPED_TRACE(std::string(instruction_set_name()));
      use();
      choose(0);
    }
  }

  std::set<std::string> names_;
};

}  // namespace leafglyph
