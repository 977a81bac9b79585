#include "features/kernels/spreading_kernel.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "features/kernels/polynomial_fit.h"
#include "features/moments/pixel_quadrature.h"

namespace leafglyph {
namespace {

// Best for a grid twice as fine as the frequencies need (the reference in the header).
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
    odd[i][kTerms - 1] = 0.0;
    for (std::size_t d = 0; d < piece.size(); ++d) {
      (d % 2 == 0 ? even : odd)[i][d / 2] = piece[d];
    }
  }
}

std::vector<double> SpreadingKernel::transform(int top, int cells) {
  // The integrand turns at most w/4 times over the support: 80 points leave rounding only.
  const PixelQuadrature rule = gauss_legendre_rule(80);
  std::vector<double> values(static_cast<std::size_t>(top) + 1);
  for (int k = 0; k <= top; ++k) {
    long double sum = 0.0L;
    for (std::size_t q = 0; q < rule.nodes.size(); ++q) {
      const long double x = rule.nodes[q] * kSpreadWidth / 2.0L;
      sum += rule.weights[q] * kSpreadWidth / 2.0L * semicircle(x) *
             std::cos(2 * std::numbers::pi_v<long double> * k / cells * x);
    }
    values[static_cast<std::size_t>(k)] = static_cast<double>(sum);
  }
  return values;
}

HalfCircleGrid::HalfCircleGrid(int top)
    : circle(std::max(4 * (top + 1), 2 * kSpreadWidth)),
      cells(circle / 2 + kSpreadWidth),
      intervals(circle / 2 + 1) {}

}  // namespace leafglyph
