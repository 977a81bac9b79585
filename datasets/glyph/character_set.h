// Sets of characters by name.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace leafglyph {

/// Characters in the order of their codes, each once.
struct CharacterSet {
  std::u32string characters;
  /// Whether the set stands for those of its characters that a font has, as a range of Unicode
  /// does. Characters named one by one are all required.
  bool open = false;
};

/// The names of sets, for messages.
inline constexpr char kCharacterSetNames[] =
    "gb2312, common, general, hsk, hsk1 to hsk9, big5, jis, ksx, all, a range such as "
    "U+3041..U+3096, a block of Unicode such as hiragana, or a file's path";

/// The set that `name` stands for:
///   gb2312, big5, jis, ksx     the Chinese characters of GB 2312, Big 5, JIS X 0208, KS X 1001, in
///                              the order of their codes
///   common, general            the 3,500 common and all 8,105 characters of the Chinese list of
///                              characters for general use (2013)
///   hsk, hsk1 to hsk9          the 3,000 characters of the Chinese proficiency standards GF
///                              0025-2021 (HSK), those of the levels up to 1 to 9: 300 per level up
///                              to the sixth; 7, 8 and 9 share one list
///   U+3041..U+3096, U+2E80     a range of Unicode, or one character
///   hiragana                   a block of Unicode by its name; case, blanks and hyphens are
///                              ignored
///   all                        every possible character
///   a path of a file           its characters, in any encoding of foreign_text; blanks and lines
///                              that begin with # are ignored. Of a table, .csv or .tsv, those of
///                              one column: FILE#COLUMN, or the one called character, char, hanzi,
///                              kanji or the like, or the only one
/// Throws UsageError for anything else, InputError when a file cannot be read or contains no
/// character.
CharacterSet character_set(std::string_view name);

/// The level of the Chinese proficiency standards at which a character is learned: 1 to 6, or 7 for
/// the last three, which share one list; 0 if it is in none.
int hsk_level(char32_t character);

/// The name of a set that contains the character: one of the first line above, otherwise its block
/// of Unicode. Empty if there is neither.
std::string set_with(char32_t character);

/// The file that the name stands for, without its column; empty if it is not that of a file.
std::string file_of_set(std::string_view name);

/// The union of several sets in the given order, each character once, without those of `leave_out`.
/// Open if all sets are. Throws UsageError for a character of `leave_out` that is in none of them.
CharacterSet character_sets(const std::vector<std::string>& names, std::u32string_view leave_out);

}  // namespace leafglyph
