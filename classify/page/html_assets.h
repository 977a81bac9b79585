// Style, script and icon of LeafGlyph's pages.
#pragma once

#include <string_view>

namespace leafglyph {

std::string_view page_style();   ///< CSS; light and dark, wide, narrow and printed
std::string_view page_script();  ///< JavaScript: sorts tables and filters lists
std::string_view page_icon();    ///< SVG

/// CSS beside page_style() of what pages about characters share.
std::string_view characters_style();
/// JavaScript: drawingPad, a canvas to draw a character on.
std::string_view drawing_pad_script();

}  // namespace leafglyph
