// How many Gauss-Legendre points a pixel needs for the radial polynomials of an order.
#pragma once

#include "features/moments/moment_spec.h"

namespace leafglyph {

/// Error, relative to the pixel's share, that kAdaptive lets Gauss-Legendre points leave for the
/// fastest wave in a pixel.
inline constexpr double kAdaptiveTolerance = 1e-5;

/// Points along each side of a pixel of half side `half_side` whose points have inner <= rho <=
/// outer. Where R_nm e^{j m theta} oscillates, its wave number is at most T / sqrt(1 - rho^2)
/// (Zernike) or (T + 1/2) / sqrt(rho (1 - rho)) (pseudo-Zernike); next to the rim, where that has
/// no bound, the turns over the whole pixel count, T (arccos inner - arccos outer). A wave cos(k x)
/// on [-1, 1] is integrated by q points with an error below
/// 2^{2q+1} q!^4 / ((2q+1) (2q)!^3) k^{2q}; the smallest q with less than the tolerance is taken.
int adaptive_points(Family family, int order, double half_side, double inner, double outer);

}  // namespace leafglyph
