// Pictures of characters to train on: drawn in fonts, damaged, and of no character at all.
#pragma once

#include <cstddef>
#include <vector>

#include "datasets/glyph/glyph_source.h"
#include "features/image/image.h"

namespace leafglyph {

/// The side of a drawing that is learnt, in pixels, and the margin around it, for damage.
inline constexpr int kDrawnSide = 60, kDrawnMargin = 10;

/// The ink of a character that the source draws, with its margin.
Image<float> drawn(const GlyphSource& source, char32_t character);

/// The ink that a reader finds in the picture of this ink, dark on white: what is recognised comes
/// by the same way. Itself, if damage left nothing of it.
Image<float> as_seen(const Image<float>& ink);

/// The i-th picture of no character: two of these pictures in the place of one, or a part of one.
Image<float> unlike_picture(const std::vector<Image<float>>& pictures, std::size_t i);

}  // namespace leafglyph
