// A page in which one types or clicks a character and sees its look-alikes.
#pragma once

#include <string>
#include <vector>

#include "classify/glyph_report/glyph_sheet.h"

namespace leafglyph {

/// A self-contained HTML page with the look-alikes of every list's query, drawn in `font`: it works
/// from a file, without a network. It has a pad to draw a character on, which is compared with
/// those of `font` by the windows of `profile`, finds characters by code and pinyin, and tells what
/// Unihan knows of them. Every list has equally many answers, and every answer is a query of
/// another list; throws UsageError otherwise. Errors as draw_glyphs.
std::string explorer_page(const std::vector<LookalikeList>& lists, const FontOptions& font,
                          const GlyphProfile& profile);

}  // namespace leafglyph
