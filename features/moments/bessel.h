// The Bessel function J_1 and its zeros, the radial part of Bessel-Fourier moments.
#pragma once

#include <vector>

namespace leafglyph {

/// J_1(x), absolute error a few 1e-16 (the C library's; the C++ library's cyl_bessel_j is off by
/// 1e-11 at the arguments of high orders).
double bessel_j1(double x);

/// The first `count` positive zeros lambda_1 < lambda_2 < ... of J_1, each the double next to it
/// or one beside: McMahon's expansion (DLMF 10.21.19) polished by Newton steps. Throws UsageError
/// when count < 0.
std::vector<double> bessel_j1_zeros(int count);

/// 1 / (2 pi a_n) with a_n = J_2(lambda_n)^2 / 2 = J_0(lambda_n)^2 / 2 (equal at a zero of J_1),
/// the factor in front of the integral of a Bessel-Fourier moment, for the zero lambda_n.
double bessel_fourier_norm(double zero);

}  // namespace leafglyph
