#include "features/moments/radial.h"

#include <cmath>

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

}  // namespace leafglyph
