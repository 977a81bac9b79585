// Style, script and icon of LeafGlyph's pages.
#pragma once

#include <string_view>

namespace leafglyph {

std::string_view page_style();   ///< CSS; light and dark, wide, narrow and printed
std::string_view page_script();  ///< JavaScript: sorts tables and filters lists
std::string_view page_icon();    ///< SVG

// Templates of html_page.cpp.
std::string_view page_frame();
std::string_view page_picture_part();
std::string_view page_chart();

// What the explorer and the served page share.
std::string_view interactive_style();   ///< CSS beside page_style(): controls, lists of characters
std::string_view character_strings();   ///< JSON: texts of both, in each language
std::string_view language_script();     ///< JavaScript: pageLanguage, strings in a chosen language
std::string_view drawing_pad_script();  ///< JavaScript: drawingPad, to draw a character on
std::string_view practice_script();     ///< JavaScript: practice, worksheets and notes for Anki

}  // namespace leafglyph
