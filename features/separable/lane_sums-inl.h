// Registers of doubles for the kernels that compute polynomials on the fly. Included once per
// instruction set, after hwy/foreach_target.h.

#if defined(LEAFGLYPH_LANE_SUMS_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef LEAFGLYPH_LANE_SUMS_INL_H
#undef LEAFGLYPH_LANE_SUMS_INL_H
#else
#define LEAFGLYPH_LANE_SUMS_INL_H
#endif

#include <hwy/highway.h>

#include "features/separable/recurrence_kernels.h"

HWY_BEFORE_NAMESPACE();
namespace leafglyph {
namespace HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;

using Lanes = hn::CappedTag<double, kRecurrenceBlock>;
using Vector = hn::Vec<Lanes>;
constexpr Lanes kTag;
constexpr std::size_t kLanes = hn::MaxLanes(kTag);
constexpr std::size_t kParts = kRecurrenceBlock / kLanes;
static_assert(kRecurrenceBlock % kLanes == 0);

HWY_INLINE Vector load(const double* p) { return hn::LoadU(kTag, p); }
HWY_INLINE void store(double* p, Vector v) { hn::StoreU(v, kTag, p); }
HWY_INLINE Vector all(double value) { return hn::Set(kTag, value); }

// Sums the lanes of kLanes consecutive registers; lane i of the result is the sum over register i.
HWY_INLINE Vector lane_sums(const double* rows) {
#if HWY_TARGET == HWY_SCALAR
  return load(rows);
#else
  Vector v[kLanes];
  for (std::size_t i = 0; i < kLanes; ++i) v[i] = load(rows + i * kLanes);
  // Neighbouring lanes are added, two registers at a time, until one register is left: kLanes - 1
  // additions of registers for kLanes sums, where each sum alone would take log2 kLanes.
  for (std::size_t count = kLanes; count > 1; count /= 2) {
    for (std::size_t i = 0; i < count / 2; ++i) {
      const Vector a = v[2 * i];
      const Vector b = v[2 * i + 1];
      v[i] = hn::Add(hn::ConcatEven(kTag, b, a), hn::ConcatOdd(kTag, b, a));
    }
  }
  return v[0];
#endif
}

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace leafglyph
HWY_AFTER_NAMESPACE();

#endif
