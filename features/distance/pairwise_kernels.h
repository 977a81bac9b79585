// The inner loops of distances between feature rows, compiled once per instruction set.
#pragma once

#include <cstddef>
#include <cstdint>

namespace leafglyph {

/// Feature rows by component: component c of row i is components[c * stride + i].
struct PairwiseColumns {
  const double* components;
  std::size_t stride;
  std::size_t groups;
  std::size_t group_length;
};

struct PairwiseBins {
  double width;
  double inverse_width;
  double count;
};

struct RowStatistics {
  double sum;
  double smallest;
  double largest;
};

/// A moved window to be found among many unmoved ones. Component k at its position s is -doubled[s
/// * length + k] / 2, and squares[s] is the sum of the components' squares there. The number of
/// positions is a multiple of 4.
struct SoughtWindow {
  const float* doubled;
  const float* squares;
  std::size_t positions;
  std::size_t length;
};

/// Writes the distances from row `row` to rows [first, last) to distances[0 ...] and their bin
/// numbers to bin_numbers[0 ...] (the last bin's number is bins.count). Does not fuse
/// multiply-adds, so that every instruction set gives the same distances.
struct PairwiseKernels {
  RowStatistics (*compare)(const PairwiseColumns& columns, std::size_t row, std::size_t first,
                           std::size_t last, const PairwiseBins& bins, double* distances,
                           std::int32_t* bin_numbers);

  /// min over s of sum_k (moved[k * lanes + s] - fixed[k])^2 for k < length and s < lanes. `lanes`
  /// is a multiple of 16.
  float (*smallest_square)(const float* moved, const float* fixed, std::size_t length,
                           std::size_t lanes);

  /// sums[i] += g(q_i) for i < count, a multiple of 16. q_i is the smallest squared distance
  /// between a position of the moved window and unmoved window i, whose component k is
  /// fixed[k * stride + i]. g(q) = q / (q + limit), or sqrt(q) when limit is 0. Rounding depends on
  /// the instruction set.
  void (*add_nearest)(const SoughtWindow& window, const float* fixed, std::size_t stride,
                      std::size_t count, float limit, float* sums);
};

/// The fastest kernels that this processor can run.
const PairwiseKernels& pairwise_kernels();

}  // namespace leafglyph
