// The instruction sets that the inner loops are compiled for. Include this before any header of
// Highway, which compiles a file of kernels once per instruction set and chooses at run time.
#pragma once

#include <string_view>

#ifdef HWY_TARGET
#error "include features/kernels/instruction_set.h before hwy/foreach_target.h"
#endif
/// Disabled are instruction sets that every current processor exceeds, and those whose register
/// size is unknown at compile time, since arrays of registers need it.
#define HWY_DISABLED_TARGETS \
  (HWY_SSSE3 | HWY_AVX3_DL | HWY_SVE | HWY_SVE2 | HWY_SVE_256 | HWY_SVE2_128)

/// Use after HWY_AFTER_NAMESPACE and `#if HWY_ONCE`, in namespace leafglyph. Defines `function`,
/// which returns the `const Kernels&` that `table()` returns for the best instruction set of this
/// processor.
#define LEAFGLYPH_FASTEST_TABLE(Kernels, function) \
  namespace {                                      \
  HWY_EXPORT(table);                               \
  }                                                \
  const Kernels& function() { return HWY_DYNAMIC_DISPATCH(table)(); }

namespace leafglyph {

/// The instruction set of the kernels in use: "AVX-512", "AVX2", "SSE4", "NEON" or "baseline".
std::string_view instruction_set_name();

}  // namespace leafglyph
