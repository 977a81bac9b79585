// What is known of a character beside its drawing: parts, strokes and how common it is.
#pragma once

#include <array>
#include <cstdint>
#include <string>

#include "datasets/glyph/unihan.h"
#include "features/base/names.h"

namespace leafglyph {

/// Traits in a form that is compared quickly. A character of which Unihan knows nothing, such as a
/// letter, has no parts and counts as common; of kana the strokes are known.
struct CharacterTraits {
  /// The Cangjie code as numbers, A: 1, filled with 0, and the places of each letter in it: bit p
  /// of places[letter] is set if letter p of the code is that one.
  std::array<std::uint8_t, 5> cangjie{};
  std::array<std::uint8_t, 27> places{};
  int letters = 0;
  std::array<char, 4> corners{};  ///< four-corner code; 0: unknown
  std::array<int, 8> phonetic{};  ///< classes with a phonetic part, filled with 0
  int strokes = 0;                ///< 0: unknown
  int radical = 0;                ///< 0: unknown
  double frequency = 0.0;         ///< log(1 + occurrences)
  bool is_common =
      true;  ///< one of the 3,500 common ones of the list for general use, or of the jōyō kanji
  bool is_general = true;  ///< one of the first 6,500 of that list, or of the jōyō kanji
};

/// A traditional character is as common as the most common of its simplified forms.
CharacterTraits traits_of(char32_t character, const Unihan& unihan);

/// The bytes of all traits: equal exactly for equal traits.
std::string bytes_of(const CharacterTraits& traits);

/// The length of the longest sequence of letters that both Cangjie codes contain in this order, not
/// necessarily side by side.
int shared_letters(const CharacterTraits& a, const CharacterTraits& b);

/// Whether both are in one class of characters with the same phonetic part.
bool share_phonetic(const CharacterTraits& a, const CharacterTraits& b);

/// How the shapes of two characters are related, as far as their codes show it: parts are runs of
/// letters of Cangjie codes, or phonetic parts.
enum class PairKind {
  kPart,     ///< one is a part of the other: 间闻, 丰蜂
  kPlace,    ///< a part at the beginning of one is at the end of the other
  kShared,   ///< a part in the same place
  kStrokes,  ///< other strokes only
};
template <>
inline constexpr Names<PairKind, 4> kNamesOf<PairKind> = {"kind",
                                                          {{{PairKind::kPart, "part"},
                                                            {PairKind::kPlace, "place"},
                                                            {PairKind::kShared, "shared"},
                                                            {PairKind::kStrokes, "strokes"}}}};
PairKind kind_of(const CharacterTraits& a, const CharacterTraits& b);

}  // namespace leafglyph
