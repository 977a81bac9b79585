// Where the unit circle lies on an image.
#pragma once

#include <span>

#include "features/image/image.h"
#include "features/moments/convention.h"

namespace leafglyph {

/// The circle that a convention lays on one image of width x height values, all of them finite.
/// Throws InputError where the image has none: values that add up to 0 or less have no centroid,
/// fewer than two pixels that are not 0 no circle around them.
UnitCircle unit_circle(const ConventionSpec& spec, std::span<const double> image,
                       const ArraySize& size);

}  // namespace leafglyph
