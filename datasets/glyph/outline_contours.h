// Glyph outlines as corners.
#pragma once

#include <vector>

#include "datasets/glyph/glyph_source.h"

struct FT_Outline_;  // FreeType's FT_Outline

namespace leafglyph {

/// The contours of an outline in a square of `side` FreeType units, with curves as short lines.
std::vector<GlyphContour> outline_contours(FT_Outline_& outline, double side);

}  // namespace leafglyph
