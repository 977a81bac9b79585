// The fixed parts of the explorer page.
#pragma once

#include <string_view>

namespace leafglyph {

std::string_view explorer_body();     ///< HTML: search field, chosen character, its look-alikes
std::string_view explorer_table();    ///< HTML: the code table, filled by the script
std::string_view explorer_groups();   ///< HTML: the groups, filled by the script
std::string_view explorer_about();    ///< HTML: what the score means
std::string_view explorer_style();    ///< CSS beside page_style() and interactive_style()
std::string_view explorer_strings();  ///< JSON: texts of the page besides character_strings()

// JavaScript; each script may use those before it.
std::string_view explorer_windows();  ///< glyphWindows: compares characters
std::string_view explorer_data();     ///< leafglyphData: the characters and how to find them
std::string_view explorer_script();   ///< leafglyphExplorer: the interface
std::string_view explorer_pad();      ///< finds the characters that a drawing may show

}  // namespace leafglyph
