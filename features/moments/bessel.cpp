#include "features/moments/bessel.h"

#include <math.h>  // j0 and j1 are POSIX's, not in <cmath>

#include <numbers>
#include <string>

#include "features/base/errors.h"

namespace leafglyph {

double bessel_j1(double x) { return ::j1(x); }

std::vector<double> bessel_j1_zeros(int count) {
  if (count < 0) throw UsageError(std::to_string(count) + " zeros of J_1; use 0 or more");
  std::vector<double> zeros(static_cast<std::size_t>(count));
  for (int n = 1; n <= count; ++n) {
    const double beta = (n + 0.25) * std::numbers::pi;
    const double inverse = 1.0 / (8.0 * beta);
    double zero = beta - 3.0 * inverse + 36.0 * inverse * inverse * inverse;
    // McMahon's start is off by 3e-3 for n = 1 and less above; each step squares the error.
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
