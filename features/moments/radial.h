// Radial functions of the circular families: polynomials by one stable upward recurrence, and
// Bessel functions.
#pragma once

#include <vector>

#include "features/moments/moment_spec.h"

namespace leafglyph {

/// The radial polynomials R_nm of one repetition m, n = m, m + step, ... <= order, where step is 2
/// for Zernike and 1 for pseudo-Zernike. With t = rho^2 (Zernike) or t = rho (pseudo-Zernike):
///     R_0 = rho^m,   R_i = (slope[i] t + shift[i]) R_{i-1} + back[i] R_{i-2}   (back[1] = 0),
/// where R_i is R_{m + i step, m}. This is the Jacobi recurrence (DLMF 18.9.2) for
///     Zernike        R_nm = (-1)^i rho^m P_i^{(m, 0)}(1 - 2 rho^2),
///     pseudo-Zernike R_nm = (-1)^i rho^m P_i^{(2m+1, 0)}(1 - 2 rho),
/// and for Zernike gives the same numbers as Kintner's. Underflow of rho^m to 0 is harmless.
struct RadialRecurrence {
  RadialRecurrence(Family family, int m, int order);

  int m = 0;
  int step = 2;
  std::vector<double> slope;  ///< element 0 unused, also in shift and back
  std::vector<double> shift;
  std::vector<double> back;

  int count() const { return static_cast<int>(slope.size()); }  ///< number of n values
  int order_of(int i) const { return m + i * step; }            ///< n of R_i
  /// The variable of the recurrence at radius rho.
  double variable(double rho) const { return step == 2 ? rho * rho : rho; }
};

/// R_nm(rho) for every n of `recurrence`; values.size() >= recurrence.count().
void radial_values(const RadialRecurrence& recurrence, double rho, std::vector<double>& values);

/// J_1(x), absolute error a few 1e-16. Uses the C library, because the C++ library's cyl_bessel_j
/// is off by 1e-11 at the arguments of high orders.
double bessel_j1(double x);

/// The first `count` positive zeros lambda_1 < lambda_2 < ... of J_1, each the nearest double or a
/// neighbour of it: McMahon's expansion (DLMF 10.21.19) refined by Newton steps. Throws UsageError
/// when count < 0.
std::vector<double> bessel_j1_zeros(int count);

/// 1 / (2 pi a_n) for the zero lambda_n, the factor in front of the integral of a Bessel-Fourier
/// moment. a_n = J_2(lambda_n)^2 / 2 = J_0(lambda_n)^2 / 2 (equal at a zero of J_1).
double bessel_fourier_norm(double zero);

}  // namespace leafglyph
