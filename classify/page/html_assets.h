// Style, script and icon of LeafGlyph's pages.
#pragma once

#include <string_view>

namespace leafglyph {

std::string_view page_style();   ///< CSS; light and dark, wide, narrow and printed
std::string_view page_script();  ///< JavaScript: sorts tables and filters lists
std::string_view page_icon();    ///< SVG

}  // namespace leafglyph
