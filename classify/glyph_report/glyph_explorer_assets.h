// The fixed parts of the explorer page.
#pragma once

#include <string_view>

namespace leafglyph {

std::string_view explorer_body();   ///< HTML: search field, chosen character, its look-alikes
std::string_view explorer_table();  ///< HTML: the code table, filled by the script
std::string_view explorer_about();  ///< HTML: what the score means
std::string_view explorer_style();  ///< CSS beside page_style()
std::string_view
explorer_script();  ///< JavaScript: leafglyphExplorer, what one sees of a character
std::string_view explorer_windows();  ///< JavaScript: glyphWindows, how characters are compared
std::string_view explorer_pad();      ///< JavaScript: what a drawing may be

}  // namespace leafglyph
