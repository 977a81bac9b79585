// Pictures of characters to train on: drawn in fonts, damaged, and of no character at all.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "datasets/glyph/glyph_source.h"
#include "features/image/image.h"

namespace leafglyph {

/// The side of a drawing that is learnt, in pixels, and the margin around it, for damage.
inline constexpr int kDrawnSide = 60, kDrawnMargin = 10;

/// Ink in 255ths (255 is stroke), square, with the margin.
using Drawing = Image<std::uint8_t>;

/// The drawings of characters that the font has at kDrawnSide, and which of them these are.
struct FontDrawings {
  std::vector<Drawing> drawings;
  std::vector<int> labels;  ///< of each, its place in `characters`
};
/// Throws what GlyphSource throws; InputError when the font draws none of them.
FontDrawings drawings_of(FontOptions font, std::u32string_view characters);

/// The ink of a picture as a drawing: its box fills the square inside the margin.
Drawing as_drawing(const Image<float>& ink);
Image<float> ink_in(const Drawing& drawing);

/// The ink that a reader finds in the picture of this ink, dark on white: what is recognised comes
/// by the same way. Itself, if damage left nothing of it.
Image<float> as_seen(const Image<float>& ink);

/// The i-th picture of no character: two of these in the place of one, or a part of one.
Image<float> unlike_picture(const std::vector<Drawing>& drawings, std::size_t i);

}  // namespace leafglyph
