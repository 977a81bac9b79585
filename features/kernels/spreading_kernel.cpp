#include "features/kernels/spreading_kernel.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "features/moments/disk_grid.h"

namespace leafglyph {
namespace {

// The best value for a grid twice as fine as the frequencies need (see the reference in the
// header).
constexpr long double kBeta = 2.30L * kSpreadWidth;

long double semicircle(long double x) {
  const long double z = 2 * x / kSpreadWidth;
  return z * z >= 1 ? 0.0L : std::exp(kBeta * (std::sqrt(1 - z * z) - 1));
}

}  // namespace

SpreadingKernel::SpreadingKernel() {
  for (int i = 0; i < kSpreadWidth / 2; ++i) {
    const long double centre = i - (kSpreadWidth - 1) / 2.0L;
    const std::vector<double> piece = fit_polynomial(
        [centre](long double z) { return semicircle(centre + z); }, kSpreadDegree, 0.5L);
    // kSpreadDegree is even, so there is one odd power less.
    odd[i][kTerms - 1] = 0.0;
    for (std::size_t d = 0; d < piece.size(); ++d) {
      (d % 2 == 0 ? even : odd)[i][d / 2] = piece[d];
    }
  }
}

std::vector<double> SpreadingKernel::transform(int top, int cells) {
  // The integrand has at most w/4 periods over the support, so 80 points leave only rounding
  // errors.
  const PixelQuadrature rule = gauss_legendre_rule(80);
  std::vector<long double> sums(static_cast<std::size_t>(top) + 1, 0.0L);
  for (std::size_t q = 0; q < rule.nodes.size(); ++q) {
    const long double x = rule.nodes[q] * kSpreadWidth / 2.0L;
    const long double angle = 2 * std::numbers::pi_v<long double> / cells * x;
    const long double turn_cosine = std::cos(angle);
    const long double turn_sine = std::sin(angle);
    // The value at the point times e^{j k angle}, turned from one k to the next. Its error grows by
    // a rounding of long double each time.
    long double real = rule.weights[q] * kSpreadWidth / 2.0L * semicircle(x);
    long double imaginary = 0.0L;
    for (long double& sum : sums) {
      sum += real;
      const long double next = real * turn_cosine - imaginary * turn_sine;
      imaginary = real * turn_sine + imaginary * turn_cosine;
      real = next;
    }
  }
  return {sums.begin(), sums.end()};
}

HalfCircleGrid::HalfCircleGrid(int top)
    : circle(std::max(4 * (top + 1), 2 * kSpreadWidth)),
      cells(circle / 2 + kSpreadWidth),
      intervals(circle / 2 + 1) {}

namespace {

// Coefficients of T_0 .. T_{count-1} of the interpolant.
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
  // From Chebyshev polynomials to powers: in long double, because their coefficients are large and
  // cancel.
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
