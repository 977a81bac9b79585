// Polynomials that stand for smooth functions on a short interval.
#pragma once

#include <functional>
#include <vector>

namespace leafglyph {

/// Coefficients, constant first, of the polynomial in z that interpolates f at the degree + 1
/// Chebyshev points of -half_width <= z <= half_width. Worked out in long double.
std::vector<double> fit_polynomial(const std::function<long double(long double)>& f, int degree,
                                   long double half_width);

}  // namespace leafglyph
