// A page in which one types or clicks a character and sees its look-alikes, and the outlines that
// are sent with it.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "classify/glyph_report/glyph_drawing.h"
#include "datasets/glyph/glyph_source.h"

namespace leafglyph {

/// A self-contained HTML page with the look-alikes of every list's query, drawn in the first font
/// and, as one chooses, by the outlines of those that have any: it works from a file, without a
/// network. It has a pad to draw a character on, which is compared with those of the first font by
/// the windows of `profile`, finds characters by code and pinyin, shows what Unihan knows of them,
/// shows groups (lookalike_groups) of the score kGroupScore, and makes worksheets and notes for
/// Anki. Every list has equally many answers, and every answer is a query of another list; throws
/// UsageError otherwise, or without a font. Errors as draw_glyphs.
std::string explorer_page(const std::vector<LookalikeList>& lists,
                          const std::vector<FontOptions>& fonts, const GlyphProfile& profile);

/// Corners lie on a grid of 0..kOutlineGrid, which is a byte.
inline constexpr int kOutlineGrid = 250;

/// The outline of every character: a byte, how many contours it has; of each two bytes, the lower
/// first, how many corners, and these, x and y a byte each, y from the top. Corners that are less
/// than a step of the grid off the line of their neighbours are left out, those outside the square
/// moved to its border. Errors as GlyphSource::outline().
std::string packed_outlines(const GlyphSource& font, std::u32string_view characters);

}  // namespace leafglyph
