#include "features/base/utf8.h"

#include <algorithm>
#include <cstdio>

#include "features/base/errors.h"

namespace leafglyph {
namespace {

[[noreturn]] void reject(std::string_view text, std::size_t position) {
  char message[96];
  std::snprintf(message, sizeof message,
                "the text is not UTF-8: byte 0x%02X at offset %zu; give it as UTF-8",
                static_cast<unsigned>(static_cast<unsigned char>(text[position])), position);
  throw UsageError(message);
}

// Length of the sequence that a lead byte opens; 0 when it cannot open one.
int sequence_length(unsigned char lead) {
  if (lead < 0x80) return 1;
  if (lead >= 0xC2 && lead <= 0xDF) return 2;
  if (lead >= 0xE0 && lead <= 0xEF) return 3;
  if (lead >= 0xF0 && lead <= 0xF4) return 4;
  return 0;
}

bool is_valid(char32_t value, int length) {
  if (length == 3) return value >= 0x800 && (value < 0xD800 || value > 0xDFFF);
  if (length == 4) return value >= 0x10000 && value <= 0x10FFFF;
  return true;
}

// One character, or one byte of what is not UTF-8.
bool moves_cursor(std::string_view character) {
  const auto first = static_cast<unsigned char>(character.front());
  if (character.size() == 1) return first < 0x20U || first >= 0x7fU;
  const bool is_c1 = first == 0xc2U && static_cast<unsigned char>(character[1]) < 0xa0U;
  return is_c1 || character == "\u2028" || character == "\u2029";
}

}  // namespace

std::size_t utf8_length(std::string_view text) {
  const auto byte = [&](std::size_t i) {
    return i < text.size() ? static_cast<unsigned char>(text[i]) : 0U;
  };
  const auto tail = [&](std::size_t i) { return (byte(i) & 0xC0U) == 0x80U; };
  const unsigned first = byte(0);
  if (first < 0x80U) return 1;
  if (first >= 0xC2U && first <= 0xDFU) return tail(1) ? 2 : 0;
  if (first >= 0xE0U && first <= 0xEFU) {
    const unsigned low = first == 0xE0U ? 0xA0U : 0x80U;
    const unsigned high = first == 0xEDU ? 0x9FU : 0xBFU;
    return byte(1) >= low && byte(1) <= high && tail(2) ? 3 : 0;
  }
  if (first >= 0xF0U && first <= 0xF4U) {
    const unsigned low = first == 0xF0U ? 0x90U : 0x80U;
    const unsigned high = first == 0xF4U ? 0x8FU : 0xBFU;
    return byte(1) >= low && byte(1) <= high && tail(2) && tail(3) ? 4 : 0;
  }
  return 0;
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
  std::u32string decoded;
  for (std::size_t position = 0; position < text.size();) {
    const auto lead = static_cast<unsigned char>(text[position]);
    const int length = sequence_length(lead);
    if (length == 0) reject(text, position);
    char32_t value = length == 1 ? lead : lead & (0xFFU >> (length + 1));
    for (int i = 1; i < length; ++i) {
      const std::size_t next = position + static_cast<std::size_t>(i);
      if (next >= text.size()) reject(text, position);
      const auto byte = static_cast<unsigned char>(text[next]);
      if ((byte & 0xC0) != 0x80) reject(text, next);
      value = (value << 6) | (byte & 0x3FU);
    }
    if (!is_valid(value, length)) reject(text, position);
    decoded.push_back(value);
    position += static_cast<std::size_t>(length);
  }
  return decoded;
}

std::string encode_utf8(char32_t character) {
  const auto tail = [character](int shift) {
    return static_cast<char>(0x80 | ((character >> shift) & 0x3F));
  };
  if (character < 0x80) return {static_cast<char>(character)};
  if (character < 0x800) return {static_cast<char>(0xC0 | (character >> 6)), tail(0)};
  if (character < 0x10000) return {static_cast<char>(0xE0 | (character >> 12)), tail(6), tail(0)};
  return {static_cast<char>(0xF0 | (character >> 18)), tail(12), tail(6), tail(0)};
}

std::string encode_utf8(std::u32string_view text) {
  std::string encoded;
  for (const char32_t character : text) encoded += encode_utf8(character);
  return encoded;
}

std::string describe_character(char32_t character) {
  char code[16];
  std::snprintf(code, sizeof code, "U+%04X", static_cast<unsigned>(character));
  const bool printable = character >= 0x20 && character != 0x7F;
  return printable ? encode_utf8(character) + " (" + code + ")" : code;
}

}  // namespace leafglyph
