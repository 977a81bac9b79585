// Outlines of characters, small enough to be sent with a page.
#pragma once

#include <string>
#include <string_view>

#include "datasets/glyph/glyph_source.h"

namespace leafglyph {

/// Corners lie on a grid of 0..kOutlineGrid, which is a byte.
inline constexpr int kOutlineGrid = 250;

/// The outline of every character: a byte, how many contours it has; of each two bytes, the lower
/// first, how many corners, and these, x and y a byte each, y from the top. Corners that are less
/// than a step of the grid off the line of their neighbours are left out, those outside the square
/// moved to its border. Errors as GlyphSource::outline().
std::string packed_outlines(const GlyphSource& font, std::u32string_view characters);

}  // namespace leafglyph
