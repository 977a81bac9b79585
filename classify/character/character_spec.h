// What a recogniser of characters is trained on, and how.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "classify/character/character_fit.h"
#include "datasets/glyph/glyph_source.h"
#include "features/glyph/direction_moments.h"

namespace leafglyph {

class Config;

/// A font to train on. Fonts of one style are judged together (StyleRows).
struct TrainingFont {
  FontOptions font;
  std::string style;
  friend bool operator==(const TrainingFont&, const TrainingFont&) = default;
};
void declare(Keys& keys, TrainingFont& font);

struct CharacterSpec {
  std::vector<TrainingFont> fonts;
  /// Names of sets (character_set.h): the hanzi of GB 2312, 〇, kana, digits and letters.
  std::vector<std::string> characters = {"gb2312",         "U+3007",        "U+3041..U+3096",
                                         "U+30A1..U+30FA", "U+30FC",        "U+0030..U+0039",
                                         "U+0041..U+005A", "U+0061..U+007A"};
  int copies = 2;          ///< damaged copies of each drawing
  std::uint64_t seed = 1;  ///< of the damage
  CharacterFeatures features;
  CharacterFitSpec classifier;
  friend bool operator==(const CharacterSpec&, const CharacterSpec&) = default;
};
/// The keys of a configuration of the recogniser; configs/glyph.yaml has them all.
void declare(Keys& keys, CharacterSpec& spec);
/// Reads a configuration by file or name, with settings such as "copies=0" in place of what it
/// says. Throws as Config does.
CharacterSpec load_character_spec(const std::filesystem::path& file,
                                  const std::vector<std::string>& settings = {});
/// The spec for what is taught in place of its fonts: pictures, or fonts in files, each a style
/// that is named by its family. Itself if there are neither. Throws what GlyphSource throws.
CharacterSpec taught_by(CharacterSpec spec, const std::vector<std::string>& fonts, bool pictures);
/// Whether a configuration has a key that only those of the recogniser have.
bool configures_recogniser(const Config& config);

}  // namespace leafglyph
