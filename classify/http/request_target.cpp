#include "classify/http/request_target.h"

#include <algorithm>

#include "features/base/numbers.h"

namespace leafglyph {
namespace {

std::string decoded(std::string_view text) {
  constexpr std::size_t kDigits = 2;
  std::string result;
  while (!text.empty()) {
    const std::string_view digits = text.substr(1, kDigits);
    const auto byte = text[0] == '%' && digits.size() == kDigits
                          ? number_in<unsigned char>(digits, /*base=*/16)
                          : std::nullopt;
    result += byte ? static_cast<char>(*byte) : text[0];
    text.remove_prefix(byte ? 1 + kDigits : 1);
  }
  return result;
}

std::string decoded_field(std::string_view text) {
  std::string spaced(text);
  std::ranges::replace(spaced, '+', ' ');
  return decoded(spaced);
}

// The text up to the letter, which is removed from `rest` with it.
std::string_view take_until(char letter, std::string_view& rest) {
  const std::string_view part = rest.substr(0, rest.find(letter));
  rest.remove_prefix(std::min(rest.size(), part.size() + 1));
  return part;
}

}  // namespace

RequestTarget decoded_target(std::string_view target) {
  std::string_view rest = target.substr(0, target.find('#'));
  RequestTarget result{decoded(take_until('?', rest)), {}};
  while (!rest.empty()) {
    std::string_view value = take_until('&', rest);
    const std::string_view name = take_until('=', value);
    if (!name.empty()) result.query.emplace(decoded_field(name), decoded_field(value));
  }
  return result;
}

}  // namespace leafglyph
