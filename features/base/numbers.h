// Numbers in text, whatever the locale: digits with an optional '-', no '+', no blanks, no 0x.
#pragma once

#include <charconv>
#include <concepts>
#include <optional>
#include <string_view>
#include <system_error>

namespace leafglyph {

/// The longest number at the beginning of `text`, which is removed from it; nullopt, and the text
/// as it was, if there is none or it does not fit into T. Whole numbers have digits of `base`;
/// floating-point numbers are decimal, and may be inf or nan.
template <class T>
std::optional<T> take_number(std::string_view& text, int base = 10) {
  T number{};
  const char* last = text.data() + text.size();
  std::from_chars_result read{};
  if constexpr (std::floating_point<T>) {
    read = std::from_chars(text.data(), last, number);
  } else {
    read = std::from_chars(text.data(), last, number, base);
  }
  if (read.ec != std::errc()) return std::nullopt;
  text = {read.ptr, last};
  return number;
}

/// The number that the text is; nullopt if it is not one, does not fit into T or goes on after it.
template <class T>
std::optional<T> number_in(std::string_view text, int base = 10) {
  const std::optional<T> number = take_number<T>(text, base);
  return text.empty() ? number : std::nullopt;
}

}  // namespace leafglyph
