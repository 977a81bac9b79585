// The bitmaps of a set of characters in one or several fonts.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "datasets/glyph/glyph_source.h"

namespace leafglyph {

/// Square bitmaps of `characters` in one font: pixel (j, i) of character c is
/// ink[(c * size + j) * size + i], 0 background, 255 stroke.
struct GlyphImages {
  std::u32string characters;
  int size = 0;
  std::vector<std::uint8_t> ink;

  std::size_t count() const { return characters.size(); }
  std::size_t pixels_per_glyph() const { return static_cast<std::size_t>(size) * size; }
  std::span<const std::uint8_t> ink_of(std::size_t glyph) const {
    return std::span(ink).subspan(glyph * pixels_per_glyph(), pixels_per_glyph());
  }
};

/// Opens every font, on all threads. Throws UsageError when none is given, and what GlyphSource
/// throws.
std::vector<GlyphSource> open_fonts(std::span<const FontOptions> fonts);

/// Draws every character in the font; outline fonts on all threads. Throws what GlyphSource throws.
GlyphImages draw_glyphs(const GlyphSource& source, std::u32string_view characters);
GlyphImages draw_glyphs(const FontOptions& font, std::u32string_view characters);

/// Four fonts of 24 pixels, the default for finding look-alikes of a set of characters. There are
/// several because people confuse characters in any typeface. For GB 2312: two Song ti, a Kai ti
/// and a Hei ti, from Debian's packages xfonts-base, fonts-arphic-gbsn00lp, fonts-arphic-gkai00mp
/// and fonts-wqy-microhei. For anything else: four fonts with 20,000 characters, kana and letters,
/// from fonts-arphic-uming, fonts-arphic-ukai, fonts-wqy-zenhei and fonts-wqy-microhei.
std::vector<FontOptions> default_lookalike_fonts(const std::vector<std::string>& characters);

/// Characters to compare and the fonts that draw them.
struct GlyphSelection {
  std::vector<FontOptions> fonts = {FontOptions{}};
  std::vector<std::string> characters = {"gb2312"};  ///< names of sets (character_set.h)
  std::u32string leave_out;                          ///< characters of these that are not compared
  /// Whether to leave out characters that one of the fonts lacks; otherwise they are an error.
  /// Characters that belong only to a range, a block or `all` are always left out.
  bool skip_missing = false;

  friend bool operator==(const GlyphSelection&, const GlyphSelection&) = default;
};

/// The characters of a selection, in the order of its sets. `missing` has the line that commands
/// print about those that were skipped because a font lacks them: "邯 (U+90AF) left out: ...".
struct SelectedCharacters {
  std::u32string characters;
  std::vector<std::string> missing;  ///< this line, if there is such a character
};

/// `fonts` are the opened fonts of the selection. Throws InputError with the characters that a font
/// lacks, unless these are to be skipped, and what character_sets() throws.
SelectedCharacters select_characters(const GlyphSelection& selection,
                                     std::span<const GlyphSource> fonts);

}  // namespace leafglyph
