// The inner loops of the separable transform that computes polynomials on the fly, compiled once
// per instruction set and chosen at run time.
//
// Polynomials are scaled so that each recurrence is f_{i+1} = (slope_i x + shift_i) f_i - f_{i-1}.
// A block is kRecurrenceBlock consecutive k, whatever the register size.
#pragma once

#include <cstddef>

namespace leafglyph {

inline constexpr std::size_t kRecurrenceBlock = 8;
/// Lines that are processed together.
inline constexpr std::size_t kGroupLines = 4;
/// Values of one group of lines for one block of k: [line][k].
inline constexpr std::size_t kGroupBlock = kGroupLines * kRecurrenceBlock;
/// Legendre sums pass over the points once per this many k.
inline constexpr std::size_t kLegendreChunk = 64;

/// Places on a pair of lines y and -y, mirrored at x = 0.
struct LegendreLine {
  std::size_t points;   ///< a multiple of kRecurrenceBlock, padded with points that carry 0
  const double* t;      ///< x / s
  const double* slope;  ///< p_{k+1} = slope_k t p_k - p_{k-1}
  std::size_t terms;    ///< k < terms, a multiple of kRecurrenceBlock; slope has as many
  double* before;       ///< scratch of `points`
  double* current;      ///< scratch of `points`
};

/// Four values per point: even and odd in y for the part that is even in x, then for the odd part.
template <class T>
struct FoldedValues {
  T* even_even;  ///< even in x, even in y
  T* even_odd;   ///< even in x, odd in y
  T* odd_even;
  T* odd_odd;
};

/// A group of lines and one block of k.
struct LineBlock {
  const double* y;  ///< [line]
  double* before;   ///< psi_{j-1} at [line][k]
  double* current;  ///< psi_j
  double* even;     ///< what the lines carry, the part even in y: [line][k]
  double* odd;
};

/// What some lines carry, to be distributed to nodes with weights.
struct LineMerge {
  std::size_t lines;
  std::size_t groups;  ///< of kGroupLines nodes
  std::size_t blocks;
  const double* sums;  ///< [line][block][parity of y][k], lines sums_stride apart
  std::size_t sums_stride;
  const double* weights;  ///< [line][node], lines weights_stride apart
  std::size_t weights_stride;
  double* carried;             ///< [group][block][parity of y][node][k], added to
  std::size_t carried_stride;  ///< distance between two groups
};

/// The kernels of one instruction set.
struct RecurrenceKernels {
  /// even[k] and odd[k] = sum over the points of p_k(t) times the values whose parity in x is that
  /// of k: the part even in y and the part odd in y.
  void (*legendre_sums)(const LegendreLine&, const FoldedValues<const double>& values, double* even,
                        double* odd);
  /// The transpose: values = sum over k of p_k(t) even[k], and the same with odd[k].
  void (*legendre_values)(const LegendreLine&, const double* even, const double* odd,
                          const FoldedValues<double>& values);
  /// Adds the weighted sums of the lines to what the nodes carry.
  void (*merge_lines)(const LineMerge&);
  /// For first <= j < last, adds to sums[j][k] the sum over lines of psi_j(y) times what they carry
  /// of the parity of j. Leaves psi_{last-1} in `before` and psi_last in `current`, with psi_{j+1}
  /// = slope[j][k] y psi_j - psi_{j-1}.
  void (*line_sums)(const double* slope, std::size_t first, std::size_t last, const LineBlock&,
                    double* sums);
  /// The transpose: adds the sum over j of psi_j(y) sums[j][k] to what the lines carry.
  void (*line_values)(const double* slope, std::size_t first, std::size_t last, const LineBlock&,
                      const double* sums);
};

/// The fastest kernels that this processor can run.
const RecurrenceKernels& recurrence_kernels();

}  // namespace leafglyph
