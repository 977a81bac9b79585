// Blocks of Unicode by name, the embedded Unicode tables, and how to read their lines.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "features/base/numbers.h"

namespace leafglyph {

struct UnicodeBlock {
  char32_t first;
  char32_t last;
  std::string name;
};

/// The block of that name; case, blanks, hyphens and underscores are ignored.
std::optional<UnicodeBlock> unicode_block(std::string_view name);

/// The block that a character is in.
std::optional<UnicodeBlock> unicode_block_of(char32_t character);

/// Removes the text up to the next `end`, or all of it, from the front and returns it.
inline std::string_view take_field(std::string_view& text, char end) {
  const std::size_t length = std::min(text.find(end), text.size());
  const std::string_view field = text.substr(0, length);
  text.remove_prefix(std::min(length + 1, text.size()));
  return field;
}

/// The number at the beginning of a field; 0 if there is none.
inline std::uint32_t number_of(std::string_view field, int base) {
  return take_number<std::uint32_t>(field, base).value_or(0);
}

/// One line for each Chinese character for which Unihan has a reading, a meaning or a variant, by
/// increasing code point, with fields separated by tabs: code point in hexadecimal; readings such
/// as "le5 liao3", with tone 5 for the neutral one; strokes; KangXi radical; occurrences counted;
/// position in the Chinese list of 8,105 characters for general use, 0 if not in it; 1 if in the
/// Japanese list of characters for common use, otherwise 0; Cangjie code;
/// four-corner code; phonetic classes such as "405 1123A"; simplified, traditional and other
/// variants; meaning in English. Missing numbers are 0.
std::string_view unicode_characters();

/// One line for each character that Unicode has for another one that looks the same, by increasing
/// code point: both code points in hexadecimal. They are compatibility ideographs, radicals,
/// strokes and half-width katakana.
std::string_view unicode_equivalents();

/// The character that is meant: what a compatibility ideograph, radical, stroke or half-width
/// katakana stands for, otherwise the character itself.
char32_t unified(char32_t character);

/// Whether a character chooses between drawings of the one before it, and is not drawn itself.
bool is_variation_selector(char32_t character);

/// Also from the Unicode character database, made at build time (make_unicode_tables.py): one line
/// per block with first and last code point in hexadecimal, and name.
std::string_view unicode_block_names();

}  // namespace leafglyph
