#include "features/moments/radial.h"

#include <math.h>  // j0 and j1 are from POSIX, not in <cmath>

#include <cmath>
#include <numbers>
#include <string>

#include "features/base/errors.h"

namespace leafglyph {

RadialRecurrence::RadialRecurrence(Family family, int repetition, int order)
    : m(repetition), step(family == Family::kZernike ? 2 : 1) {
  const int terms = order < m ? 0 : (order - m) / step + 1;
  slope.assign(static_cast<std::size_t>(terms), 0.0);
  shift = slope;
  back = slope;
  const long double a = family == Family::kZernike ? m : 2 * m + 1;
  for (int i = 1; i < terms; ++i) {
    const auto index = static_cast<std::size_t>(i);
    if (i == 1) {
      slope[index] = static_cast<double>(a + 2);
      shift[index] = static_cast<double>(-(a + 1));
      continue;
    }
    // Jacobi P_k^{(a,0)} with argument 1 - 2t and the sign (-1)^k folded in.
    const long double k = i;
    const long double c = 2 * k + a;
    const long double scale = 2 * k * (k + a) * (c - 2);
    const long double linear = (c - 1) * c * (c - 2) / scale;
    const long double constant = (c - 1) * a * a / scale;
    slope[index] = static_cast<double>(2 * linear);
    shift[index] = static_cast<double>(-(linear + constant));
    back[index] = static_cast<double>(-2 * (k + a - 1) * (k - 1) * c / scale);
  }
}

void radial_values(const RadialRecurrence& recurrence, double rho, std::vector<double>& values) {
  const int count = recurrence.count();
  values.resize(static_cast<std::size_t>(count));
  const double t = recurrence.variable(rho);
  double before = 0.0;
  double current = std::pow(rho, recurrence.m);
  for (int i = 0; i < count; ++i) {
    const auto index = static_cast<std::size_t>(i);
    if (i > 0) {
      const double next = (recurrence.slope[index] * t + recurrence.shift[index]) * current +
                          recurrence.back[index] * before;
      before = current;
      current = next;
    }
    values[index] = current;
  }
}

double bessel_j1(double x) { return ::j1(x); }

std::vector<double> bessel_j1_zeros(int count) {
  if (count < 0) throw UsageError(std::to_string(count) + " zeros of J_1; use 0 or more");
  std::vector<double> zeros(static_cast<std::size_t>(count));
  for (int n = 1; n <= count; ++n) {
    const double beta = (n + 0.25) * std::numbers::pi;
    const double inverse = 1.0 / (8.0 * beta);
    double zero = beta - 3.0 * inverse + 36.0 * inverse * inverse * inverse;
    // McMahon's starting value is off by 3e-3 for n = 1 and by less for larger n. Each step squares
    // the error.
    for (int step = 0; step < 4; ++step) {
      const double value = ::j1(zero);
      zero -= value / (::j0(zero) - value / zero);
    }
    zeros[static_cast<std::size_t>(n - 1)] = zero;
  }
  return zeros;
}

double bessel_fourier_norm(double zero) {
  const double j0 = ::j0(zero);
  return 1.0 / (std::numbers::pi * j0 * j0);
}

}  // namespace leafglyph
