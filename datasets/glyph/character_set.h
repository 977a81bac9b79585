// Sets of characters by name.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace leafglyph {

/// Some characters, in the order of their code, each once.
struct CharacterSet {
  std::u32string characters;
  /// Whether the set is what a font has of these, as of a range of Unicode; characters that are
  /// named one by one are all meant.
  bool open = false;
};

/// What `name` stands for:
///   gb2312, big5, jis, ksx     the Chinese characters of GB 2312, Big 5, JIS X 0208, KS X 1001, in
///                              the order of their codes
///   common, general            the 3,500 common and all 8,105 characters of the Chinese list of
///                              characters for general use (2013)
///   U+3041..U+3096, U+2E80     a range of Unicode, or one character
///   hiragana                   a block of Unicode by its name; case, blanks and hyphens do not
///   count all                        every character there may be a path with / or .txt      the
///   characters of a UTF-8 file; blanks, and lines that begin with #,
///                              do not count
/// Throws UsageError for anything else, InputError when a file cannot be read or holds nothing.
CharacterSet character_set(std::string_view name);

/// Whether a name is that of a file.
bool names_a_file(std::string_view name);

/// Several sets, one after the other, each character once, without those of `leave_out`. Open when
/// all are. Throws UsageError for a character of `leave_out` that is in none of them.
CharacterSet character_sets(const std::vector<std::string>& names, std::u32string_view leave_out);

}  // namespace leafglyph
