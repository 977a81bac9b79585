#include "features/zernike/adaptive_points.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

namespace leafglyph {
namespace {

// Next to the rim the wave shortens over the pixel; its shortest part counts as this much faster
// than the mean.
constexpr double kShortest = 1.5;

}  // namespace

int adaptive_points(Family family, int order, double half_side, double inner, double outer) {
  const bool pseudo = family == Family::kPseudoZernike;
  const double waves = pseudo ? 2.0 * order + 1 : order;
  const auto root = [pseudo](double rho) {
    const double r = std::clamp(rho, 0.0, 1.0);
    return pseudo ? std::sqrt(r) : r;
  };
  // With r = rho or sqrt(rho), a turn is waves * d(arccos r).
  const auto wave_number_at = [&](double rho) {
    const double r = root(rho);
    const double slope = (pseudo ? 2 * r : 1.0) * std::sqrt(1 - r * r);
    return slope > 0 ? waves / slope : std::numeric_limits<double>::infinity();
  };
  const double across = waves * (std::acos(root(inner)) - std::acos(root(outer))) / 2;
  const double wave_number = std::min(
      half_side * std::max(wave_number_at(inner), wave_number_at(outer)), kShortest * across);
  const double bound = std::log(kAdaptiveTolerance);
  int points = 2;
  // Logarithm of the error's bound, with (2q)! as a gamma function.
  const auto error = [wave_number](int q) {
    return (2 * q + 1) * std::numbers::ln2 + 4 * std::lgamma(q + 1.0) - std::log(2 * q + 1.0) -
           3 * std::lgamma(2 * q + 1.0) + 2 * q * std::log(wave_number);
  };
  while (wave_number > 0 && error(points) > bound) ++points;
  return points;
}

}  // namespace leafglyph
