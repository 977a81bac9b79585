// UTF-8 to code points and back.
#pragma once

#include <string>
#include <string_view>

namespace leafglyph {

/// The code points of a UTF-8 text. Throws UsageError that names the byte at which the text stops
/// being UTF-8 (a stray or missing continuation byte, an overlong form, a surrogate, a value above
/// U+10FFFF).
std::u32string decode_utf8(std::string_view text);

/// A code point as UTF-8.
std::string encode_utf8(char32_t character);
std::string encode_utf8(std::u32string_view text);

/// "邯 (U+90AF)": a character as messages name it.
std::string describe_character(char32_t character);

}  // namespace leafglyph
