// The inner loops of the polar transform, compiled once per instruction set and chosen at run time.
#pragma once

#include <cstddef>

#include "features/kernels/spreading_kernel.h"

namespace leafglyph {

/// Points and repetitions are processed eight at a time on every instruction set.
inline constexpr std::size_t kSpreadBlock = 8;
/// Orders per pass of node_sums or node_values.
inline constexpr std::size_t kOrderBlock = 8;

/// asin(sqrt(z)) / sqrt(z) = sum of coefficient[d] (z - 1/8)^d on 0 <= z <= 1/4.
struct ArcsineSeries {
  ArcsineSeries();
  static constexpr int kTerms = 18;
  double coefficient[kTerms];
};

/// Points in polar form. The length of the arrays is a multiple of kSpreadBlock.
struct PolarPoints {
  const double* x;
  const double* y;
  double* radius;    ///< rho
  double* cosine;    ///< cos theta, 1 at the centre
  double* sine;      ///< sin theta, 0 at the centre
  double* position;  ///< angle whose cosine is rho (or 2 rho - 1), in cells of the half circle
};

/// The points of one interval of a HalfCircleGrid and what they carry.
struct SpreadGroup {
  std::size_t count;
  const double* weights;      ///< weight of point p in cell i: [p / 8][i][p % 8]
  double* cosines;            ///< cos m theta of point p: [p][8], m = 8 b .. 8 b + 7; overwritten
  double* sines;              ///< the same for sin
  const double* turn_cosine;  ///< cos 8 theta of point p
  const double* turn_sine;
  /// Factors of point p by m mod 4, [p][16]. The real part of the moments takes P cos + Q sin, the
  /// imaginary part -(U sin + V cos), with four values each of P, Q, U and V.
  const double* factors;
  double* real;       ///< scratch of spread, [count][8]
  double* imaginary;  ///< scratch of spread, [count][8]
  double* sums;       ///< output of gather, [p][4][8]: sums over m of h' cos, h' sin, h'' cos,
                      ///< by m mod 8, for the complex value h = h' + j h'' at the point
};

/// A HalfCircleGrid with a complex value per repetition m: the real part for cell s is at
/// s * row + m, the imaginary part at s * row + row / 2 + m.
struct GridRows {
  double* values;  ///< first cell of the group
  std::size_t row;
  std::size_t blocks;  ///< number of blocks of eight m to process
};

/// A pass over the radial nodes of one repetition for kOrderBlock orders.
struct NodePass {
  std::size_t nodes;       ///< a multiple of kSpreadBlock
  const double* variable;  ///< t of the recurrence in radial.h
  double* current;         ///< R of the previous pass's last order; overwritten
  double* before;          ///< R of the order before that; overwritten
  const double* slope;     ///< kOrderBlock coefficients each
  const double* shift;
  const double* back;
};

/// The kernels of one instruction set.
struct SpreadKernels {
  /// Fills radius, cosine, sine and position of `count` points; `doubled` takes 2 rho - 1.
  void (*polar)(const ArcsineSeries&, std::size_t count, bool doubled, double cells_per_radian,
                const PolarPoints&);
  /// Computes weights[p / 8][i][p % 8] for `count` positions.
  void (*weights)(const SpreadingKernel&, std::size_t count, const double* position,
                  double* weights);
  /// Adds what the points carry to the cells.
  void (*spread)(const SpreadGroup&, const GridRows&);
  /// Reads the cells at the points into sums.
  void (*gather)(const SpreadGroup&, const GridRows&);
  /// real[i] = sum over nodes of R_i a, imaginary[i] = sum over nodes of R_i b, for the orders i of
  /// the pass.
  void (*node_sums)(const NodePass&, const double* a, const double* b, double* real,
                    double* imaginary);
  /// Adds to a[g] the sum over the orders of the pass of R_i real[i], and to b[g] that of R_i
  /// imaginary[i].
  void (*node_values)(const NodePass&, const double* real, const double* imaginary, double* a,
                      double* b);
};

/// The fastest kernels that this processor can run.
const SpreadKernels& spread_kernels();

}  // namespace leafglyph
