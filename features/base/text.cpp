#include "features/base/text.h"

#include <utf8.h>

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cstddef>
#include <cstdio>
#include <optional>

#include "features/base/errors.h"
#include "features/base/numbers.h"

namespace leafglyph {
namespace {

// `character` is one character, or one byte that is not UTF-8.
bool moves_cursor(std::string_view character) {
  const auto first = static_cast<unsigned char>(character.front());
  if (character.size() == 1) return first < 0x20U || first >= 0x7fU;
  const bool is_c1 = first == 0xc2U && static_cast<unsigned char>(character[1]) < 0xa0U;
  return is_c1 || character == "\u2028" || character == "\u2029";
}

}  // namespace

std::string counted(std::size_t count, std::string_view one, std::string_view many) {
  return std::to_string(count).append(" ").append(count == 1 ? one : many);
}

std::size_t utf8_length(std::string_view text) {
  const char* end = text.data();
  try {
    utf8::next(end, text.data() + text.size());
  } catch (const utf8::exception&) {
    return 0;
  }
  return static_cast<std::size_t>(end - text.data());
}

std::size_t count_characters(std::string_view text) {
  std::size_t count = 0;
  for (; !text.empty(); ++count) text.remove_prefix(std::max<std::size_t>(1, utf8_length(text)));
  return count;
}

std::string printable(std::string_view text) {
  std::string line;
  while (!text.empty()) {
    const std::size_t length = std::max<std::size_t>(1, utf8_length(text));
    const std::string_view character = text.substr(0, length);
    text.remove_prefix(length);
    if (character == "\n") {
      line += "\\n";
    } else if (character == "\t") {
      line += "\\t";
    } else if (moves_cursor(character)) {
      for (const char byte : character) {
        char escaped[8];
        std::snprintf(escaped, sizeof escaped, "\\x%02x", static_cast<unsigned char>(byte));
        line += escaped;
      }
    } else {
      line += character;
    }
  }
  return line;
}

std::u32string decode_utf8(std::string_view text) {
  const std::size_t position = utf8::find_invalid(text);
  if (position != std::string_view::npos) {
    char message[96];
    std::snprintf(message, sizeof message,
                  "the text is not UTF-8: byte 0x%02X at offset %zu; give it as UTF-8",
                  static_cast<unsigned>(static_cast<unsigned char>(text[position])), position);
    throw UsageError(message);
  }
  return utf8::utf8to32(text);
}

std::string encode_utf8(char32_t character) {
  return encode_utf8(std::u32string_view(&character, 1));
}

std::string encode_utf8(std::u32string_view text) { return utf8::utf32to8(text); }

std::string describe_character(char32_t character) {
  char code[16];
  std::snprintf(code, sizeof code, "U+%04X", static_cast<unsigned>(character));
  const bool printable = character >= 0x20 && character != 0x7F;
  return printable ? encode_utf8(character) + " (" + code + ")" : code;
}

namespace {

constexpr std::string_view kStart = "\\x";
constexpr std::size_t kEscapeLength = 4;

// The byte of the escape at the start of `text`; nullopt if there is no escape.
std::optional<char> escaped_byte(std::string_view text) {
  if (text.size() < kEscapeLength || !text.starts_with(kStart)) return std::nullopt;
  const std::string_view digits = text.substr(kStart.size(), 2);
  const auto value = number_in<unsigned char>(digits, /*base=*/16);
  return value ? std::optional(static_cast<char>(*value)) : std::nullopt;
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

std::string number_text(double value) {
  char text[32];  // at most 24: sign, 17 digits, point, exponent of three digits
  return {text, std::to_chars(text, text + sizeof text, value).ptr};
}

namespace {

std::string with_decimals(double value, int decimals) {
  char text[400];  // at most 309 digits before the point
  return {text,
          std::to_chars(text, text + sizeof text, value, std::chars_format::fixed, decimals).ptr};
}

bool is_digit(char c) { return std::isdigit(static_cast<unsigned char>(c)) != 0; }

// The number at `at`, without leading zeros. Moves `at` behind it.
std::string_view number_at(std::string_view text, std::size_t& at) {
  while (at + 1 < text.size() && text[at] == '0' && is_digit(text[at + 1])) ++at;
  const std::size_t start = at;
  while (at < text.size() && is_digit(text[at])) ++at;
  return text.substr(start, at - start);
}

}  // namespace

// strverscmp would read numbers with leading zeros as decimals: slice_010 before slice_09, slice_02
// before slice_1.
bool in_natural_order(std::string_view a, std::string_view b) {
  std::size_t i = 0;
  std::size_t j = 0;
  while (i < a.size() && j < b.size()) {
    if (!is_digit(a[i]) || !is_digit(b[j])) {
      if (a[i] != b[j]) return a[i] < b[j];
      ++i;
      ++j;
      continue;
    }
    const std::string_view x = number_at(a, i);
    const std::string_view y = number_at(b, j);
    if (x.size() != y.size()) return x.size() < y.size();
    if (x != y) return x < y;
  }
  return a.size() - i != b.size() - j ? a.size() - i < b.size() - j : a < b;
}

std::string percent(double share) { return with_decimals(100.0 * share, 2); }

std::string share_text(double share) { return with_decimals(share, 6); }

std::string seconds_text(double seconds) { return with_decimals(seconds, 3); }

}  // namespace leafglyph
