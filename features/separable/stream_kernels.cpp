#include "features/separable/stream_kernels.h"

#include <cmath>

#include "features/kernels/instruction_set.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "features/separable/stream_kernels.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace leafglyph {
namespace HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;

using Lanes = hn::CappedTag<double, kStreamBlock>;
using Vector = hn::Vec<Lanes>;
constexpr Lanes kTag;
constexpr std::size_t kLanes = hn::MaxLanes(kTag);
constexpr std::size_t kParts = kStreamBlock / kLanes;
static_assert(kStreamBlock % kLanes == 0);
// Registers of points, and of repetitions, that are worked on together: four where there are 32
// registers.
constexpr std::size_t kPointVectors = kLanes == 8 ? 4 : 2;
constexpr std::size_t kTurnVectors = kLanes == 8 ? 4 : 2;

HWY_INLINE Vector load(const double* p) { return hn::LoadU(kTag, p); }
HWY_INLINE void store(double* p, Vector v) { hn::StoreU(v, kTag, p); }
HWY_INLINE Vector all(double value) { return hn::Set(kTag, value); }

// Sums over the lanes of kLanes registers that stand one after the other, one a lane.
HWY_INLINE Vector lane_sums(const double* rows) {
#if HWY_TARGET == HWY_SCALAR
  return load(rows);
#else
  Vector v[kLanes];
  for (std::size_t i = 0; i < kLanes; ++i) v[i] = load(rows + i * kLanes);
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

// --- along a line --------------------------------------------------------------------------------

// Two running sums, of one parity in x: even and odd in y.
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

// k in [first, first + count) at V registers of points from `at`; sums[y parity][k][lane].
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

void start_recurrence(const LegendreLine& line) {
  for (std::size_t p = 0; p < line.points; ++p) {
    line.before[p] = 0.0;
    line.current[p] = 1.0;
  }
}

void legendre_sums(const LegendreLine& line, const FoldedValues<const double>& values, double* even,
                   double* odd) {
  HWY_ALIGN double sums[2 * kLegendreChunk * kLanes];
  start_recurrence(line);
  for (std::size_t first = 0; first < line.terms; first += kLegendreChunk) {
    const std::size_t count =
        line.terms - first < kLegendreChunk ? line.terms - first : kLegendreChunk;
    for (double& sum : sums) sum = 0.0;
    std::size_t at = 0;
    for (; at + kPointVectors * kLanes <= line.points; at += kPointVectors * kLanes) {
      sum_points<kPointVectors>(line, values, at, first, count, sums);
    }
    for (; at < line.points; at += kLanes) sum_points<1>(line, values, at, first, count, sums);
    for (std::size_t k = 0; k < count; k += kLanes) {
      store(even + first + k, lane_sums(sums + k * kLanes));
      store(odd + first + k, lane_sums(sums + (kLegendreChunk + k) * kLanes));
    }
  }
}

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
  std::size_t at = 0;
  for (; at + kPointVectors * kLanes <= line.points; at += kPointVectors * kLanes) {
    point_values<kPointVectors>(line, even, odd, at, values);
  }
  for (; at < line.points; at += kLanes) point_values<1>(line, even, odd, at, values);
}

// One block of k of one group of nodes, `part` of its registers.
HWY_INLINE void merge_block(const LineMerge& merge, const double* sums, const double* weights,
                            std::size_t part, double* carried) {
  Vector even[kGroupLines];
  Vector odd[kGroupLines];
  for (std::size_t l = 0; l < kGroupLines; ++l) {
    even[l] = load(carried + l * kStreamBlock + part * kLanes);
    odd[l] = load(carried + kGroupBlock + l * kStreamBlock + part * kLanes);
  }
  sums += part * kLanes;
  for (std::size_t line = 0; line < merge.lines; ++line) {
    const Vector even_sum = load(sums);
    const Vector odd_sum = load(sums + kStreamBlock);
    for (std::size_t l = 0; l < kGroupLines; ++l) {
      const Vector weight = all(weights[l]);
      even[l] = hn::MulAdd(weight, even_sum, even[l]);
      odd[l] = hn::MulAdd(weight, odd_sum, odd[l]);
    }
    sums += merge.sums_stride;
    weights += merge.weights_stride;
  }
  for (std::size_t l = 0; l < kGroupLines; ++l) {
    store(carried + l * kStreamBlock + part * kLanes, even[l]);
    store(carried + kGroupBlock + l * kStreamBlock + part * kLanes, odd[l]);
  }
}

void merge_lines(const LineMerge& merge) {
  for (std::size_t b = 0; b < merge.blocks; ++b) {
    for (std::size_t g = 0; g < merge.groups; ++g) {
      for (std::size_t part = 0; part < kParts; ++part) {
        merge_block(merge, merge.sums + 2 * kStreamBlock * b, merge.weights + kGroupLines * g, part,
                    merge.carried + g * merge.carried_stride + 2 * kGroupBlock * b);
      }
    }
  }
}

// --- across the lines ----------------------------------------------------------------------------

struct LineState {
  Vector y[kGroupLines];
  Vector before[kGroupLines];
  Vector current[kGroupLines];
};

HWY_INLINE void load_state(const LineBlock& block, std::size_t part, LineState& state) {
  for (std::size_t l = 0; l < kGroupLines; ++l) {
    const std::size_t at = l * kStreamBlock + part * kLanes;
    state.y[l] = all(block.y[l]);
    state.before[l] = load(block.before + at);
    state.current[l] = load(block.current + at);
  }
}

HWY_INLINE void store_state(const LineState& state, std::size_t part, const LineBlock& block) {
  for (std::size_t l = 0; l < kGroupLines; ++l) {
    const std::size_t at = l * kStreamBlock + part * kLanes;
    store(block.before + at, state.before[l]);
    store(block.current + at, state.current[l]);
  }
}

// One step of line l; `current` and `before` change places.
HWY_INLINE void step(Vector slope, Vector y, Vector current, Vector& before) {
  before = hn::MulSub(hn::Mul(slope, y), current, before);
}

template <bool kOdd>
HWY_INLINE void one_sum(const double* slope, std::size_t j, std::size_t part, LineState& state,
                        const double* carried, double* sums) {
  const std::size_t at = j * kStreamBlock + part * kLanes;
  const Vector factor = load(slope + at);
  Vector sum = load(sums + at);
  for (std::size_t l = 0; l < kGroupLines; ++l) {
    Vector& current = kOdd ? state.before[l] : state.current[l];
    Vector& before = kOdd ? state.current[l] : state.before[l];
    sum = hn::MulAdd(current, load(carried + l * kStreamBlock + part * kLanes), sum);
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
  const std::size_t at = j * kStreamBlock + part * kLanes;
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
    Vector even[kGroupLines];
    Vector odd[kGroupLines];
    for (std::size_t l = 0; l < kGroupLines; ++l) {
      even[l] = load(block.even + l * kStreamBlock + part * kLanes);
      odd[l] = load(block.odd + l * kStreamBlock + part * kLanes);
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
      store(block.even + l * kStreamBlock + part * kLanes, even[l]);
      store(block.odd + l * kStreamBlock + part * kLanes, odd[l]);
    }
  }
}

// --- in a degree ---------------------------------------------------------------------------------

// V registers of consecutive repetitions.
template <std::size_t V>
struct Turns {
  Vector square[V];  // m^2
  Vector match[V];   // i of the turning point k = sqrt(n^2 - m^2)
  std::size_t lowest;
  std::size_t highest;
  std::size_t end;
};

template <std::size_t V>
HWY_INLINE Turns<V> turns_of(const RotationColumn& column, std::size_t first) {
  Turns<V> turns;
  const Vector degree = all(column.degree);
  const Vector last = all(static_cast<double>(column.terms) - 1.0);
  for (std::size_t v = 0; v < V; ++v) {
    const Vector index = hn::Iota(kTag, static_cast<double>(first + v * kLanes));
    const Vector m = hn::Min(hn::MulAdd(all(2.0), index, all(column.first_repetition)), degree);
    turns.square[v] = hn::Mul(m, m);
    const Vector k = hn::Sqrt(hn::NegMulAdd(m, m, hn::Mul(degree, degree)));
    const Vector i = hn::Floor(hn::Mul(hn::Sub(k, all(column.parity)), all(0.5)));
    turns.match[v] = hn::Min(hn::Max(i, hn::Zero(kTag)), last);
  }
  HWY_ALIGN double lanes[kLanes];
  store(lanes, turns.match[0]);
  turns.highest = static_cast<std::size_t>(lanes[0]);
  store(lanes, turns.match[V - 1]);
  turns.lowest = static_cast<std::size_t>(lanes[kLanes - 1]);
  turns.end = static_cast<std::size_t>(column.ends[first / kStreamBlock]);
  return turns;
}

// Walks the vectors: forward from i = 0 to the turning point, then backward from the end down to
// it. take(i, w, v) is called for every i that counts, w being 0 in the lanes where i lies beyond
// their turning point, on the side that is walked.
template <std::size_t V, class Take>
HWY_INLINE void walk_forward(const RotationColumn& column, const Turns<V>& turns,
                             const Take& take) {
  Vector w[V];
  Vector before[V];
  for (std::size_t v = 0; v < V; ++v) {
    w[v] = all(1.0);
    before[v] = hn::Zero(kTag);
  }
  const auto advance = [&](std::size_t i) HWY_ATTR {
    const Vector slope = all(column.slope[i]);
    const Vector shift = all(column.shift[i]);
    for (std::size_t v = 0; v < V; ++v) {
      const Vector next = hn::MulSub(hn::MulAdd(slope, turns.square[v], shift), w[v], before[v]);
      before[v] = w[v];
      w[v] = next;
    }
  };
  std::size_t i = 0;
  for (; i <= turns.lowest; ++i) {
    take(i, w);
    advance(i);
  }
  for (; i <= turns.highest; ++i) {
    Vector kept[V];
    for (std::size_t v = 0; v < V; ++v) {
      kept[v] = hn::IfThenElseZero(hn::Le(all(static_cast<double>(i)), turns.match[v]), w[v]);
    }
    take(i, kept);
    advance(i);
  }
}

// Small enough that vectors whose end lies before that of the first one of their group, and which
// grow by up to e^250 from there, stay finite.
constexpr double kSmallest = 1e-100;

template <std::size_t V, class Take>
HWY_INLINE void walk_backward(const RotationColumn& column, const Turns<V>& turns,
                              const Take& take) {
  Vector w[V];
  Vector behind[V];
  for (std::size_t v = 0; v < V; ++v) {
    w[v] = all(kSmallest);
    behind[v] = hn::Zero(kTag);
  }
  const auto advance = [&](std::size_t i) HWY_ATTR {
    const Vector slope = all(column.slope[i]);
    const Vector shift = all(column.shift[i]);
    for (std::size_t v = 0; v < V; ++v) {
      const Vector next = hn::MulSub(hn::MulAdd(slope, turns.square[v], shift), w[v], behind[v]);
      behind[v] = w[v];
      w[v] = next;
    }
  };
  std::size_t i = turns.end;
  for (; i > turns.highest; --i) {
    take(i, w);
    advance(i);
  }
  for (; i > turns.lowest; --i) {
    Vector kept[V];
    for (std::size_t v = 0; v < V; ++v) {
      kept[v] = hn::IfThenElseZero(hn::Gt(all(static_cast<double>(i)), turns.match[v]), w[v]);
    }
    take(i, kept);
    advance(i);
  }
}

template <std::size_t V>
void rotate_some(const RotationColumn& column, std::size_t first, const double* values,
                 double* out) {
  const Turns<V> turns = turns_of<V>(column, first);
  Vector forward[V];
  Vector backward[V];
  for (std::size_t v = 0; v < V; ++v) forward[v] = backward[v] = hn::Zero(kTag);
  walk_forward<V>(column, turns, [&](std::size_t i, const Vector* w) HWY_ATTR {
    const Vector value = all(values[i]);
    for (std::size_t v = 0; v < V; ++v) forward[v] = hn::MulAdd(w[v], value, forward[v]);
  });
  walk_backward<V>(column, turns, [&](std::size_t i, const Vector* w) HWY_ATTR {
    const Vector value = all(values[i]);
    for (std::size_t v = 0; v < V; ++v) backward[v] = hn::MulAdd(w[v], value, backward[v]);
  });
  for (std::size_t v = 0; v < V; ++v) {
    const std::size_t at = first + v * kLanes;
    store(out + at, hn::MulAdd(forward[v], load(column.forward + at),
                               hn::Mul(backward[v], load(column.backward + at))));
  }
}

// call(V, first) for all repetitions, V as a constant.
template <class Call>
HWY_INLINE void for_turns(const RotationColumn& column, const Call& call) {
  std::size_t first = 0;
  for (; first + kTurnVectors * kLanes <= column.repetitions; first += kTurnVectors * kLanes) {
    call(std::integral_constant<std::size_t, kTurnVectors>(), first);
  }
  for (; first < column.repetitions; first += kLanes) {
    call(std::integral_constant<std::size_t, 1>(), first);
  }
}

void rotate(const RotationColumn& column, const double* values, double* out) {
  for_turns(column, [&](auto vectors, std::size_t first) HWY_ATTR {
    rotate_some<decltype(vectors)::value>(column, first, values, out);
  });
}

template <std::size_t V>
void rotate_back_some(const RotationColumn& column, std::size_t first, const double* values,
                      double* sums) {
  const Turns<V> turns = turns_of<V>(column, first);
  Vector forward[V];
  Vector backward[V];
  for (std::size_t v = 0; v < V; ++v) {
    const Vector value = load(values + first + v * kLanes);
    forward[v] = hn::Mul(value, load(column.forward + first + v * kLanes));
    backward[v] = hn::Mul(value, load(column.backward + first + v * kLanes));
  }
  walk_forward<V>(column, turns, [&](std::size_t i, const Vector* w) HWY_ATTR {
    Vector sum = load(sums + i * kLanes);
    for (std::size_t v = 0; v < V; ++v) sum = hn::MulAdd(w[v], forward[v], sum);
    store(sums + i * kLanes, sum);
  });
  walk_backward<V>(column, turns, [&](std::size_t i, const Vector* w) HWY_ATTR {
    Vector sum = load(sums + i * kLanes);
    for (std::size_t v = 0; v < V; ++v) sum = hn::MulAdd(w[v], backward[v], sum);
    store(sums + i * kLanes, sum);
  });
}

void rotate_back(const RotationColumn& column, const double* values, double* out, double* scratch) {
  const std::size_t padded = (column.terms + kLanes - 1) / kLanes * kLanes;
  for (std::size_t i = 0; i < padded * kLanes; ++i) scratch[i] = 0.0;
  for_turns(column, [&](auto vectors, std::size_t first) HWY_ATTR {
    rotate_back_some<decltype(vectors)::value>(column, first, values, scratch);
  });
  for (std::size_t i = 0; i < padded; i += kLanes) store(out + i, lane_sums(scratch + i * kLanes));
}

// Squares and the values at the turning point and behind it, one register of repetitions.
void norms_of_some(const RotationColumn& column, std::size_t first, std::size_t end,
                   const double* squares, const RotationNorms& norms, std::size_t stride) {
  Turns<1> turns = turns_of<1>(column, first);
  turns.end = end;
  const Vector match = turns.match[0];
  Vector square[2] = {hn::Zero(kTag), hn::Zero(kTag)};
  Vector values[2][2];
  for (auto& side : values) side[0] = side[1] = hn::Zero(kTag);
  const auto keep = [&](std::size_t i, const Vector* w, Vector* at) HWY_ATTR {
    const Vector index = all(static_cast<double>(i));
    at[0] = hn::IfThenElse(hn::Eq(index, match), w[0], at[0]);
    at[1] = hn::IfThenElse(hn::Eq(index, hn::Add(match, all(1.0))), w[0], at[1]);
  };
  walk_forward<1>(column, turns, [&](std::size_t i, const Vector* w) HWY_ATTR {
    square[0] = hn::MulAdd(hn::Mul(w[0], w[0]), all(squares[i]), square[0]);
  });
  walk_backward<1>(column, turns, [&](std::size_t i, const Vector* w) HWY_ATTR {
    square[1] = hn::MulAdd(hn::Mul(w[0], w[0]), all(squares[i]), square[1]);
  });
  // Once more, one step beyond the turning point on either side.
  Turns<1> wider = turns;
  wider.match[0] = hn::Min(hn::Add(match, all(1.0)), all(static_cast<double>(column.terms) - 1.0));
  wider.highest = turns.highest + 1 < column.terms ? turns.highest + 1 : turns.highest;
  walk_forward<1>(column, wider,
                  [&](std::size_t i, const Vector* w) HWY_ATTR { keep(i, w, values[0]); });
  wider = turns;
  wider.match[0] = hn::Sub(match, all(1.0));
  wider.lowest = 0;
  wider.highest = turns.highest;
  walk_backward<1>(column, wider,
                   [&](std::size_t i, const Vector* w) HWY_ATTR { keep(i, w, values[1]); });
  store(norms.forward_square + first, square[0]);
  store(norms.backward_square + first, square[1]);
  for (std::size_t side = 0; side < 2; ++side) {
    store(norms.forward_values + side * stride + first, values[0][side]);
    store(norms.backward_values + side * stride + first, values[1][side]);
  }
}

void rotation_norms(const RotationColumn& column, const double* squares,
                    const RotationNorms& norms) {
  const std::size_t stride = (column.repetitions + kStreamBlock - 1) / kStreamBlock * kStreamBlock;
  for_turns(column, [&](auto vectors, std::size_t first) HWY_ATTR {
    // The scale of the backward values is that of their common end.
    const auto end = static_cast<std::size_t>(column.ends[first / kStreamBlock]);
    for (std::size_t v = 0; v < decltype(vectors)::value; ++v) {
      norms_of_some(column, first + v * kLanes, end, squares, norms, stride);
    }
  });
}

constexpr StreamKernels kTable = {legendre_sums, legendre_values, merge_lines, line_sums,
                                  line_values,   rotate,          rotate_back, rotation_norms};

const StreamKernels& table() { return kTable; }

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace leafglyph
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace leafglyph {
namespace {
HWY_EXPORT(table);
}

const StreamKernels& stream_kernels() { return HWY_DYNAMIC_DISPATCH(table)(); }

}  // namespace leafglyph
#endif
