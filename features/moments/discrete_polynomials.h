// Polynomials that are orthonormal on the pixels of an axis: Tchebichef and Krawtchouk.
#pragma once

#include <vector>

namespace leafglyph {

/// The discrete Tchebichef (Chebyshev) polynomials on x = 0, ..., N - 1, N = length, orthonormal
/// under equal weights (Mukundan, Ong, Lee, IEEE Trans. Image Processing 10, 2001):
///     t_n(x) = (1 - N)_n 3F2(-n, -x, 1 + n; 1, 1 - N; 1) / sqrt((2n)! binomial(N + n, 2n + 1)).
/// At [n * length + x], for n = 0, ..., order; there is none of degree N or more, whose rows are 0.
std::vector<double> tchebichef_values(int length, int order);

/// The weighted Krawtchouk polynomials on x = 0, ..., M, M = length - 1 (Yap, Paramesran, Ong, IEEE
/// Trans. Image Processing 12, 2003), orthonormal:
///     sqrt(w(x) / r(n)) 2F1(-n, -x; -M; 1 / p), w = binomial(M, x) p^x (1 - p)^(M - x),
///     r = ((1 - p) / p)^n / binomial(M, n).
/// Those of low degree are near x = p M. Stored as tchebichef_values. 0 < p < 1.
std::vector<double> krawtchouk_values(double p, int length, int order);

}  // namespace leafglyph
