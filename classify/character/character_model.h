// A trained recogniser of characters as a folder.
//
// manifest.json    format, versions, when it was made, its styles, the calibration and what that is
//                  measured on
// config.yaml      the configuration that it was trained with
// characters.txt   the characters, UTF-8, in the order of their numbers
// mean.npy         double, columns: Plda::mean
// spread.npy       double, directions: Plda::spread
// matrix.npy       float, columns x directions: Plda::matrix
// whitening.npy    float: the triangle of CharacterClassifier::Parts
// counts.npy       int32, characters: pictures that were learnt of each
// means.npy        half, characters x directions
// templates.npy    uint8, at most styles x characters x directions: 128 more than in Parts
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "classify/character/character_classifier.h"
#include "classify/character/character_spec.h"
#include "features/record/record_kind.h"

namespace leafglyph {

inline constexpr RecordKind kCharacterModel = {
    "manifest.json",   "leafglyph character model", 1,
    "character model", "train the model again",     "train one with glyph train"};

struct CharacterModel {
  CharacterSpec spec;
  std::u32string characters;
  std::vector<std::string> styles;
  CharacterClassifier classifier;
  struct History {
    std::string date;     ///< of the training, as of ModelHistory
    std::string version;  ///< of LeafGlyph
    StyleShares judged;
  } history;
  std::uint64_t bytes = 0;  ///< of the folder that it was read from
};

/// CharacterClassifier::Parts::shapes of these characters.
std::vector<std::size_t> shapes_of(std::u32string_view characters);

/// Throws the Error with which save_characters would refuse the folder. Changes nothing.
void check_can_save_characters(const std::filesystem::path& folder);

/// Writes the folder whole or not at all, in the place of an older model but nothing else. Throws
/// Error when it cannot be written.
std::uint64_t save_characters(const CharacterModel& model, const std::filesystem::path& folder);

/// Throws as read_record does.
CharacterModel load_characters(const std::filesystem::path& folder);

/// Where the model of a spec is kept in a folder of caches: other settings, fonts or versions of
/// LeafGlyph have another place. Throws InputError when a font cannot be read.
std::filesystem::path place_of_model(const CharacterSpec& spec,
                                     const std::filesystem::path& caches);

}  // namespace leafglyph
