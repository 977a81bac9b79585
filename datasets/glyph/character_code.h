// Characters as people write them: themselves, or their codes.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>

namespace leafglyph {

/// Whether a character is among those in question.
using HasCharacter = std::function<bool(char32_t)>;

/// The character that a code names: U+5DF1, 0x5DF1 or 5DF1, of four to six hexadecimal digits in
/// either case, is Unicode's; GB2312 3C3A, GB 3C3A or GB BCBA is GB 2312's in seven or eight bits.
/// Many bare codes are both: one is Unicode's, as everybody writes it, and GB 2312's only where
/// `has` refuses that one and knows the other. Blanks around it and full-width letters count as
/// usual. Empty for what is not a code, or the code of nothing.
std::optional<char32_t> character_from_code(std::string_view text, const HasCharacter& has = {});

/// The characters of a text: the one that it is the code of, or itself without blanks. Throws
/// UsageError when it is not UTF-8.
std::u32string characters_from(std::string_view text, const HasCharacter& has = {});

/// Whether a character is Chinese: one of the blocks of CJK ideographs, compatibility ones too.
bool is_hanzi(char32_t character);

}  // namespace leafglyph
