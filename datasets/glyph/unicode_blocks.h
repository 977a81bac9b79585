// Blocks of Unicode by name, the embedded tables of Unicode, and how lines of them are read.
#pragma once

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace leafglyph {

struct UnicodeBlock {
  char32_t first;
  char32_t last;
  std::string name;
};

/// The block of that name, whose case, blanks, hyphens and underscores do not count.
std::optional<UnicodeBlock> unicode_block(std::string_view name);

/// The block that a character is in.
std::optional<UnicodeBlock> unicode_block_of(char32_t character);

/// Takes what stands before the next `end`, or all, off the front of a text.
inline std::string_view take_field(std::string_view& text, char end) {
  const std::size_t length = std::min(text.find(end), text.size());
  const std::string_view field = text.substr(0, length);
  text.remove_prefix(std::min(length + 1, text.size()));
  return field;
}

/// The number that the digits of a field are; 0 for none.
inline std::uint32_t number_of(std::string_view field, int base) {
  std::uint32_t number = 0;
  std::from_chars(field.data(), field.data() + field.size(), number, base);
  return number;
}

/// A line for each Chinese character of which Unihan knows a reading, a meaning or a variant, by
/// rising code, its fields divided by tabs: code in hexadecimal; readings such as "le5 liao3",
/// tone 5 being the neutral one; strokes; radical of KangXi; occurrences counted; place in the
/// Chinese list of 8,105 characters for general use, 0 for none; simplified, traditional and other
/// variants; meaning in English. Missing numbers are 0.
std::string_view unicode_characters();

/// From the Unicode character database, too, made at build time (make_unicode_tables.py): a line
/// for each block: first and last code in hexadecimal, name.
std::string_view unicode_block_names();

}  // namespace leafglyph
