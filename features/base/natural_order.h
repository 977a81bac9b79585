// The order in which people number files.
#pragma once

#include <string_view>

namespace leafglyph {

/// Whether `a` comes before `b`, slice_9 before slice_10: runs of digits compare by value, then the
/// texts by length, then byte by byte.
bool in_natural_order(std::string_view a, std::string_view b);

}  // namespace leafglyph
