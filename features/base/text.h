// Text: UTF-8 and other bytes, numbers whatever the locale, the order of numbered names.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace leafglyph {

/// The code points of a UTF-8 text. Throws UsageError that names the first byte of the first
/// sequence that is not UTF-8 (a stray or missing continuation byte, an overlong form, a surrogate,
/// a value above U+10FFFF).
std::u32string decode_utf8(std::string_view text);

/// Length of the well-formed UTF-8 sequence at the start of `text`, 0 where there is none (RFC
/// 3629: no overlong forms, no surrogates, nothing above U+10FFFF).
std::size_t utf8_length(std::string_view text);

/// The number of characters of a text; a byte that is not UTF-8 counts as one.
std::size_t count_characters(std::string_view text);

/// The text as one line that moves no cursor: control characters (C0, DEL, C1), line and paragraph
/// separators, and bytes that are not UTF-8 as \n, \t or \xNN by byte.
std::string printable(std::string_view text);

/// "1 leaf", "2 leaves".
std::string counted(std::size_t count, std::string_view one, std::string_view many);

/// Code points as UTF-8; they must be encodable (no surrogates, at most U+10FFFF).
std::string encode_utf8(char32_t character);
std::string encode_utf8(std::u32string_view text);

/// "邯 (U+90AF)": a character in messages.
std::string describe_character(char32_t character);

/// The text with each byte that is not UTF-8 as \xNN, in lower case. Valid UTF-8 stays unchanged,
/// except that a backslash that could be the start of such an escape becomes \x5c.
std::string escape_bytes(std::string_view text);

/// The inverse of escape_bytes.
std::string unescape_bytes(std::string_view text);

/// The shortest text that reads back as the same number; "nan" and "inf" for values that are not
/// finite.
std::string number_text(double value);

/// Whether `a` comes before `b`, slice_9 before slice_10: runs of digits compare by value, then the
/// texts by length, then byte by byte.
bool in_natural_order(std::string_view a, std::string_view b);

/// A share in per cent with two decimals, "97.25" for 0.97253.
std::string percent(double share);

/// A share, or a number of similar size, with six decimals, for tables that programs read.
std::string share_text(double share);

/// Seconds, with milliseconds: "0.125".
std::string seconds_text(double seconds);

}  // namespace leafglyph
