// Gauss points in a pixel, more of them where the kernel oscillates faster.
#pragma once

#include <cstddef>
#include <vector>

#include "features/moments/disk_grid.h"

namespace leafglyph {

/// Error of a graded rule, relative to its pixel's area.
inline constexpr double kGradedTolerance = 1e-8;

/// One rule for all pixels, or a series of Gauss-Legendre rules chosen by a pixel's distance from
/// the centre. The phase of J_1(lambda rho) e^{j m theta} changes by at most hypot(lambda, m / rho)
/// radians per unit of length. k points integrate e^{j a t} over [-1, 1] to about
/// (a / 2)^{2 k} / (2 k)!, which is kept below kGradedTolerance. Immutable.
class PixelRules {
 public:
  /// The same rule everywhere.
  explicit PixelRules(PixelQuadrature rule);
  /// Rules for pixels of side 2 / size.
  static PixelRules graded(int size, double top_zero, int angular_order);

  std::size_t count() const { return rules_.size(); }
  const PixelQuadrature& rule(std::size_t number) const { return rules_[number]; }
  /// Whether the rules also cover the pixels that touch the centre of the disk. Graded rules do
  /// not, because the kernel is not smooth there. The part of these pixels in the octant is the
  /// triangle 0 <= y <= x <= centre_side(), on which the kernel times x is smooth in x and
  /// t = y / x: use the points (x, t x) with x = centre_side() (1 + u) / 2 and t = (1 + v) / 2, u
  /// from centre_across() and v from centre_along(), and the area element x dx dt.
  bool serves_centre() const { return centre_side_ == 0.0; }
  double centre_side() const { return centre_side_; }
  const PixelQuadrature& centre_across() const { return centre_across_; }
  const PixelQuadrature& centre_along() const { return centre_along_; }
  /// Index of the rule for a pixel whose centre has this radius.
  std::size_t rule_of(double radius) const;

 private:
  PixelRules() = default;

  std::vector<PixelQuadrature> rules_;
  std::vector<double> inner_radii_;  // rule i is for radii from inner_radii_[i] up; decreasing
  double centre_side_ = 0.0;
  PixelQuadrature centre_across_;
  PixelQuadrature centre_along_;
};

}  // namespace leafglyph
