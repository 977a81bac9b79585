// The explorer: a page that shows the look-alikes of a character that the reader types, clicks or
// draws. Also the packed outlines that the page contains.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "classify/glyph_report/glyph_drawing.h"
#include "datasets/glyph/glyph_source.h"

namespace leafglyph {

/// A self-contained HTML page with the look-alikes of every list's query. It works from a file,
/// without a network. Characters are drawn with the outlines of an outline font, at first a Kai ti,
/// or with the pixels of the first font; fonts whose outlines would exceed
/// kMaxOutlineBytes in total are left out. A character drawn on the page is compared with those of
/// the first font by the windows of `profile`. The page also finds characters by code and pinyin,
/// shows what Unihan says about them, shows groups (lookalike_groups) with a score of at least
/// kGroupScore, and makes worksheets and notes for Anki. Throws UsageError when there is no list or
/// no font, when there are more than kMaxExplorerCharacters lists, and unless every list has the
/// same number of look-alikes and each of these is the query of a list. Also throws what
/// draw_glyphs throws.
std::string explorer_page(const std::vector<LookalikeList>& lists,
                          const std::vector<FontOptions>& fonts, const GlyphProfile& profile);

/// Corners lie on a grid of 0..kOutlineGrid, so that a coordinate fits in one byte.
inline constexpr int kOutlineGrid = 250;

/// The outlines of the characters, one after another. One byte gives the number of contours. For
/// each contour, two bytes, low byte first, give the number of corners; then each corner has one
/// byte for x and one for y, from the top. Corners that are less than one grid step off the line of
/// their neighbours are left out; corners outside the square are moved to its border. Throws what
/// GlyphSource::outline() throws.
std::string packed_outlines(const GlyphSource& font, std::u32string_view characters);

}  // namespace leafglyph
