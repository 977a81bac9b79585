// Tchebichef and Krawtchouk polynomials by their hypergeometric sums. The terms alternate and are
// large: Real needs digits for that.
#pragma once

namespace leafglyph {

/// binomial(n, k).
template <class Real>
Real binomial(int n, int k) {
  Real value = 1;
  for (int i = 0; i < k; ++i) value = value * (n - i) / (i + 1);
  return value;
}

/// t_n(x) on 0, ..., length - 1, orthonormal.
template <class Real>
Real tchebichef_by_definition(int n, int x, int length) {
  Real term = 1;
  for (int k = 0; k < n; ++k) term *= 1 - length + k;  // (1 - N)_n
  Real sum = 0;
  for (int k = 0; k <= n && k <= x; ++k) {
    sum += term;
    term = term * (k - n) * (k - x) * (1 + n + k) / (k + 1) / (k + 1) / (1 - length + k);
  }
  Real square = binomial<Real>(length + n, 2 * n + 1);
  for (int k = 2; k <= 2 * n; ++k) square *= k;
  return sum / sqrt(square);
}

/// The weighted Krawtchouk polynomial on 0, ..., length - 1, orthonormal.
template <class Real>
Real krawtchouk_by_definition(double p, int n, int x, int length) {
  const int top = length - 1;
  const Real right = p;
  const Real left = 1 - right;
  Real term = 1;
  Real sum = 0;
  for (int k = 0; k <= n && k <= x; ++k) {
    sum += term;
    if (k < top) term = term * (k - n) * (k - x) / (k - top) / (k + 1) / right;
  }
  Real square = binomial<Real>(top, x) * binomial<Real>(top, n);
  for (int k = 0; k < x + n; ++k) square *= right;
  for (int k = 0; k < top - x; ++k) square *= left;
  for (int k = 0; k < n; ++k) square /= left;
  return sum * sqrt(square);
}

}  // namespace leafglyph
