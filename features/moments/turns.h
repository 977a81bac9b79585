// Angles and factors by whole parts of a turn, without rounding them.
#pragma once

#include <cmath>
#include <complex>
#include <numbers>

namespace leafglyph {

/// (-j)^quarters (re + j im)
inline std::complex<double> turned_back(double re, double im, int quarters) {
  switch (quarters & 3) {
    case 0:
      return {re, im};
    case 1:
      return {im, -re};
    case 2:
      return {-re, -im};
    default:
      return {-im, re};
  }
}

/// The angle pi k u less its whole turns, without the rounding of k u.
inline double half_turns(double k, double u) {
  const double product = k * u;
  return std::numbers::pi * (product - 2.0 * std::round(product / 2.0) + std::fma(k, u, -product));
}

}  // namespace leafglyph
