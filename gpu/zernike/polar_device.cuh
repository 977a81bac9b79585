// Device code shared by the kernels of the polar transform.
#pragma once

#include "features/kernels/spreading_kernel.h"
#include "gpu/zernike/polar_tables.h"

namespace leafglyph::gpu {

/// Points held in shared memory at a time.
inline constexpr int kTilePoints = 32;

/// Writes weights i and w - 1 - i of a point at `position` for first <= i < last.
__device__ inline void kernel_weights(const SpreadingKernel& kernel, double position, int first,
                                      int last, double* weights) {
  const double z = trunc(position) + 0.5 - position;
  const double square = z * z;
  for (int i = first; i < last; ++i) {
    constexpr int kTerms = SpreadingKernel::kTerms;
    double even = kernel.even[i][kTerms - 1];
    double odd = kernel.odd[i][kTerms - 2];
    for (int d = kTerms - 2; d >= 0; --d) even = even * square + kernel.even[i][d];
    for (int d = kTerms - 3; d >= 0; --d) odd = odd * square + kernel.odd[i][d];
    weights[i] = even + z * odd;
    weights[kSpreadWidth - 1 - i] = even - z * odd;
  }
}

/// The radial polynomials at one node, order by order. Values that are too small for double are
/// stored scaled by powers of 2^512. They count as 0 as long as they are scaled.
struct NodeState {
  double variable;
  double current;
  double before = 0.0;
  int steps = 0;  // the true value is the stored value times 2^(-512 steps)

  __device__ NodeState(const NodeTables& tables, int m, int node) {
    const double rho = tables.radius[node];
    variable = tables.pseudo ? rho : rho * rho;
    const int power = m - (tables.pseudo ? 0 : m % 2);
    const double exponent = power * log2(rho);
    if (exponent > -900.0) {
      current = pow(rho, static_cast<double>(power));
      return;
    }
    steps = static_cast<int>(ceil((-400.0 - exponent) / 512.0));
    // Eight factors, each in the range of double for any order below 8000.
    current = 1.0;
    for (int i = 0; i < 8; ++i) {
      const int part = (power * (i + 1)) / 8 - (power * i) / 8;
      current *= scalbn(pow(rho, static_cast<double>(part)), 64 * steps);
    }
  }

  __device__ double next(double slope, double shift, double back) {
    const double value = (slope * variable + shift) * current + back * before;
    before = current;
    current = value;
    return steps == 0 ? value : 0.0;
  }

  /// Must be called after at most 8 orders.
  __device__ void rescale() {
    if (steps > 0 && fabs(current) > 0x1p300) {
      current *= 0x1p-512;
      before *= 0x1p-512;
      --steps;
    }
  }
};

/// Position of (n, m) in storage order (moment_position).
__device__ inline std::size_t stored_at(bool pseudo, int n, int m) {
  const auto size = static_cast<std::size_t>(n);
  if (pseudo) return size * (size + 1) / 2 + static_cast<std::size_t>(m);
  return (n == 0 ? 0 : ((size - 1) / 2 + 1) * (size / 2 + 1)) + static_cast<std::size_t>(m / 2);
}

}  // namespace leafglyph::gpu
