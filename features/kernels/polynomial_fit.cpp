#include "features/kernels/polynomial_fit.h"

#include <cmath>
#include <numbers>

namespace leafglyph {
namespace {

// Coefficients of T_0 .. T_degree of the interpolant.
std::vector<long double> chebyshev_coefficients(const std::function<long double(long double)>& f,
                                                std::size_t count, long double half_width) {
  std::vector<long double> coefficients(count, 0.0L);
  for (std::size_t i = 0; i < count; ++i) {
    const long double angle =
        std::numbers::pi_v<long double> * (static_cast<long double>(i) + 0.5L) / count;
    const long double value = f(half_width * std::cos(angle));
    for (std::size_t k = 0; k < count; ++k) {
      coefficients[k] += (k == 0 ? 1.0L : 2.0L) / count * value * std::cos(k * angle);
    }
  }
  return coefficients;
}

}  // namespace

std::vector<double> fit_polynomial(const std::function<long double(long double)>& f, int degree,
                                   long double half_width) {
  const auto count = static_cast<std::size_t>(degree) + 1;
  const auto chebyshev = chebyshev_coefficients(f, count, half_width);
  std::vector<long double> sum(count, 0.0L);
  std::vector<long double> before(sum);  // T_{k-1} and T_k of z / half_width, in powers of z
  std::vector<long double> current(sum);
  current[0] = 1.0L;
  for (std::size_t k = 0; k < count; ++k) {
    for (std::size_t d = 0; d < count; ++d) sum[d] += chebyshev[k] * current[d];
    const long double factor = (k == 0 ? 1.0L : 2.0L) / half_width;
    std::vector<long double> next(count, 0.0L);
    for (std::size_t d = 1; d < count; ++d) next[d] = factor * current[d - 1];
    for (std::size_t d = 0; k > 0 && d < count; ++d) next[d] -= before[d];
    before = std::move(current);
    current = std::move(next);
  }
  return {sum.begin(), sum.end()};
}

}  // namespace leafglyph
