// The pixels of a map that count in a fit, and the unit circle in it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace leafglyph {

/// The unit circle in a map: the pixel in column i and row j has its centre at (i, j), x to the
/// right; y of the polynomials points up.
struct FitCircle {
  double column = 0.0;
  double row = 0.0;
  double radius = 0.0;

  /// The circle inscribed in a map.
  static FitCircle inscribed(int width, int height);
};

/// The pixels of a map that count.
struct FitPoints {
  int width = 0;
  FitCircle circle;
  std::vector<std::uint32_t> pixels;  ///< row * width + column, rising
  std::vector<double> weights;        ///< one for each, above 0; empty: all 1

  /// A point in units of the radius, y up.
  double x(std::size_t i) const;
  double y(std::size_t i) const;
};

/// Those of a map of width * height values: finite, of weight above 0 where weights are given, and,
/// unless `everywhere`, from `hole` to 1 from the centre. Throws UsageError for a radius that is
/// not above 0, a weight that is negative or not finite.
FitPoints fit_points(int width, int height, std::span<const double> map,
                     std::span<const double> weights, const FitCircle& circle, double hole,
                     bool everywhere);

}  // namespace leafglyph
