#include "features/base/utf8.h"

#include <utf8.h>

#include <algorithm>
#include <cstdio>

#include "features/base/errors.h"

namespace leafglyph {
namespace {

// One character, or one byte of what is not UTF-8.
bool moves_cursor(std::string_view character) {
  const auto first = static_cast<unsigned char>(character.front());
  if (character.size() == 1) return first < 0x20U || first >= 0x7fU;
  const bool is_c1 = first == 0xc2U && static_cast<unsigned char>(character[1]) < 0xa0U;
  return is_c1 || character == "\u2028" || character == "\u2029";
}

}  // namespace

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

}  // namespace leafglyph
