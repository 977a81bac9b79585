// Whether a part of a foreground is one leaf, or several that touch or overlap.
#pragma once

#include <opencv2/core.hpp>
#include <vector>

#include "features/leaf/photograph.h"

namespace leafglyph {

/// Whether the part with this outer outline is rather several leaves than one: a short chord that
/// starts in a dent of the outline divides it into pieces that are more convex than all of it, or
/// whose colours differ. Leaves of one colour are noticed only where their outline has deep dents.
bool are_several_leaves(const std::vector<cv::Point>& outline, const Photograph& photograph);

}  // namespace leafglyph
