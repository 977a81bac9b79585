// Legendre polynomials at one point.
#pragma once

#include <cstddef>
#include <span>

namespace leafglyph {

/// values[n] = P_n(x), for at least one n, by their recurrence (DLMF 18.9.1); x may be outside [-1,
/// 1].
template <class Real>
void legendre_values(Real x, std::span<Real> values) {
  values[0] = 1;
  if (values.size() > 1) values[1] = x;
  for (std::size_t n = 2; n < values.size(); ++n) {
    const auto k = static_cast<Real>(n);
    values[n] = ((2 * k - 1) * x * values[n - 1] - (k - 1) * values[n - 2]) / k;
  }
}

}  // namespace leafglyph
