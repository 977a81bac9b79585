// The unit circle of an image, and the smallest circle around points.
#pragma once

#include <span>
#include <vector>

#include "features/image/image.h"
#include "features/moments/convention.h"

namespace leafglyph {

/// The circle that a convention places on an image of width x height values, all of them finite.
/// Throws InputError when the image has none: values with a sum of 0 or less have no centroid, and
/// fewer than two pixels other than 0 have no circle around them.
UnitCircle unit_circle(const ConventionSpec& spec, std::span<const double> image,
                       const ArraySize& size);

struct GridPoint {
  int column = 0;
  int row = 0;
  friend bool operator==(const GridPoint&, const GridPoint&) = default;
};

/// The corners of the convex hull, clockwise as seen on the image. The first is the leftmost of the
/// topmost points. Points between corners are left out. The points may be in any order.
std::vector<GridPoint> convex_hull(std::vector<GridPoint> points);

/// The smallest circle that contains all points, by Chrystal's method (1884). It starts from a side
/// of the hull and finds the point that sees it under the smallest angle. While that triangle is
/// obtuse at an end of the side, its longest side takes the place of that side. The radius for a
/// single point is 0. Throws UsageError when there are no points.
UnitCircle smallest_circle(const std::vector<GridPoint>& points);

}  // namespace leafglyph
