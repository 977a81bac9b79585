#include "features/bessel_fourier/adaptive_rules.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace leafglyph {
namespace {

// Largest a for which `points` Gauss points integrate e^{j a t} over [-1, 1] to kGradedTolerance.
double phase_reach_of(int points) {
  const double k2 = 2.0 * points;
  return 2.0 * std::exp((std::log(kGradedTolerance) + std::lgamma(k2 + 1.0)) / k2);
}

// The smallest rule that integrates e^{j phase t} over [-1, 1] to kGradedTolerance.
PixelQuadrature rule_for_phase(double phase) {
  int points = 4;
  while (phase_reach_of(points) < phase) ++points;
  return gauss_legendre_rule(points);
}

}  // namespace

PixelRules::PixelRules(PixelQuadrature rule) {
  rules_.push_back(std::move(rule));
  inner_radii_.push_back(0.0);
}

// Adds rules of more and more points, each from the radius at which it becomes accurate enough,
// until they cover every pixel that does not touch the centre.
PixelRules PixelRules::graded(int size, double top_zero, int angular_order) {
  PixelRules graded;
  const double half_side = 1.0 / size;
  const double half_diagonal = std::sqrt(2.0) * half_side;
  // The smallest radius of a pixel centre, apart from the pixels that touch the middle.
  const double nearest = (size % 2 == 0 ? std::sqrt(10.0) : 2.0) * half_side;
  const double radial = top_zero * half_side;
  double inner = 2.0;
  for (int points = 2; inner > nearest; points += std::max(1, points / 4)) {
    const double reach = phase_reach_of(points);
    if (radial >= reach) continue;
    // hypot(lambda, M / rho) half_side <= reach must hold at the pixel's innermost point or at
    // half the radius of its centre, whichever is farther out.
    const double closest = angular_order * half_side / std::sqrt(reach * reach - radial * radial);
    inner = std::min(closest + half_diagonal, 2.0 * closest);
    graded.rules_.push_back(gauss_legendre_rule(points));
    graded.inner_radii_.push_back(inner);
  }
  graded.inner_radii_.back() = 0.0;
  graded.centre_side_ = (size % 2 == 0 ? 2.0 : 1.0) * half_side;
  graded.centre_across_ = rule_for_phase(top_zero * graded.centre_side_ / std::sqrt(2.0));
  graded.centre_along_ = rule_for_phase(angular_order / 2.0);
  return graded;
}

std::size_t PixelRules::rule_of(double radius) const {
  const auto first = std::find_if(inner_radii_.begin(), inner_radii_.end(),
                                  [radius](double inner) { return inner <= radius; });
  return static_cast<std::size_t>(first - inner_radii_.begin());
}

}  // namespace leafglyph
