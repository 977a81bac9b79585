// A slow, independent oracle for Zernike and pseudo-Zernike moments: the definitions summed in long
// double, with radial polynomials from Deng-style three-term relations in n and m that share
// nothing with the library's recurrence.
#pragma once

#include <cmath>
#include <complex>
#include <cstddef>
#include <vector>

#include "features/moments/moment_spec.h"

namespace leafglyph::oracle {

/// R_nm(rho) for all 0 <= m <= n <= order at [n][m] (0 where a Zernike n - m is odd).
/// Zernike: Deng, R_nm = rho (R_{n-1,|m-1|} + R_{n-1,m+1}) - R_{n-2,m}.
/// Pseudo-Zernike: rho R^pz_nm(rho^2) = R^z_{2n+1,2m+1}(rho), evaluated at the square root of rho.
inline std::vector<std::vector<long double>> radial_table(Family family, int order,
                                                          long double rho) {
  const bool pseudo = family == Family::kPseudoZernike;
  const long double r = pseudo ? std::sqrt(rho) : rho;
  const int top = pseudo ? 2 * order + 1 : order;
  std::vector<std::vector<long double>> z(top + 1, std::vector<long double>(top + 2, 0.0L));
  for (int n = 0; n <= top; ++n) {
    for (int m = n % 2; m <= n; m += 2) {
      if (n == m) {
        z[n][m] = std::pow(r, static_cast<long double>(n));
      } else {
        const long double above = m + 1 <= n - 1 ? z[n - 1][m + 1] : 0.0L;
        const long double below2 = m <= n - 2 ? z[n - 2][m] : 0.0L;
        z[n][m] = r * (z[n - 1][std::abs(m - 1)] + above) - below2;
      }
    }
  }
  if (!pseudo) return z;
  std::vector<std::vector<long double>> p(order + 1, std::vector<long double>(order + 1, 0.0L));
  for (int n = 0; n <= order; ++n) {
    for (int m = 0; m <= n; ++m) {
      // At the centre only m = 0 survives: R_n0(0) = (-1)^n (n + 1).
      p[n][m] = r > 0 ? z[2 * n + 1][2 * m + 1] / r
                      : (m == 0 ? (n % 2 == 0 ? 1.0L : -1.0L) * (n + 1) : 0.0L);
    }
  }
  return p;
}

/// Moments of one size x size image (rows from the top) under the k x k sub-region rule.
inline std::vector<std::complex<long double>> moments(Family family, int order, int k,
                                                      const std::vector<double>& image, int size) {
  const auto indices = moment_indices(family, order);
  std::vector<std::complex<long double>> sums(indices.size());
  const long double pi = 3.14159265358979323846264338327950288L;
  const long double cell = 2.0L / (static_cast<long double>(k) * size);
  for (int j = 0; j < size; ++j) {
    for (int i = 0; i < size; ++i) {
      bool inside = true;
      for (int s = 0; s < k * k; ++s) {
        const long long u = (2LL * i - size) * k + 2 * (s % k) + 1;
        const long long v = (2LL * j - size) * k + 2 * (s / k) + 1;
        const long long limit = static_cast<long long>(k) * size;
        inside = inside && u * u + v * v <= limit * limit;
      }
      if (!inside) continue;
      for (int s = 0; s < k * k; ++s) {
        const long double x =
            static_cast<long double>((2LL * i - size) * k + 2 * (s % k) + 1) / (1.0L * k * size);
        const long double y =
            -static_cast<long double>((2LL * j - size) * k + 2 * (s / k) + 1) / (1.0L * k * size);
        const auto radial = radial_table(family, order, std::sqrt(x * x + y * y));
        const long double theta = std::atan2(y, x);
        const long double f = image[static_cast<std::size_t>(j) * size + i];
        for (std::size_t c = 0; c < indices.size(); ++c) {
          const auto [n, m] = indices[c];
          const long double value = f * (n + 1) / pi * cell * cell * radial[n][m];
          sums[c] +=
              std::complex<long double>(value * std::cos(m * theta), -value * std::sin(m * theta));
        }
      }
    }
  }
  return sums;
}

}  // namespace leafglyph::oracle
