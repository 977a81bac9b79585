// Forms (multipart/form-data), parsed strictly and in linear time, and helpers for HTTP text.
#pragma once

#include <algorithm>
#include <cctype>
#include <string>
#include <string_view>
#include <vector>

#include "classify/http/http_message.h"

namespace leafglyph {

/// Whether a Content-Type is that of a form.
bool is_form(std::string_view content_type);

/// The boundary in the Content-Type of a form; empty if there is none that RFC 2046 allows.
std::string_view form_boundary(std::string_view content_type);

/// The parts of a form, in order; they refer to `body`. Throws UsageError when the body is not a
/// complete form with that boundary, when a part has no name or a head of more than
/// kMaxFormHeadBytes, and when there are more than kMaxFormParts parts.
std::vector<HttpPart> form_parts(std::string_view body, std::string_view boundary);

/// The text with ASCII letters in lower case.
inline std::string lower_case(std::string_view text) {
  std::string result(text);
  std::ranges::transform(result, result.begin(), [](unsigned char letter) {
    return static_cast<char>(letter < 0x80 ? std::tolower(letter) : letter);
  });
  return result;
}

/// The text without blanks and tabs at either end.
inline std::string_view trimmed(std::string_view text) {
  const std::size_t first = text.find_first_not_of(" \t");
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(" \t") - first + 1);
}

/// Whether the text is an HTTP token: at least one letter, digit or one of some punctuation marks.
inline bool is_token(std::string_view text) {
  constexpr std::string_view kToken =
      "!#$%&'*+-.^_`|~0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
  return !text.empty() && text.find_first_not_of(kToken) == std::string_view::npos;
}

}  // namespace leafglyph
