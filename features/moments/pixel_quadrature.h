// The points inside a pixel at which an integral over it is sampled.
#pragma once

#include <vector>

#include "features/moments/moment_spec.h"

namespace leafglyph {

/// One-dimensional rule on [-1, 1], used along x and along y of every pixel: point s of a pixel
/// with centre c and half side h is c + h nodes[s]. Weights add up to 2.
struct PixelQuadrature {
  std::vector<long double> nodes;
  std::vector<long double> weights;

  int points() const { return static_cast<int>(nodes.size()); }
};

/// Midpoints of `points` equal parts. points >= 1.
PixelQuadrature midpoint_rule(int points);

/// The Gauss-Legendre rule of `points` points, by Newton's method on P_n. points >= 1.
PixelQuadrature gauss_legendre_rule(int points);

/// The rule of a specification whose method samples pixels (kSubregion or kGauss).
PixelQuadrature pixel_quadrature(Method method, int points);

}  // namespace leafglyph
