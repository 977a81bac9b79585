// Pieces of the texts of HTTP.
#pragma once

#include <algorithm>
#include <cctype>
#include <string>
#include <string_view>

namespace leafglyph {

/// With ASCII letters made small.
inline std::string lower_case(std::string_view text) {
  std::string result(text);
  std::ranges::transform(result, result.begin(), [](unsigned char letter) {
    return static_cast<char>(letter < 0x80 ? std::tolower(letter) : letter);
  });
  return result;
}

/// Without blanks and tabs at the ends.
inline std::string_view trimmed(std::string_view text) {
  const std::size_t first = text.find_first_not_of(" \t");
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(" \t") - first + 1);
}

/// Whether the text is a name: letters, digits and some signs, at least one.
inline bool is_token(std::string_view text) {
  constexpr std::string_view kToken =
      "!#$%&'*+-.^_`|~0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
  return !text.empty() && text.find_first_not_of(kToken) == std::string_view::npos;
}

}  // namespace leafglyph
