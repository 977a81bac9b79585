// The instruction sets that the inner loops are compiled for. Include this before any header of
// Highway, which compiles a file of kernels once per instruction set and chooses at run time.
#pragma once

#include <string_view>

#ifdef HWY_TARGET
#error "include features/kernels/instruction_set.h before hwy/foreach_target.h"
#endif
/// Of x86 these and the baseline are enabled, of arm64 NEON, so that every version of Highway
/// compiles the same kernels. Others are exceeded by every current processor, add only instructions
/// that the kernels do not use, or have registers whose size is unknown at compile time, and arrays
/// of registers need it. A target's bit is lower the better it is, x86 before arm64. The baseline,
/// HWY_SSE2, has no name in Highway 1.0.3.
#define HWY_DISABLED_TARGETS ((HWY_NEON - 1) & ~(HWY_AVX3 | HWY_AVX2 | HWY_SSE4 | (4 * HWY_SSSE3)))

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
