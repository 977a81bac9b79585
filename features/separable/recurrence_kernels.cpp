#include "features/separable/recurrence_kernels.h"

#include <type_traits>

#include "features/kernels/instruction_set.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "features/separable/recurrence_kernels.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "features/separable/lane_sums-inl.h"

HWY_BEFORE_NAMESPACE();
namespace leafglyph {
namespace HWY_NAMESPACE {
namespace {

// Registers of points processed together: four on instruction sets with 32 registers.
constexpr std::size_t kPointVectors = kLanes == 8 ? 4 : 2;

// --- along a line --------------------------------------------------------------------------------

// Adds V registers of points to two running sums of one parity in x: even and odd in y.
template <std::size_t V>
HWY_INLINE void add_points(const Vector* p, const double* even, const double* odd, double* sums,
                           std::size_t odd_sums) {
  Vector a = load(sums);
  Vector b = load(sums + odd_sums);
  for (std::size_t v = 0; v < V; ++v) {
    a = hn::MulAdd(p[v], load(even + v * kLanes), a);
    b = hn::MulAdd(p[v], load(odd + v * kLanes), b);
  }
  store(sums, a);
  store(sums + odd_sums, b);
}

// Adds V registers of points from `at` to the sums of k in [first, first + count), an even number:
// sums[y parity][k][lane]. Two values of k per step, so that p and q alternate without a copy.
template <std::size_t V>
void sum_points(const LegendreLine& line, const FoldedValues<const double>& values, std::size_t at,
                std::size_t first, std::size_t count, double* sums) {
  constexpr std::size_t kOddSums = kLegendreChunk * kLanes;
  Vector t[V];
  Vector p[V];
  Vector q[V];
  for (std::size_t v = 0; v < V; ++v) {
    t[v] = load(line.t + at + v * kLanes);
    q[v] = load(line.before + at + v * kLanes);
    p[v] = load(line.current + at + v * kLanes);
  }
  for (std::size_t k = 0; k < count; k += 2) {
    add_points<V>(p, values.even_even + at, values.even_odd + at, sums + k * kLanes, kOddSums);
    const Vector even_slope = all(line.slope[first + k]);
    for (std::size_t v = 0; v < V; ++v) q[v] = hn::MulSub(hn::Mul(even_slope, t[v]), p[v], q[v]);
    add_points<V>(q, values.odd_even + at, values.odd_odd + at, sums + (k + 1) * kLanes, kOddSums);
    const Vector odd_slope = all(line.slope[first + k + 1]);
    for (std::size_t v = 0; v < V; ++v) p[v] = hn::MulSub(hn::Mul(odd_slope, t[v]), q[v], p[v]);
  }
  for (std::size_t v = 0; v < V; ++v) {
    store(line.before + at + v * kLanes, q[v]);
    store(line.current + at + v * kLanes, p[v]);
  }
}

// Calls call(V, at) for all points: V registers from `at`, with V a constant. The remainder goes in
// twos and threes where possible, because a single register waits for its own results.
template <class Call>
HWY_INLINE void for_points(std::size_t points, const Call& call) {
  using std::integral_constant;
  std::size_t at = 0;
  std::size_t left = points / kLanes;
  const auto take = [&](auto vectors) HWY_ATTR {
    call(vectors, at);
    at += vectors * kLanes;
    return std::size_t{vectors};
  };
  while (left >= kPointVectors + 4 || left == kPointVectors || left == kPointVectors + 3) {
    left -= take(integral_constant<std::size_t, kPointVectors>());
  }
  while (left >= 3 && left != 4) left -= take(integral_constant<std::size_t, 3>());
  while (left >= 2) left -= take(integral_constant<std::size_t, 2>());
  if (left > 0) take(integral_constant<std::size_t, 1>());
}

void start_recurrence(const LegendreLine& line) {
  for (std::size_t p = 0; p < line.points; ++p) {
    line.before[p] = 0.0;
    line.current[p] = 1.0;
  }
}

// Sums by p_{k+1} = slope_k t p_k - p_{k-1} over all points, kLegendreChunk values of k at a time.
// `before` and `current` hold the recurrence between chunks.
void legendre_sums(const LegendreLine& line, const FoldedValues<const double>& values, double* even,
                   double* odd) {
  // 8 KB at most: they stay in the nearest cache while the points pass. Lanes are added only at the
  // end of a chunk.
  HWY_ALIGN double sums[2 * kLegendreChunk * kLanes];
  start_recurrence(line);
  for (std::size_t first = 0; first < line.terms; first += kLegendreChunk) {
    const std::size_t count =
        line.terms - first < kLegendreChunk ? line.terms - first : kLegendreChunk;
    for (double& sum : sums) sum = 0.0;
    for_points(line.points, [&](auto vectors, std::size_t at) HWY_ATTR {
      sum_points<decltype(vectors)::value>(line, values, at, first, count, sums);
    });
    for (std::size_t k = 0; k < count; k += kLanes) {
      store(even + first + k, lane_sums(sums + k * kLanes));
      store(odd + first + k, lane_sums(sums + (kLegendreChunk + k) * kLanes));
    }
  }
}

// The four parts of the sum over k at V registers of points, by the same recurrence, two values of
// k per step. The sums are over k, so they stay in registers, and k needs no chunks.
template <std::size_t V>
void point_values(const LegendreLine& line, const double* even, const double* odd, std::size_t at,
                  const FoldedValues<double>& values) {
  Vector t[V];
  Vector p[V];
  Vector q[V];
  Vector sum[4][V];
  for (std::size_t v = 0; v < V; ++v) {
    t[v] = load(line.t + at + v * kLanes);
    q[v] = hn::Zero(kTag);
    p[v] = all(1.0);
    for (auto& part : sum) part[v] = hn::Zero(kTag);
  }
  for (std::size_t k = 0; k < line.terms; k += 2) {
    for (std::size_t v = 0; v < V; ++v) {
      sum[0][v] = hn::MulAdd(p[v], all(even[k]), sum[0][v]);
      sum[1][v] = hn::MulAdd(p[v], all(odd[k]), sum[1][v]);
      q[v] = hn::MulSub(hn::Mul(all(line.slope[k]), t[v]), p[v], q[v]);
    }
    for (std::size_t v = 0; v < V; ++v) {
      sum[2][v] = hn::MulAdd(q[v], all(even[k + 1]), sum[2][v]);
      sum[3][v] = hn::MulAdd(q[v], all(odd[k + 1]), sum[3][v]);
      p[v] = hn::MulSub(hn::Mul(all(line.slope[k + 1]), t[v]), q[v], p[v]);
    }
  }
  for (std::size_t v = 0; v < V; ++v) {
    store(values.even_even + at + v * kLanes, sum[0][v]);
    store(values.even_odd + at + v * kLanes, sum[1][v]);
    store(values.odd_even + at + v * kLanes, sum[2][v]);
    store(values.odd_odd + at + v * kLanes, sum[3][v]);
  }
}

void legendre_values(const LegendreLine& line, const double* even, const double* odd,
                     const FoldedValues<double>& values) {
  for_points(line.points, [&](auto vectors, std::size_t at) HWY_ATTR {
    point_values<decltype(vectors)::value>(line, even, odd, at, values);
  });
}

// Merges the lines into one block of k of one group of nodes, for register `part` of the block.
HWY_INLINE void merge_block(const LineMerge& merge, const double* sums, const double* weights,
                            std::size_t part, double* carried) {
  // What the nodes carry stays in registers while all lines pass.
  Vector even[kGroupLines];
  Vector odd[kGroupLines];
  for (std::size_t l = 0; l < kGroupLines; ++l) {
    even[l] = load(carried + l * kRecurrenceBlock + part * kLanes);
    odd[l] = load(carried + kGroupBlock + l * kRecurrenceBlock + part * kLanes);
  }
  sums += part * kLanes;
  for (std::size_t line = 0; line < merge.lines; ++line) {
    const Vector even_sum = load(sums);
    const Vector odd_sum = load(sums + kRecurrenceBlock);
    for (std::size_t l = 0; l < kGroupLines; ++l) {
      const Vector weight = all(weights[l]);
      even[l] = hn::MulAdd(weight, even_sum, even[l]);
      odd[l] = hn::MulAdd(weight, odd_sum, odd[l]);
    }
    sums += merge.sums_stride;
    weights += merge.weights_stride;
  }
  for (std::size_t l = 0; l < kGroupLines; ++l) {
    store(carried + l * kRecurrenceBlock + part * kLanes, even[l]);
    store(carried + kGroupBlock + l * kRecurrenceBlock + part * kLanes, odd[l]);
  }
}

void merge_lines(const LineMerge& merge) {
  for (std::size_t b = 0; b < merge.blocks; ++b) {
    for (std::size_t g = 0; g < merge.groups; ++g) {
      for (std::size_t part = 0; part < kParts; ++part) {
        merge_block(merge, merge.sums + 2 * kRecurrenceBlock * b, merge.weights + kGroupLines * g,
                    part, merge.carried + g * merge.carried_stride + 2 * kGroupBlock * b);
      }
    }
  }
}

// --- across the lines ----------------------------------------------------------------------------

struct LineState {
  LineState() {}  // explicit: an implicit one would not be compiled for this instruction set

  Vector y[kGroupLines];
  Vector before[kGroupLines];
  Vector current[kGroupLines];
};

HWY_INLINE void load_state(const LineBlock& block, std::size_t part, LineState& state) {
  for (std::size_t l = 0; l < kGroupLines; ++l) {
    const std::size_t at = l * kRecurrenceBlock + part * kLanes;
    state.y[l] = all(block.y[l]);
    state.before[l] = load(block.before + at);
    state.current[l] = load(block.current + at);
  }
}

HWY_INLINE void store_state(const LineState& state, std::size_t part, const LineBlock& block) {
  for (std::size_t l = 0; l < kGroupLines; ++l) {
    const std::size_t at = l * kRecurrenceBlock + part * kLanes;
    store(block.before + at, state.before[l]);
    store(block.current + at, state.current[l]);
  }
}

// One step of the recurrence. The new value overwrites `before`, so the two exchange roles.
HWY_INLINE void step(Vector slope, Vector y, Vector current, Vector& before) {
  before = hn::MulSub(hn::Mul(slope, y), current, before);
}

// For the second of two j, psi_j is in `before`: names are exchanged instead of registers.
template <bool kOdd>
HWY_INLINE void one_sum(const double* slope, std::size_t j, std::size_t part, LineState& state,
                        const double* carried, double* sums) {
  const std::size_t at = j * kRecurrenceBlock + part * kLanes;
  const Vector factor = load(slope + at);
  Vector sum = load(sums + at);
  for (std::size_t l = 0; l < kGroupLines; ++l) {
    Vector& current = kOdd ? state.before[l] : state.current[l];
    Vector& before = kOdd ? state.current[l] : state.before[l];
    sum = hn::MulAdd(current, load(carried + l * kRecurrenceBlock + part * kLanes), sum);
    step(factor, state.y[l], current, before);
  }
  store(sums + at, sum);
}

HWY_INLINE void swap_state(LineState& state) {
  for (std::size_t l = 0; l < kGroupLines; ++l) {
    const Vector v = state.before[l];
    state.before[l] = state.current[l];
    state.current[l] = v;
  }
}

void line_sums(const double* slope, std::size_t first, std::size_t last, const LineBlock& block,
               double* sums) {
  for (std::size_t part = 0; part < kParts; ++part) {
    LineState state;
    load_state(block, part, state);
    // psi_j is even in y for even j and odd for odd j, so they meet different parts of what the
    // lines carry. Pairs begin with an even j.
    std::size_t j = first;
    if (j % 2 == 1 && j < last) {
      one_sum<false>(slope, j, part, state, block.odd, sums);
      swap_state(state);
      ++j;
    }
    for (; j + 2 <= last; j += 2) {
      one_sum<false>(slope, j, part, state, block.even, sums);
      one_sum<true>(slope, j + 1, part, state, block.odd, sums);
    }
    if (j < last) {
      one_sum<false>(slope, j, part, state, block.even, sums);
      swap_state(state);
    }
    store_state(state, part, block);
  }
}

template <bool kOdd>
HWY_INLINE void one_value(const double* slope, std::size_t j, std::size_t part, LineState& state,
                          Vector* carried, const double* sums) {
  const std::size_t at = j * kRecurrenceBlock + part * kLanes;
  const Vector factor = load(slope + at);
  const Vector sum = load(sums + at);
  for (std::size_t l = 0; l < kGroupLines; ++l) {
    Vector& current = kOdd ? state.before[l] : state.current[l];
    Vector& before = kOdd ? state.current[l] : state.before[l];
    carried[l] = hn::MulAdd(current, sum, carried[l]);
    step(factor, state.y[l], current, before);
  }
}

void line_values(const double* slope, std::size_t first, std::size_t last, const LineBlock& block,
                 const double* sums) {
  for (std::size_t part = 0; part < kParts; ++part) {
    LineState state;
    load_state(block, part, state);
    // Here the lines carry the sums, which stay in registers for all j.
    Vector even[kGroupLines];
    Vector odd[kGroupLines];
    for (std::size_t l = 0; l < kGroupLines; ++l) {
      even[l] = load(block.even + l * kRecurrenceBlock + part * kLanes);
      odd[l] = load(block.odd + l * kRecurrenceBlock + part * kLanes);
    }
    std::size_t j = first;
    if (j % 2 == 1 && j < last) {
      one_value<false>(slope, j, part, state, odd, sums);
      swap_state(state);
      ++j;
    }
    for (; j + 2 <= last; j += 2) {
      one_value<false>(slope, j, part, state, even, sums);
      one_value<true>(slope, j + 1, part, state, odd, sums);
    }
    if (j < last) {
      one_value<false>(slope, j, part, state, even, sums);
      swap_state(state);
    }
    store_state(state, part, block);
    for (std::size_t l = 0; l < kGroupLines; ++l) {
      store(block.even + l * kRecurrenceBlock + part * kLanes, even[l]);
      store(block.odd + l * kRecurrenceBlock + part * kLanes, odd[l]);
    }
  }
}

constexpr RecurrenceKernels kTable = {legendre_sums, legendre_values, merge_lines, line_sums,
                                      line_values};

const RecurrenceKernels& table() { return kTable; }

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace leafglyph
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace leafglyph {

LEAFGLYPH_FASTEST_TABLE(RecurrenceKernels, recurrence_kernels)

}  // namespace leafglyph
#endif
