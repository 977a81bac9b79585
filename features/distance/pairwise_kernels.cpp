#include "features/distance/pairwise_kernels.h"

#include "features/kernels/instruction_set.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "features/distance/pairwise_kernels.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace leafglyph {
namespace HWY_NAMESPACE {
namespace {

// Squared Euclidean distances of one group, four components at a time while there are enough, with
// the sum in registers.
void sum_squares(const double* __restrict components, std::size_t stride, std::size_t length,
                 std::size_t row, std::size_t first, std::size_t count,
                 double* __restrict squares) {
  std::size_t c = 0;
  for (; c + 4 <= length; c += 4) {
    const double* x0 = components + c * stride;
    const double* x1 = x0 + stride;
    const double* x2 = x1 + stride;
    const double* x3 = x2 + stride;
    const double y0 = x0[row];
    const double y1 = x1[row];
    const double y2 = x2[row];
    const double y3 = x3[row];
    const bool start = c == 0;
#pragma omp simd
    for (std::size_t j = 0; j < count; ++j) {
      const double d0 = x0[first + j] - y0;
      const double d1 = x1[first + j] - y1;
      const double d2 = x2[first + j] - y2;
      const double d3 = x3[first + j] - y3;
      const double before = start ? 0.0 : squares[j];
      squares[j] = (((before + d0 * d0) + d1 * d1) + d2 * d2) + d3 * d3;
    }
  }
  for (; c < length; ++c) {
    const double* x = components + c * stride;
    const double y = x[row];
    const bool start = c == 0;
#pragma omp simd
    for (std::size_t j = 0; j < count; ++j) {
      const double d = x[first + j] - y;
      squares[j] = (start ? 0.0 : squares[j]) + d * d;
    }
  }
}

constexpr std::size_t kBlock = 256;

// d = 1/G sum_g sqrt(squared distance in group g) for kBlock rows at a time, followed by the bin
// number floor(d / width), corrected by the exact edges.
RowStatistics compare(const PairwiseColumns& columns, std::size_t row, std::size_t first,
                      std::size_t last, const PairwiseBins& bins, double* __restrict distances,
                      std::int32_t* __restrict bin_numbers) {
  double squares[kBlock];
  const double scale = 1.0 / static_cast<double>(columns.groups);
  double sum = 0.0;
  double smallest = __builtin_inf();
  double largest = 0.0;
  for (std::size_t begin = first; begin < last; begin += kBlock) {
    const std::size_t count = last - begin < kBlock ? last - begin : kBlock;
    double* __restrict block = distances + (begin - first);
    std::int32_t* __restrict numbers = bin_numbers + (begin - first);
    for (std::size_t g = 0; g < columns.groups; ++g) {
      sum_squares(columns.components + g * columns.group_length * columns.stride, columns.stride,
                  columns.group_length, row, begin, count, squares);
      if (g + 1 == columns.groups) break;
      const bool start = g == 0;
#pragma omp simd
      for (std::size_t j = 0; j < count; ++j) {
        block[j] = (start ? 0.0 : block[j]) + __builtin_sqrt(squares[j]);
      }
    }
    // The roots of the last group are taken here: they take as long as everything else, which does
    // not have to wait for them.
    const bool alone = columns.groups == 1;
#pragma omp simd reduction(+ : sum) reduction(min : smallest) reduction(max : largest)
    for (std::size_t j = 0; j < count; ++j) {
      const double d = ((alone ? 0.0 : block[j]) + __builtin_sqrt(squares[j])) * scale;
      block[j] = d;
      sum += d;
      smallest = d < smallest ? d : smallest;
      largest = d > largest ? d : largest;
      // The quotient may be off by one bin at an edge. Comparing with the edges themselves decides.
      const double quotient = d * bins.inverse_width;
      double k = __builtin_floor(quotient < bins.count ? quotient : bins.count);
      k = d < k * bins.width ? k - 1.0 : k;
      k = (k < bins.count && d >= (k + 1.0) * bins.width) ? k + 1.0 : k;
      numbers[j] = static_cast<std::int32_t>(k);
    }
  }
  return {sum, smallest, largest};
}

namespace hn = hwy::HWY_NAMESPACE;
const hn::CappedTag<float, 16> kTag;

// Keeps even and odd components apart, so that an addition does not wait for the previous one.
float smallest_square(const float* __restrict moved, const float* __restrict fixed,
                      std::size_t length, std::size_t lanes) {
  auto best = hn::Set(kTag, __builtin_inff());
  for (std::size_t s = 0; s < lanes; s += hn::Lanes(kTag)) {
    const auto square = [&](std::size_t k) HWY_ATTR {
      const auto difference =
          hn::Sub(hn::LoadU(kTag, moved + k * lanes + s), hn::Set(kTag, fixed[k]));
      return hn::Mul(difference, difference);
    };
    auto even = hn::Zero(kTag);
    auto odd = hn::Zero(kTag);
    std::size_t k = 0;
    for (; k + 2 <= length; k += 2) {
      even = hn::Add(even, square(k));
      odd = hn::Add(odd, square(k + 1));
    }
    if (k < length) even = hn::Add(even, square(k));
    best = hn::Min(best, hn::Add(even, odd));
  }
  return hn::GetLane(hn::MinOfLanes(kTag, best));
}

constexpr std::size_t kPositions = 4;  // at a time: one read of an unmoved window serves all four

// The smallest |a - b|^2 = |a|^2 - 2 a.b + |b|^2 over all positions, for kVectors registers of
// unmoved windows.
template <std::size_t kVectors>
void add_nearest_of(const SoughtWindow& window, const float* HWY_RESTRICT fixed, std::size_t stride,
                    float limit, float* HWY_RESTRICT sums) {
  using V = hn::Vec<decltype(kTag)>;
  const std::size_t lanes = hn::Lanes(kTag);
  V best[kVectors];
  V own[kVectors];
  for (std::size_t j = 0; j < kVectors; ++j) {
    best[j] = hn::Set(kTag, __builtin_inff());
    own[j] = hn::Zero(kTag);
  }
  for (std::size_t s = 0; s < window.positions; s += kPositions) {
    V square[kPositions][kVectors];
    for (std::size_t p = 0; p < kPositions; ++p) {
      for (std::size_t j = 0; j < kVectors; ++j) {
        square[p][j] = hn::Set(kTag, window.squares[s + p]);
      }
    }
    const float* doubled = window.doubled + s * window.length;
    for (std::size_t k = 0; k < window.length; ++k) {
      V value[kVectors];
      for (std::size_t j = 0; j < kVectors; ++j) {
        value[j] = hn::LoadU(kTag, fixed + k * stride + j * lanes);
      }
      for (std::size_t p = 0; p < kPositions; ++p) {
        const V factor = hn::Set(kTag, doubled[p * window.length + k]);
        for (std::size_t j = 0; j < kVectors; ++j) {
          square[p][j] = hn::MulAdd(factor, value[j], square[p][j]);
        }
      }
    }
    for (std::size_t p = 0; p < kPositions; ++p) {
      for (std::size_t j = 0; j < kVectors; ++j) best[j] = hn::Min(best[j], square[p][j]);
    }
  }
  for (std::size_t k = 0; k < window.length; ++k) {
    for (std::size_t j = 0; j < kVectors; ++j) {
      const V value = hn::LoadU(kTag, fixed + k * stride + j * lanes);
      own[j] = hn::MulAdd(value, value, own[j]);
    }
  }
  const V level = hn::Set(kTag, limit);
  for (std::size_t j = 0; j < kVectors; ++j) {
    const V square = hn::Max(hn::Add(best[j], own[j]), hn::Zero(kTag));
    const V value = limit > 0 ? hn::Div(square, hn::Add(square, level)) : hn::Sqrt(square);
    float* sum = sums + j * lanes;
    hn::StoreU(hn::Add(hn::LoadU(kTag, sum), value), kTag, sum);
  }
}

void add_nearest(const SoughtWindow& window, const float* fixed, std::size_t stride,
                 std::size_t count, float limit, float* sums) {
  constexpr std::size_t kAtATime = 3;
  const std::size_t lanes = hn::Lanes(kTag);
  std::size_t i = 0;
  for (; i + kAtATime * lanes <= count; i += kAtATime * lanes) {
    add_nearest_of<kAtATime>(window, fixed + i, stride, limit, sums + i);
  }
  for (; i < count; i += lanes) add_nearest_of<1>(window, fixed + i, stride, limit, sums + i);
}

constexpr PairwiseKernels kTable = {compare, smallest_square, add_nearest};

const PairwiseKernels& table() { return kTable; }

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace leafglyph
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace leafglyph {

LEAFGLYPH_FASTEST_TABLE(PairwiseKernels, pairwise_kernels)

}  // namespace leafglyph
#endif
