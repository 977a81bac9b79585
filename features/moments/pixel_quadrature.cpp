#include "features/moments/pixel_quadrature.h"

#include <cmath>
#include <numbers>

#include "features/base/errors.h"

namespace leafglyph {

PixelQuadrature midpoint_rule(int points) {
  PixelQuadrature rule;
  for (int s = 0; s < points; ++s) {
    rule.nodes.push_back((2.0L * s + 1.0L) / points - 1.0L);
    rule.weights.push_back(2.0L / points);
  }
  return rule;
}

PixelQuadrature gauss_legendre_rule(int points) {
  PixelQuadrature rule;
  for (int s = points - 1; s >= 0; --s) {
    long double x = std::cos(std::numbers::pi_v<long double> * (s + 0.75L) / (points + 0.5L));
    long double slope = 1.0L;
    // Tricomi's start is within 1e-2 of a zero; six squarings of that are below long double.
    for (int step = 0; step < 6; ++step) {
      long double before = 0.0L;
      long double value = 1.0L;
      for (int n = 1; n <= points; ++n) {
        const long double next = ((2 * n - 1) * x * value - (n - 1) * before) / n;
        before = value;
        value = next;
      }
      slope = points * (x * value - before) / (x * x - 1.0L);
      x -= value / slope;
    }
    rule.nodes.push_back(x);
    rule.weights.push_back(2.0L / ((1.0L - x * x) * slope * slope));
  }
  return rule;
}

PixelQuadrature pixel_quadrature(Method method, int points) {
  if (method == Method::kExact) throw UsageError("the exact method samples no points in a pixel");
  if (method == Method::kAdaptive) {
    throw UsageError("the adaptive method has no rule that serves every pixel");
  }
  return method == Method::kGauss ? gauss_legendre_rule(points) : midpoint_rule(points);
}

}  // namespace leafglyph
