// Trains the recogniser of characters on fonts and on labelled pictures.
#pragma once

#include <cstddef>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "classify/character/character_model.h"
#include "classify/character/character_pictures.h"

namespace leafglyph {

struct TrainedCharacters {
  CharacterModel model;
  std::vector<std::string> errors;  ///< a line for each picture that cannot be used
};

/// How many rows train_characters makes at most: of each drawing and picture, of the damaged
/// copies, and of the pictures that are judged. `pictures` are of so many styles.
std::size_t rows_to_train(const CharacterSpec& spec, std::size_t pictures, std::size_t styles);

/// Draws the characters of the spec in each of its fonts, reads the pictures, damages copies of
/// all, and fits a classifier (fit_characters). Its characters are those that a font draws and
/// those of the pictures. `advance` hears of each row. Throws what GlyphSource throws; InputError
/// when no picture of a style can be used, UsageError for a spec out of range and for what cannot
/// be fitted.
TrainedCharacters train_characters(const CharacterSpec& spec,
                                   std::span<const CharacterPicture> pictures = {},
                                   const std::function<void(std::size_t)>& advance = {});

}  // namespace leafglyph
