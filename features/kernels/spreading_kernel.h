// The narrow kernel that spreads points onto a uniform grid and reads values from it.
//
// A function on the circle with frequencies |k| <= K is determined by its values in G >= 4 K + 2
// cells of width h = 2 pi / G: e^{j k phi} = sum over cells c of
// psi(phi / h - c) e^{j k h c} / p_k, with the exponential of semicircle
// psi(x) = exp(beta (sqrt(1 - (2x/w)^2) - 1)), |x| <= w/2. The error falls tenfold with each cell
// of the width w (Barnett, Magland and af Klinteberg, "A parallel nonuniform fast Fourier transform
// library", SIAM J. Sci. Comput. 41, 2019).
#pragma once

#include <functional>
#include <vector>

namespace leafglyph {

/// w: number of cells that one point touches. The error with 14 is about 1e-13 of the points' sum.
inline constexpr int kSpreadWidth = 14;
/// Degree of the polynomials that represent the kernel within one cell; even.
inline constexpr int kSpreadDegree = 18;
/// Cells before the first one of the half circle, so that no point's cells lie outside the grid.
inline constexpr int kSpreadMargin = kSpreadWidth / 2 - 1;

/// Polynomials for the weights of the w cells. The cells of a point at position u start at trunc(u)
/// (the margin counted), and its offset is z = trunc(u) + 1/2 - u in [-1/2, 1/2]. For i < w/2 its
/// weight in cell i is E_i(z^2) + z O_i(z^2), and in cell w-1-i it is E_i(z^2) - z O_i(z^2).
struct SpreadingKernel {
  SpreadingKernel();

  static constexpr int kTerms = kSpreadDegree / 2 + 1;
  /// Coefficient d of E_i at [i][d]; the same for O_i, whose last coefficient is 0.
  double even[kSpreadWidth / 2][kTerms];
  double odd[kSpreadWidth / 2][kTerms];

  /// p_k for frequencies k = 0 .. top on a circle of `cells` cells.
  static std::vector<double> transform(int top, int cells);
};

/// A uniform grid on half a circle: cell s is at the angle (s - margin) 2 pi / circle.
struct HalfCircleGrid {
  /// The smallest grid for frequencies up to `top`.
  explicit HalfCircleGrid(int top);
  int circle;     ///< cells on the whole circle, even
  int cells;      ///< cells of the half including its margins: circle / 2 + w
  int intervals;  ///< number of values of trunc(u): circle / 2 + 1
  /// Angle of cell s, in units of 2 pi / circle: s - margin.
  static int number(int s) { return s - kSpreadMargin; }
};

/// Coefficients, constant term first, of the polynomial in z that interpolates f at the degree + 1
/// Chebyshev points of -half_width <= z <= half_width. Computed in long double.
std::vector<double> fit_polynomial(const std::function<long double(long double)>& f, int degree,
                                   long double half_width);

}  // namespace leafglyph
