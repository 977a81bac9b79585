// The fixed parts of the explorer page.
#pragma once

#include <string_view>

namespace leafglyph {

std::string_view explorer_body();     ///< HTML: search field, chosen character, its look-alikes
std::string_view explorer_table();    ///< HTML: the code table, filled by the script
std::string_view explorer_groups();   ///< HTML: the groups, filled by the script
std::string_view explorer_about();    ///< HTML: what the score means
std::string_view explorer_style();    ///< CSS beside page_style() and interactive_style()
std::string_view explorer_strings();  ///< JSON: what the page says beside character_strings()

// JavaScript, in the order in which they stand upon each other.
std::string_view explorer_windows();  ///< glyphWindows: how characters are compared
std::string_view explorer_data();     ///< leafglyphData: the characters, how they are found
std::string_view explorer_script();   ///< leafglyphExplorer: what one sees and does
std::string_view explorer_pad();      ///< what a drawing may be

}  // namespace leafglyph
