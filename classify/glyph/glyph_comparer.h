// Distances between characters drawn in one or several fonts.
#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

#include "classify/glyph/glyph_images.h"
#include "classify/glyph/glyph_windows.h"

namespace leafglyph {

/// Window moments of some characters, ready to be compared: one element of `moved` a font, laid out
/// as GlyphWindows::moved does.
struct ComparableGlyphs {
  std::size_t count = 0;
  std::vector<std::vector<float>> moved;
};

/// Draws characters and compares them; the distance is the mean of the fonts' distances.
class GlyphComparer {
 public:
  GlyphComparer(std::vector<FontOptions> fonts, const GlyphProfile& profile);

  /// Errors as draw_glyphs.
  ComparableGlyphs prepare(std::u32string_view characters) const;

  /// Distance of glyph i of a and glyph j of b.
  double distance(const ComparableGlyphs& a, std::size_t i, const ComparableGlyphs& b,
                  std::size_t j) const;

  /// Rows for a search index: for each character the moments of order n <= `order` of every
  /// unmoved window of every font; component c of character i at [i * row_length(order) + c].
  std::vector<float> index_rows(std::u32string_view characters, int order) const;
  std::size_t row_length(int order) const;

 private:
  std::vector<FontOptions> fonts_;
  std::vector<GlyphWindows> windows_;  // one a font
};

}  // namespace leafglyph
