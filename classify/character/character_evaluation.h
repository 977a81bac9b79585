// How well a recogniser names characters that are known.
#pragma once

#include <array>
#include <cstddef>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "classify/character/character_drawing.h"
#include "classify/character/character_pictures.h"
#include "classify/character/character_recogniser.h"
#include "classify/evaluation/evaluate.h"
#include "datasets/glyph/damage.h"

namespace leafglyph {

struct TestedCharacter {
  std::string name;   ///< the picture's file, or font and character
  std::string group;  ///< what it is counted with: a style or font, and the damage
  char32_t truth = 0;
  bool is_known = true;  ///< whether the model has it
  CharacterPrediction prediction = {};
  Drawing drawing = {};  ///< of what was identified wrongly; else empty

  /// The place of the truth in the ranking, from 0, if it or another of its shape is there.
  std::optional<std::size_t> place() const;
  bool is_right() const { return place() == 0U; }
};

/// What was tested, by one recogniser or by several.
struct TestedCharacters {
  std::vector<TestedCharacter> tests;
  std::vector<std::string> errors;  ///< a line for each picture that cannot be used
};

struct CharacterScore {
  std::size_t pictures = 0, right = 0, among_five = 0;
  std::array<WordScore, kWords> words;  ///< by Word
};
CharacterScore score_of(std::span<const TestedCharacter* const> tests);

/// Recognises pictures, batch by batch.
class CharacterTests {
 public:
  /// Each picture is tested as it is and with each of `damages`, of its drawing; seeds are their
  /// numbers. `advance` hears of each test. Adds to `tested`.
  CharacterTests(const CharacterRecogniser& recogniser, std::vector<Damage> damages,
                 std::function<void(std::size_t)> advance, TestedCharacters& tested);

  void add_pictures(std::span<const CharacterPicture> pictures);
  /// The characters that the font draws. Throws what drawings_of throws.
  void add_font(const FontOptions& font, std::u32string_view characters);

 private:
  using Ink = std::function<Image<float>(std::size_t)>;
  void add(std::vector<TestedCharacter> tests, const Ink& ink);

  const CharacterRecogniser& recogniser_;
  std::vector<Damage> damages_;
  std::function<void(std::size_t)> advance_;
  TestedCharacters& tested_;
};

}  // namespace leafglyph
