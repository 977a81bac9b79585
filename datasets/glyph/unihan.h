// Unihan's data about a Chinese character: readings, strokes, radical, frequency, variants,
// meaning.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace leafglyph {

struct CharacterFacts {
  std::vector<std::string> pinyin;  ///< "ji3", the most common first; tone 5 is the neutral one
  /// Those to teach, by frequency: readings of at least one of a hundred occurrences in the corpus
  /// of kHanyuPinlu that a dictionary lists; of a character that it lacks, kMandarin's.
  std::vector<std::string> usual;
  int strokes = 0;  ///< 0: unknown
  int radical = 0;  ///< KangXi radical, 1 to 214; 0: unknown
  /// Occurrences in a corpus of 1.8 million Chinese characters (kHanyuPinlu); 0: not counted.
  std::uint32_t frequency = 0;
  /// Position in the Chinese list of 8,105 characters for general use (kTGH), of which the first
  /// 3,500 are the common ones; 0: not in it.
  int general = 0;
  bool is_joyo = false;  ///< in the Japanese list of characters for common use (kJoyoKanji)
  /// One letter per part, at most five, in the order of writing (kCangjie); empty: unknown.
  std::string cangjie;
  std::string four_corner;  ///< one digit per corner (kFourCornerCode); empty: unknown
  /// The classes of characters that share a phonetic part (kPhonetic), of the character or its
  /// traditional forms: the number twice, and one more for the classes that Unihan marks with A.
  std::vector<int> phonetic;
  std::u32string simplified;
  std::u32string traditional;
  std::u32string variants;  ///< others: of the same meaning or of another shape
  std::string meaning;      ///< in English; may be empty
};

/// The last places of the common characters in the list for general use, and of those in general
/// use; the rest are for names and terms.
inline constexpr int kLastCommon = 3500;
inline constexpr int kLastGeneral = 6500;

/// "jǐ" from "ji3", "lǜ" from "lü4"; without tones "ji".
std::string marked_pinyin(std::string_view numbered);
std::string toneless_pinyin(std::string_view numbered);

/// The tables built into the program, parsed once. Immutable; objects are free to make.
class Unihan {
 public:
  /// Empty for a character about which nothing is known.
  std::optional<CharacterFacts> facts(char32_t character) const;

  /// The characters of `among` with a reading such as "ji3", "jǐ" or, in any tone, "ji"; more
  /// frequent ones first. ü may be written v or u:.
  std::u32string with_pinyin(std::string_view pinyin, std::u32string_view among) const;

  /// The first `last` characters for general use, in the list's order.
  std::u32string general(int last) const;
};

}  // namespace leafglyph
