#include "datasets/glyph/character_code.h"

#include <algorithm>
#include <array>
#include <cstdio>

#include "datasets/glyph/gb2312.h"
#include "datasets/glyph/unicode_blocks.h"
#include "features/base/numbers.h"
#include "features/base/text.h"

namespace leafglyph {
namespace {

constexpr char32_t kIdeographicSpace = 0x3000;

bool is_blank(char32_t c) { return c <= U' ' || c == 0xA0 || c == kIdeographicSpace; }

// The text with full-width letters and digits as ASCII, in upper case, without surrounding blanks;
// empty if it contains anything else.
std::string plain(std::u32string_view text) {
  while (!text.empty() && is_blank(text.front())) text.remove_prefix(1);
  while (!text.empty() && is_blank(text.back())) text.remove_suffix(1);
  std::string result;
  for (char32_t c : text) {
    if (c >= 0xFF01 && c <= 0xFF5E) c -= 0xFF01 - U'!';
    if (is_blank(c)) c = U' ';
    if (c > U'~') return "";
    result.push_back(static_cast<char>(c >= U'a' && c <= U'z' ? c - U'a' + U'A' : c));
  }
  return result;
}

bool take(std::string_view& text, std::string_view prefix) {
  if (!text.starts_with(prefix)) return false;
  text.remove_prefix(prefix.size());
  while (text.starts_with(' ')) text.remove_prefix(1);
  return true;
}

// Seven-bit (3C3A) or eight-bit (BCBA) codes; both bytes of a code are of the same kind.
std::optional<char32_t> gb_character(std::uint32_t number) {
  const std::uint32_t high = number & 0x8080U;
  if (number > 0xFFFF || (high != 0 && high != 0x8080U)) return std::nullopt;
  return Gb2312().character(static_cast<std::uint16_t>(number & 0x7F7FU));
}

}  // namespace

std::optional<char32_t> character_from_code(std::string_view text, const HasCharacter& has) {
  const std::string code = plain(decode_utf8(text));
  std::string_view digits = code;
  const bool unicode = take(digits, "U+");
  const bool gb = !unicode && take(digits, "GB");
  if (gb) take(digits, "2312");
  if (!unicode) take(digits, "0X");
  const auto read = number_in<std::uint32_t>(digits, /*base=*/16);
  if (!read || digits.size() < 4 || digits.size() > 6) return std::nullopt;
  const std::uint32_t number = *read;
  if (gb) return gb_character(number);
  const bool exists = number <= 0x10FFFF && (number < 0xD800 || number > 0xDFFF) && number >= U' ';
  if (exists && (unicode || !has || has(number))) return number;
  const auto other = unicode ? std::nullopt : gb_character(number);
  if (other && has && has(*other)) return other;
  return exists ? std::optional<char32_t>(number) : std::nullopt;
}

std::string unicode_name(char32_t character) {
  std::array<char, 16> text{};
  std::snprintf(text.data(), text.size(), "U+%04X", static_cast<unsigned>(character));
  return text.data();
}

std::u32string characters_from(std::string_view text, const HasCharacter& has) {
  if (const auto character = character_from_code(text, has)) return {*character};
  std::u32string characters = decode_utf8(text);
  std::erase_if(characters, is_blank);
  return characters;
}

MeantCharacters meant_characters(std::u32string_view given, const HasCharacter& has) {
  MeantCharacters meant;
  for (const char32_t character : given) {
    if (is_variation_selector(character)) {
      meant.notes.push_back(
          "the variation selector " + unicode_name(character) +
          (meant.characters.empty()
               ? " stands alone"
               : " is left out: " + describe_character(meant.characters.back()) + " is taken"));
      continue;
    }
    const char32_t other = has(character) ? character : unified(character);
    if (other != character) {
      meant.notes.push_back(describe_character(character) + " is taken for " +
                            describe_character(other));
    }
    meant.characters.push_back(other);
  }
  return meant;
}

bool is_hanzi(char32_t c) {
  return (c >= 0x3400 && c <= 0x4DBF) || (c >= 0x4E00 && c <= 0x9FFF) || c == 0x3007 ||
         (c >= 0xF900 && c <= 0xFAFF) || (c >= 0x20000 && c <= 0x3FFFF);
}

}  // namespace leafglyph
