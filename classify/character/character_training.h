// Trains the recogniser of characters on fonts.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
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
  std::vector<std::string> characters = {"gb2312"};  ///< names of sets (character_set.h)
  int copies = 2;                                    ///< damaged copies of each drawing
  std::uint64_t seed = 1;                            ///< of the damage
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
/// Whether a configuration has a key that only those of the recogniser have.
bool configures_recogniser(const Config& config);

/// The side of a drawing that is learnt, in pixels, and the margin around it, for damage.
inline constexpr int kDrawnSide = 60, kDrawnMargin = 10;

/// Rows of characters by one of the project's plans on the processors.
DirectionMoments direction_moments(const CharacterFeatures& features);

/// Rows of many pictures of ink, each in its frame, on all threads: columns(features) numbers each.
std::vector<float> rows_of(const CharacterFeatures& features, std::size_t count,
                           const std::function<Image<float>(std::size_t)>& ink);

/// Draws the characters in each font, damages copies and computes their rows: one StyleRows per
/// style, in the order of the fonts. Label c is characters[c]. `advance` hears of each row. Throws
/// what GlyphSource throws; UsageError for a spec out of range.
std::vector<StyleRows> rows_of_fonts(const CharacterSpec& spec, const std::u32string& characters,
                                     const std::function<void(std::size_t)>& advance = {});

}  // namespace leafglyph
