#include "features/kernels/instruction_set.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "features/kernels/instruction_set.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace leafglyph {
namespace HWY_NAMESPACE {
namespace {

// The names that processor makers use, not Highway's.
const char* name() {
#if HWY_TARGET == HWY_AVX3
  return "AVX-512";
#elif HWY_TARGET == HWY_AVX2
  return "AVX2";
#elif HWY_TARGET == HWY_SSE4
  return "SSE4";
#elif HWY_TARGET == HWY_NEON || HWY_TARGET == HWY_NEON_WITHOUT_AES  // which 1.0.3 does not have
  return "NEON";
#else
  return "baseline";
#endif
}

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace leafglyph
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace leafglyph {
namespace {
HWY_EXPORT(name);
}

std::string_view instruction_set_name() { return HWY_DYNAMIC_DISPATCH(name)(); }

}  // namespace leafglyph
#endif
