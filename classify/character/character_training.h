// Trains the recogniser of characters on fonts.
#pragma once

#include <cstddef>
#include <functional>

#include "classify/character/character_model.h"

namespace leafglyph {

/// Draws the characters in each font, damages copies, and fits a classifier to all
/// (fit_characters). Characters that no font draws are left out. `advance` hears of each row.
/// Throws what GlyphSource throws; UsageError for a spec out of range.
CharacterModel train_characters(const CharacterSpec& spec,
                                const std::function<void(std::size_t)>& advance = {});

}  // namespace leafglyph
