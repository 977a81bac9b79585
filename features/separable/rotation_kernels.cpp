#include "features/separable/rotation_kernels.h"

#include <type_traits>

#include "features/kernels/instruction_set.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "features/separable/rotation_kernels.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "features/separable/lane_sums-inl.h"

HWY_BEFORE_NAMESPACE();
namespace leafglyph {
namespace HWY_NAMESPACE {
namespace {

// Registers of repetitions processed together: four on instruction sets with 32 registers.
constexpr std::size_t kRepetitionVectors = kLanes == 8 ? 4 : 2;
static_assert(kRepetitionVectors <= 4 && kRepetitionGroup % (kRepetitionVectors * kLanes) == 0);

// V registers of consecutive repetitions.
template <std::size_t V>
struct Repetitions {
  Repetitions() {}  // explicit: an implicit one would not be compiled for this instruction set

  Vector square[V];  // m^2
  Vector match[V];   // i of the turning point k = sqrt(n^2 - m^2)
  std::size_t lowest;
  std::size_t highest;
  std::size_t end;
};

template <std::size_t V>
HWY_INLINE Repetitions<V> repetitions_at(const RotationColumn& column, std::size_t first) {
  Repetitions<V> repetitions;
  const Vector degree = all(column.degree);
  const Vector last = all(static_cast<double>(column.terms) - 1.0);
  for (std::size_t v = 0; v < V; ++v) {
    const Vector index = hn::Iota(kTag, static_cast<double>(first + v * kLanes));
    // Lanes beyond the last m repeat it; their factors are 0.
    const Vector m = hn::Min(hn::MulAdd(all(2.0), index, all(column.first_repetition)), degree);
    repetitions.square[v] = hn::Mul(m, m);
    const Vector k = hn::Sqrt(hn::NegMulAdd(m, m, hn::Mul(degree, degree)));
    const Vector i = hn::Floor(hn::Mul(hn::Sub(k, all(column.parity)), all(0.5)));
    repetitions.match[v] = hn::Min(hn::Max(i, hn::Zero(kTag)), last);
  }
  // The turning point falls with m: the first lane has the highest, the last the lowest.
  HWY_ALIGN double lanes[kLanes];
  store(lanes, repetitions.match[0]);
  repetitions.highest = static_cast<std::size_t>(lanes[0]);
  store(lanes, repetitions.match[V - 1]);
  repetitions.lowest = static_cast<std::size_t>(lanes[kLanes - 1]);
  repetitions.end = static_cast<std::size_t>(column.ends[first / kRepetitionGroup]);
  return repetitions;
}

// One step of the recurrence at i, in either direction: w becomes the next vector, `last` the
// previous w.
template <std::size_t V>
HWY_INLINE void step(const RotationColumn& column, std::size_t i, const Repetitions<V>& repetitions,
                     Vector (&w)[V], Vector (&last)[V]) {
  const Vector slope = all(column.slope[i]);
  const Vector shift = all(column.shift[i]);
  for (std::size_t v = 0; v < V; ++v) {
    const Vector next = hn::MulSub(hn::MulAdd(slope, repetitions.square[v], shift), w[v], last[v]);
    last[v] = w[v];
    w[v] = next;
  }
}

// Run the recurrence of V registers of vectors: forward from i = 0 to the turning point, and
// backward from the end down to it. take(i, w) is called for every i that counts. w is 0 in the
// lanes that have already passed their turning point.
template <std::size_t V, class Take>
HWY_INLINE void walk_forward(const RotationColumn& column, const Repetitions<V>& repetitions,
                             const Take& take) {
  Vector w[V];
  Vector before[V];
  for (std::size_t v = 0; v < V; ++v) {
    w[v] = all(1.0);
    before[v] = hn::Zero(kTag);
  }
  std::size_t i = 0;
  for (; i <= repetitions.lowest; ++i) {
    take(i, w);
    step(column, i, repetitions, w, before);
  }
  // Only between the turning points of its lanes must a register be masked.
  for (; i <= repetitions.highest; ++i) {
    Vector kept[V];
    for (std::size_t v = 0; v < V; ++v) {
      kept[v] = hn::IfThenElseZero(hn::Le(all(static_cast<double>(i)), repetitions.match[v]), w[v]);
    }
    take(i, kept);
    step(column, i, repetitions, w, before);
  }
}

template <std::size_t V, class Take>
HWY_INLINE void walk_backward(const RotationColumn& column, const Repetitions<V>& repetitions,
                              const Take& take) {
  Vector w[V];
  Vector behind[V];
  for (std::size_t v = 0; v < V; ++v) {
    w[v] = all(kWalkStart);
    behind[v] = hn::Zero(kTag);
  }
  std::size_t i = repetitions.end;
  for (; i > repetitions.highest; --i) {
    take(i, w);
    step(column, i, repetitions, w, behind);
  }
  for (; i > repetitions.lowest; --i) {
    Vector kept[V];
    for (std::size_t v = 0; v < V; ++v) {
      kept[v] = hn::IfThenElseZero(hn::Gt(all(static_cast<double>(i)), repetitions.match[v]), w[v]);
    }
    take(i, kept);
    step(column, i, repetitions, w, behind);
  }
}

// out[m] for V registers of m: the sums over the forward and over the backward side, joined with
// the factors that normalise the vectors.
template <std::size_t V>
void rotate_some(const RotationColumn& column, std::size_t first, const double* values,
                 double* out) {
  const Repetitions<V> repetitions = repetitions_at<V>(column, first);
  Vector forward[V];
  Vector backward[V];
  for (std::size_t v = 0; v < V; ++v) forward[v] = backward[v] = hn::Zero(kTag);
  walk_forward<V>(column, repetitions, [&](std::size_t i, const Vector* w) HWY_ATTR {
    const Vector value = all(values[i]);
    for (std::size_t v = 0; v < V; ++v) forward[v] = hn::MulAdd(w[v], value, forward[v]);
  });
  walk_backward<V>(column, repetitions, [&](std::size_t i, const Vector* w) HWY_ATTR {
    const Vector value = all(values[i]);
    for (std::size_t v = 0; v < V; ++v) backward[v] = hn::MulAdd(w[v], value, backward[v]);
  });
  for (std::size_t v = 0; v < V; ++v) {
    const std::size_t at = first + v * kLanes;
    store(out + at, hn::MulAdd(forward[v], load(column.forward + at),
                               hn::Mul(backward[v], load(column.backward + at))));
  }
}

// Calls call(V, first) for all repetitions, with V <= kRepetitionVectors a constant.
template <class Call>
HWY_INLINE void for_repetitions(const RotationColumn& column, const Call& call) {
  std::size_t first = 0;
  for (; first + kRepetitionVectors * kLanes <= column.repetitions;
       first += kRepetitionVectors * kLanes) {
    call(std::integral_constant<std::size_t, kRepetitionVectors>(), first);
  }
  // The rest goes in one call, too, because a single register waits for its own results.
  const std::size_t left = (column.repetitions - first + kLanes - 1) / kLanes;
  if (left == 1) call(std::integral_constant<std::size_t, 1>(), first);
  if (left == 2) call(std::integral_constant<std::size_t, 2>(), first);
  if (left == 3) call(std::integral_constant<std::size_t, 3>(), first);
  if (left == 4) call(std::integral_constant<std::size_t, 4>(), first);
}

void rotate(const RotationColumn& column, const double* values, double* out) {
  for_repetitions(column, [&](auto vectors, std::size_t first) HWY_ATTR {
    rotate_some<decltype(vectors)::value>(column, first, values, out);
  });
}

// The transpose adds over m, that is, over lanes. These are kept apart, in sums[i][lane], until all
// m are done.
template <std::size_t V>
void rotate_back_some(const RotationColumn& column, std::size_t first, const double* values,
                      double* sums) {
  const Repetitions<V> repetitions = repetitions_at<V>(column, first);
  Vector forward[V];
  Vector backward[V];
  for (std::size_t v = 0; v < V; ++v) {
    const Vector value = load(values + first + v * kLanes);
    forward[v] = hn::Mul(value, load(column.forward + first + v * kLanes));
    backward[v] = hn::Mul(value, load(column.backward + first + v * kLanes));
  }
  walk_forward<V>(column, repetitions, [&](std::size_t i, const Vector* w) HWY_ATTR {
    Vector sum = load(sums + i * kLanes);
    for (std::size_t v = 0; v < V; ++v) sum = hn::MulAdd(w[v], forward[v], sum);
    store(sums + i * kLanes, sum);
  });
  walk_backward<V>(column, repetitions, [&](std::size_t i, const Vector* w) HWY_ATTR {
    Vector sum = load(sums + i * kLanes);
    for (std::size_t v = 0; v < V; ++v) sum = hn::MulAdd(w[v], backward[v], sum);
    store(sums + i * kLanes, sum);
  });
}

void rotate_back(const RotationColumn& column, const double* values, double* out, double* scratch) {
  const std::size_t padded = (column.terms + kLanes - 1) / kLanes * kLanes;
  for (std::size_t i = 0; i < padded * kLanes; ++i) scratch[i] = 0.0;
  for_repetitions(column, [&](auto vectors, std::size_t first) HWY_ATTR {
    rotate_back_some<decltype(vectors)::value>(column, first, values, scratch);
  });
  for (std::size_t i = 0; i < padded; i += kLanes) store(out + i, lane_sums(scratch + i * kLanes));
}

// Sums of squares, and the values at the turning point and one step beyond it.
template <std::size_t V>
struct SideNorms {
  Vector square[V];
  Vector at[2][V];

  SideNorms() {
    for (std::size_t v = 0; v < V; ++v) square[v] = at[0][v] = at[1][v] = hn::Zero(kTag);
  }
  HWY_INLINE void add(std::size_t v, Vector w, Vector weight) {
    square[v] = hn::MulAdd(hn::Mul(w, w), weight, square[v]);
  }
  HWY_INLINE void keep(std::size_t v, Vector w, Vector index, Vector match) {
    at[0][v] = hn::IfThenElse(hn::Eq(index, match), w, at[0][v]);
    at[1][v] = hn::IfThenElse(hn::Eq(index, hn::Add(match, all(1.0))), w, at[1][v]);
  }
};

// Sums of squares of the forward and the backward solution, and the values of both at the turning
// point and one step beyond it, where DegreeRotation::normalise joins them. To reach both points,
// each walk goes one step past the turning point.
template <std::size_t V>
void norms_of_some(const RotationColumn& column, std::size_t first, const double* squares,
                   const RotationNorms& norms, std::size_t stride) {
  const Repetitions<V> repetitions = repetitions_at<V>(column, first);
  SideNorms<V> sides[2];
  // Walks one step past the turning point in either direction.
  Repetitions<V> wider = repetitions;
  for (std::size_t v = 0; v < V; ++v) {
    wider.match[v] = hn::Min(hn::Add(repetitions.match[v], all(1.0)),
                             all(static_cast<double>(column.terms) - 1.0));
  }
  wider.highest =
      repetitions.highest + 1 < column.terms ? repetitions.highest + 1 : repetitions.highest;
  walk_forward<V>(column, wider, [&](std::size_t i, const Vector* w) HWY_ATTR {
    const Vector weight = all(squares[i]);
    // Before any turning point there is nothing to mask and nothing to keep.
    if (i < repetitions.lowest) {
      for (std::size_t v = 0; v < V; ++v) sides[0].add(v, w[v], weight);
      return;
    }
    const Vector index = all(static_cast<double>(i));
    for (std::size_t v = 0; v < V; ++v) {
      sides[0].add(v, hn::IfThenElseZero(hn::Le(index, repetitions.match[v]), w[v]), weight);
      sides[0].keep(v, w[v], index, repetitions.match[v]);
    }
  });
  for (std::size_t v = 0; v < V; ++v) wider.match[v] = hn::Sub(repetitions.match[v], all(1.0));
  wider.lowest = repetitions.lowest > 0 ? repetitions.lowest - 1 : 0;
  walk_backward<V>(column, wider, [&](std::size_t i, const Vector* w) HWY_ATTR {
    const Vector weight = all(squares[i]);
    if (i > repetitions.highest + 1) {
      for (std::size_t v = 0; v < V; ++v) sides[1].add(v, w[v], weight);
      return;
    }
    const Vector index = all(static_cast<double>(i));
    for (std::size_t v = 0; v < V; ++v) {
      sides[1].add(v, hn::IfThenElseZero(hn::Gt(index, repetitions.match[v]), w[v]), weight);
      sides[1].keep(v, w[v], index, repetitions.match[v]);
    }
  });
  for (std::size_t v = 0; v < V; ++v) {
    const std::size_t at = first + v * kLanes;
    store(norms.forward_square + at, sides[0].square[v]);
    store(norms.backward_square + at, sides[1].square[v]);
    for (std::size_t side = 0; side < 2; ++side) {
      store(norms.forward_values + side * stride + at, sides[0].at[side][v]);
      store(norms.backward_values + side * stride + at, sides[1].at[side][v]);
    }
  }
}

void rotation_norms(const RotationColumn& column, const double* squares,
                    const RotationNorms& norms) {
  const std::size_t stride =
      (column.repetitions + kRecurrenceBlock - 1) / kRecurrenceBlock * kRecurrenceBlock;
  for_repetitions(column, [&](auto vectors, std::size_t first) HWY_ATTR {
    norms_of_some<decltype(vectors)::value>(column, first, squares, norms, stride);
  });
}

constexpr RotationKernels kTable = {rotate, rotate_back, rotation_norms};

const RotationKernels& table() { return kTable; }

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace leafglyph
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace leafglyph {

LEAFGLYPH_FASTEST_TABLE(RotationKernels, rotation_kernels)

}  // namespace leafglyph
#endif
