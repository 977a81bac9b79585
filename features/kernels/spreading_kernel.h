// The narrow kernel with which points are spread onto, and values read from, an even grid.
//
// A function with frequencies |k| <= K on the circle is known from its values in G >= 4 K + 2 cells
// of width h = 2 pi / G: e^{j k phi} = sum over cells c of psi(phi / h - c) e^{j k h c} / p_k for
// the exponential of semicircle psi(x) = exp(beta (sqrt(1 - (2x/w)^2) - 1)), |x| <= w/2, up to an
// error that falls tenfold with each cell of the width w (Barnett, Magland and af Klinteberg,
// "A parallel nonuniform fast Fourier transform library", SIAM J. Sci. Comput. 41, 2019).
#pragma once

#include <functional>
#include <vector>

namespace leafglyph {

/// w: cells that one point touches. 14 leaves about 1e-13 of the points' sum.
inline constexpr int kSpreadWidth = 14;
/// Degree of the polynomials that stand for the kernel inside one cell; even.
inline constexpr int kSpreadDegree = 18;
/// Cells before the first one on the circle's half, so that supports never leave the grid.
inline constexpr int kSpreadMargin = kSpreadWidth / 2 - 1;

/// Polynomials of the w cells' weights. A point at u cells has the first cell trunc(u) (counted
/// with the margin) and the offset z = trunc(u) + 1/2 - u in [-1/2, 1/2]; its weight in cell i is
/// E_i(z^2) + z O_i(z^2), that in cell w-1-i is E_i(z^2) - z O_i(z^2), i < w/2.
struct SpreadingKernel {
  SpreadingKernel();

  static constexpr int kTerms = kSpreadDegree / 2 + 1;
  /// Coefficient d of E_i at [i][d]; O_i likewise (its last is 0).
  double even[kSpreadWidth / 2][kTerms];
  double odd[kSpreadWidth / 2][kTerms];

  /// p_k for frequency k on a circle of `cells` cells, k = 0 .. top.
  static std::vector<double> transform(int top, int cells);
};

/// An even grid on half a circle: cell s stands at the angle (s - margin) 2 pi / circle.
struct HalfCircleGrid {
  /// The smallest grid that carries frequencies up to `top`.
  explicit HalfCircleGrid(int top);
  int circle;     ///< cells on the whole circle, even
  int cells;      ///< cells of the half with its margins: circle / 2 + w
  int intervals;  ///< values that trunc(u) takes: circle / 2 + 1
  /// Angle of cell s, in units of 2 pi / circle: s - margin.
  static int number(int s) { return s - kSpreadMargin; }
};

/// Coefficients, constant first, of the polynomial in z that interpolates f at the degree + 1
/// Chebyshev points of -half_width <= z <= half_width. Worked out in long double.
std::vector<double> fit_polynomial(const std::function<long double(long double)>& f, int degree,
                                   long double half_width);

}  // namespace leafglyph
