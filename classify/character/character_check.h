// Problems in a set of labelled pictures of characters.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "classify/character/character_evaluation.h"
#include "classify/character/character_spec.h"
#include "features/base/names.h"

namespace leafglyph {

enum class CharacterLook {
  kMisfiled,        ///< recognisers without it name another character, likely or sure, or do not
                    ///< have its own among their first five
  kOtherCharacter,  ///< the same file is also in another character
  kTwice,           ///< the same file was listed before in the character
  kUnlike,          ///< recognisers without it call it unknown
  kUnreadable,      ///< it is not a picture, or nothing is in it
};
template <>
inline constexpr Names<CharacterLook, 5> kNamesOf<CharacterLook> = {
    "thing to look at",
    {{{CharacterLook::kMisfiled, "in the wrong folder?"},
      {CharacterLook::kOtherCharacter, "in two characters"},
      {CharacterLook::kTwice, "there twice"},
      {CharacterLook::kUnlike, "unlike all characters"},
      {CharacterLook::kUnreadable, "cannot be read"}}}};

struct CharacterLookAt {
  CharacterLook look = CharacterLook::kMisfiled;
  std::string text;                      ///< a line with the picture's file
  std::optional<std::size_t> test = {};  ///< its number among the tests
};

struct CharacterCheck {
  /// Whether styles were left out in turn, up to ten parts of them; if there is one style, fifths
  /// of its pictures were.
  bool by_styles = true;
  TestedCharacters tested;            ///< by recognisers that were trained without them
  std::size_t untested = 0;           ///< pictures whose character these did not have
  std::vector<CharacterLookAt> look;  ///< ordered by CharacterLook, then the surest first
};

/// How often `advance` of check_characters is called, about.
std::size_t steps_to_check(const CharacterSpec& spec, std::span<const CharacterPicture> pictures);

/// Trains recognisers (train_characters) on parts of the pictures, beside the fonts of the spec,
/// and tests the others. `advance` hears of each training's rows and of each test. Throws what
/// train_characters throws.
CharacterCheck check_characters(const CharacterSpec& spec,
                                std::span<const CharacterPicture> pictures,
                                const std::function<void(std::size_t)>& advance = {});

}  // namespace leafglyph
