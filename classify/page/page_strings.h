// What pages say, in each language.
#pragma once

#include <string>
#include <string_view>

namespace leafglyph {

/// The strings of a page, {"key": {"en": ..., "zh": ...}}, and character_strings(), as one JSON
/// object.
std::string with_character_strings(std::string_view own);

}  // namespace leafglyph
