// Forms (multipart/form-data), read strictly and in linear time, and pieces of the texts of HTTP.
#pragma once

#include <algorithm>
#include <cctype>
#include <string>
#include <string_view>
#include <vector>

#include "classify/serve/http_message.h"

namespace leafglyph {

/// Whether a Content-Type is that of a form.
bool is_form(std::string_view content_type);

/// The boundary that the Content-Type of a form names; empty where it names none that RFC 2046
/// allows.
std::string_view form_boundary(std::string_view content_type);

/// The parts of a form, in its order; they refer to `body`. Throws UsageError when the body is not
/// a form with that boundary to its end, for a part without a name, one whose head has more than
/// kMaxFormHeadBytes, and for more than kMaxFormParts parts.
std::vector<HttpPart> form_parts(std::string_view body, std::string_view boundary);

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
