#include "features/base/byte_escapes.h"

#include <charconv>
#include <cstddef>
#include <optional>

#include "features/base/utf8.h"

namespace leafglyph {
namespace {

constexpr std::string_view kStart = "\\x";
constexpr std::size_t kEscapeLength = 4;

// The byte of the escape at the start of `text`; none where there is none.
std::optional<char> escaped_byte(std::string_view text) {
  if (text.size() < kEscapeLength || !text.starts_with(kStart)) return std::nullopt;
  const std::string_view digits = text.substr(kStart.size(), 2);
  unsigned value = 0;
  const auto [end, error] =
      std::from_chars(digits.data(), digits.data() + digits.size(), value, /*base=*/16);
  if (error != std::errc() || end != digits.data() + digits.size()) return std::nullopt;
  return static_cast<char>(value);
}

std::string escape_of(char byte) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  const auto value = static_cast<unsigned char>(byte);
  return std::string(kStart) + kDigits[value >> 4] + kDigits[value & 15];
}

}  // namespace

std::string escape_bytes(std::string_view text) {
  std::string escaped;
  escaped.reserve(text.size());
  while (!text.empty()) {
    const std::size_t length = utf8_length(text);
    if (length == 0 || escaped_byte(text)) {
      escaped += escape_of(text.front());
    } else {
      escaped += text.substr(0, length);
    }
    text.remove_prefix(length == 0 ? 1 : length);
  }
  return escaped;
}

std::string unescape_bytes(std::string_view text) {
  std::string bytes;
  bytes.reserve(text.size());
  while (!text.empty()) {
    const std::optional<char> byte = escaped_byte(text);
    bytes += byte ? *byte : text.front();
    text.remove_prefix(byte ? kEscapeLength : 1);
  }
  return bytes;
}

}  // namespace leafglyph
