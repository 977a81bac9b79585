#include "features/local/local_kernels.h"

#include "features/kernels/instruction_set.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "features/local/local_kernels.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include <algorithm>
#include <cstddef>
#include <type_traits>

HWY_BEFORE_NAMESPACE();
namespace leafglyph {
namespace HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;

using Lanes = hn::CappedTag<double, 8>;
using Vector = hn::Vec<Lanes>;
constexpr Lanes kTag;
constexpr std::size_t kLanes = hn::MaxLanes(kTag);
// Sums in registers, of 16 that AVX2 has. Even: which of them are of even q is known then.
constexpr std::size_t kSums = 10;

// Calls use(the constant count).
template <std::size_t kMost, class Use>
HWY_INLINE void with_count(std::size_t count, const Use& use) {
  if constexpr (kMost > 0) {
    if (count == kMost) return use(std::integral_constant<std::size_t, kMost>());
    with_count<kMost - 1>(count, use);
  }
}

// Degrees whose sums are independent of each other, so that additions need not wait.
constexpr std::size_t kChains = 6;

template <std::size_t kCount>
HWY_INLINE void sum_degrees(const LocalTables& tables, const double* values, std::size_t p,
                            double* sums) {
  double sum[kCount] = {};
  const double* const polynomials = tables.polynomials.data() + p * tables.pixels;
  double* const rows = sums + p * tables.row_length;
  for (std::size_t k = 0; k < kCount; ++k) rows[k * tables.row_length + tables.place[0]] = 0.0;
  for (std::size_t u = 0; u < tables.pixels; ++u) {
    const std::size_t place = tables.place[u + 1];
    for (std::size_t k = 0; k < kCount; ++k) {
      sum[k] += values[u] * polynomials[k * tables.pixels + u];
      rows[k * tables.row_length + place] = sum[k];
    }
  }
}

void prefix_sums(const LocalTables& tables, const double* values, double* sums) {
  for (std::size_t p = 0; p < tables.degrees; p += kChains) {
    with_count<kChains>(std::min(kChains, tables.degrees - p), [&](auto count) HWY_ATTR {
      sum_degrees<count()>(tables, values, p, sums);
    });
  }
}

// The sums of P_p(v) P_q(h) for q = first, ..., first + kCount - 1 over the circles of the kLanes
// sites from site i on, for one p. Rows at equal distances above and below add to even q and
// subtract for odd q.
template <std::size_t kCount>
HWY_INLINE void sum_products(const LocalTables& tables, const double* const* rows,
                             std::size_t offset, std::size_t first, double* out,
                             std::size_t stride) {
  Vector sums[kCount];
  const auto chord_sum = [offset](const double* row, const LocalTables::Chord& chord) HWY_ATTR {
    return hn::Sub(hn::LoadU(kTag, row + offset + chord.right),
                   hn::LoadU(kTag, row + offset + chord.left));
  };
  const double* heights = tables.heights.data() + first;
  const Vector own = chord_sum(rows[tables.reach], tables.chords[0]);
  for (std::size_t q = 0; q < kCount; ++q) {
    sums[q] = q % 2 == 0 ? hn::Mul(own, hn::Set(kTag, heights[q])) : hn::Zero(kTag);
  }
  for (std::size_t dy = 1; dy <= tables.reach; ++dy) {
    heights += tables.degrees;
    const Vector above = chord_sum(rows[tables.reach - dy], tables.chords[dy]);
    const Vector below = chord_sum(rows[tables.reach + dy], tables.chords[dy]);
    const Vector both = hn::Add(above, below);
    const Vector difference = hn::Sub(above, below);
    for (std::size_t q = 0; q < kCount; ++q) {
      sums[q] = hn::MulAdd(q % 2 == 0 ? both : difference, hn::Set(kTag, heights[q]), sums[q]);
    }
  }
  for (std::size_t q = 0; q < kCount; ++q) hn::StoreU(sums[q], kTag, out + q * stride);
}

void numbers(const LocalTables& tables, const double* const* rows, double* products, double* out,
             std::size_t stride) {
  const std::size_t degrees = tables.degrees;
  const std::size_t sites = tables.padded_sites;
  // products[(p * degrees + q) * sites + i] about the piece's middle.
  for (std::size_t p = 0; p < degrees; ++p) {
    for (std::size_t first = 0; first < degrees - p; first += kSums) {
      const std::size_t count = std::min(kSums, degrees - p - first);
      for (std::size_t i = 0; i < sites; i += kLanes) {
        with_count<kSums>(count, [&](auto constant) HWY_ATTR {
          sum_products<constant()>(tables, rows, p * tables.row_length + i, first,
                                   products + (p * degrees + first) * sites + i, sites);
        });
      }
    }
  }
  // The same about each site: a combination of those of the same q and at most that p.
  double* const shifted = products + degrees * degrees * sites;
  for (std::size_t i = 0; i < sites; i += kLanes) {
    for (std::size_t p = 0; p < degrees; ++p) {
      const double* const factors = tables.shift.data() + p * degrees * sites + i;
      for (std::size_t q = 0; q < degrees - p; ++q) {
        Vector sum = hn::Zero(kTag);
        for (std::size_t j = 0; j <= p; ++j) {
          sum = hn::MulAdd(hn::Load(kTag, factors + j * sites),
                           hn::Load(kTag, products + (j * degrees + q) * sites + i), sum);
        }
        hn::Store(sum, kTag, shifted + (p * degrees + q) * sites + i);
      }
    }
    for (std::size_t c = 0; c + 1 < tables.first_term.size(); ++c) {
      Vector sum = hn::Zero(kTag);
      for (std::size_t t = tables.first_term[c]; t < tables.first_term[c + 1]; ++t) {
        sum = hn::MulAdd(hn::Set(kTag, tables.factors[t]),
                         hn::Load(kTag, shifted + tables.products[t] + i), sum);
      }
      hn::StoreU(sum, kTag, out + c * stride + i);
    }
  }
}

constexpr LocalKernels kTable = {prefix_sums, numbers};

const LocalKernels& table() { return kTable; }

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace leafglyph
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace leafglyph {

LEAFGLYPH_FASTEST_TABLE(LocalKernels, local_kernels)

}  // namespace leafglyph
#endif
