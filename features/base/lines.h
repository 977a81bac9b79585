// The one way to read lines.
#pragma once

#include <cstddef>
#include <istream>
#include <string>
#include <string_view>

#include "features/base/limits.h"

namespace leafglyph {

/// Reads a line, without its end; false at the end of the text. Throws InputError, naming `text`,
/// for a line of more than `most` bytes, and what the stream's buffer throws.
bool next_line(std::istream& stream, std::string& line, std::string_view text,
               std::size_t most = kMaxLineBytes);

}  // namespace leafglyph
