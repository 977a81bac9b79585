// The fields of the lines of unicode_tables.h.
#pragma once

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <string_view>

namespace leafglyph {

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

}  // namespace leafglyph
