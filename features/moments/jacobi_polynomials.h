// Jacobi polynomials on [-1, 1] and their integrals over pixels: the tables of one axis.
#pragma once

#include <span>
#include <vector>

#include "features/moments/axis_tables.h"
#include "features/moments/moment_spec.h"

namespace leafglyph {

/// The orthonormal Jacobi polynomials p_n = P_n^(alpha, beta) / sqrt(rho_n), rho_n the integral of
/// the weight times P_n^2, by their three-term recurrence (DLMF 18.9.1). Immutable.
class JacobiRecurrence {
 public:
  /// For n = 0, ..., order; `weight` must be valid, order >= -1.
  JacobiRecurrence(const JacobiWeight& weight, int order);

  /// values[n] = p_n(x); values.size() = order + 1.
  void evaluate(long double x, std::span<long double> values) const;

 private:
  long double first_;                      // p_0
  std::vector<long double> diagonal_;      // of the Jacobi matrix
  std::vector<long double> off_diagonal_;  // element n couples p_{n-1} and p_n
};

/// Integral of the weight from -1 to x, an incomplete beta function, by series of positive terms
/// from the nearer end.
long double jacobi_weight_integral(const JacobiWeight& weight, long double x);

/// Tables of one axis of `length` pixels that cover [-1, 1]. Pixel i is at x_i = (2 i + 1 - length)
/// / length, or at its negative if the axis runs downwards.
/// The method determines the integrals over a pixel. kExact uses the closed form
///     integral of weight p_n
///         = -[(1-x)^{alpha+1} (1+x)^{beta+1} q_{n-1}(x)] / sqrt(n (n+alpha+beta+1)),
/// with q_n the orthonormal polynomials for (alpha + 1, beta + 1); for n = 0 it is the integral
/// of the weight. kSubregion and kGauss use `points` points. Throws UsageError when length or
/// points < 1, order < 0, or the weight is not valid.
AxisTables jacobi_axis_tables(const JacobiWeight& weight, int length, int order, Method method,
                              int points, bool downwards);

}  // namespace leafglyph
