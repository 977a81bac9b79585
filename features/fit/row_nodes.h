// Fewer points with the same sums of polynomials as the pixels of a row.
#pragma once

#include <span>
#include <vector>

namespace leafglyph {

/// A point with a weight, which may be negative.
struct WeightedPoint {
  double x = 0.0;
  double y = 0.0;
  double weight = 0.0;
};

/// Points whose weighted sums are those of `points`, for every polynomial of degree at most
/// `degree`. Points of the same y are one after another, x rising. Where more than degree + 1 of
/// them lie close together, the nodes of Gauss and Legendre between the first and the last of them
/// take their place, with weights that follow from the sums of Legendre polynomials over the
/// points. Gaps of more than `gap` are left free, since polynomials may be large in them.
std::vector<WeightedPoint> fewer_points(std::span<const WeightedPoint> points, int degree,
                                        double gap);

}  // namespace leafglyph
