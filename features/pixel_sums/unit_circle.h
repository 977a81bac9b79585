// Where the unit circle lies on an image, and the smallest circle around points.
#pragma once

#include <span>
#include <vector>

#include "features/image/image.h"
#include "features/moments/convention.h"

namespace leafglyph {

/// The circle that a convention lays on one image of width x height values, all of them finite.
/// Throws InputError where the image has none: values that add up to 0 or less have no centroid,
/// fewer than two pixels that are not 0 no circle around them.
UnitCircle unit_circle(const ConventionSpec& spec, std::span<const double> image,
                       const ArraySize& size);

struct GridPoint {
  int column = 0;
  int row = 0;
  friend bool operator==(const GridPoint&, const GridPoint&) = default;
};

/// The corners of the convex hull, clockwise as seen on the image, from the topmost of the points
/// and the leftmost of these on; points between corners are left out. Any order of points.
std::vector<GridPoint> convex_hull(std::vector<GridPoint> points);

/// The smallest circle that holds all points (Chrystal 1884: a side of the hull is replaced by the
/// longer one at the point that sees it under the smallest angle, until that triangle is acute).
/// One point has radius 0. Throws UsageError without points.
UnitCircle smallest_circle(const std::vector<GridPoint>& points);

}  // namespace leafglyph
