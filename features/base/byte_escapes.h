// Names of files, which may hold any bytes, as UTF-8 text and back.
#pragma once

#include <string>
#include <string_view>

namespace leafglyph {

/// The text with each byte that is not UTF-8 as \xNN, in lower case. UTF-8 stays as it is, but for
/// a backslash that could be taken for the start of such an escape, which becomes \x5c.
std::string escape_bytes(std::string_view text);

/// What escape_bytes was given.
std::string unescape_bytes(std::string_view text);

}  // namespace leafglyph
