// Characters as people write them: directly or as codes.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace leafglyph {

/// Whether a character is among the candidates.
using HasCharacter = std::function<bool(char32_t)>;

/// The character that a code names. U+5DF1, 0x5DF1 or 5DF1, with four to six hexadecimal digits in
/// either case, is a Unicode code point; GB2312 3C3A, GB 3C3A or GB BCBA is a seven- or eight-bit
/// code of GB 2312. Many bare codes are both. They count as Unicode, as is usual, and as GB 2312
/// only if `has` refuses the Unicode character and knows the other. Surrounding blanks and
/// full-width letters are accepted. Empty for text that is not a code, and for the code of no
/// character.
std::optional<char32_t> character_from_code(std::string_view text, const HasCharacter& has = {});

/// "U+5DF1".
std::string unicode_name(char32_t character);

/// The characters of a text: the one whose code it is, or the text itself without blanks. Throws
/// UsageError when it is not UTF-8.
std::u32string characters_from(std::string_view text, const HasCharacter& has = {});

/// The characters that are meant by those of a text: a compatibility ideograph, radical, stroke or
/// half-width katakana stands for another one (unified) unless `has` knows it, and variation
/// selectors are left out. `notes` has a line for each that is not as given, for the user.
struct MeantCharacters {
  std::u32string characters;
  std::vector<std::string> notes;
};
MeantCharacters meant_characters(std::u32string_view given, const HasCharacter& has);

/// Whether a character is Chinese: in one of the CJK ideograph blocks, including compatibility
/// ones.
bool is_hanzi(char32_t character);

}  // namespace leafglyph
