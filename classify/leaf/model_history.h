// What a model knows of its own making, and how its manifest states it.
#pragma once

#include <cstddef>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "classify/evaluation/tuning.h"
#include "classify/leaf/cross_validation.h"
#include "classify/leaf/unknown_share.h"

namespace leafglyph {

/// Photographs that were added to a model after its training.
struct AddedLeaves {
  std::string date;  ///< same format as in ModelHistory
  std::string species;
  std::size_t leaves = 0;
  std::string data;           ///< the folder with the photographs
  std::size_t corrected = 0;  ///< of `leaves`: answers that the user of the page put right
};

/// Another name that a user of the page gave a model.
struct RenamedModel {
  std::string date;  ///< same format as in ModelHistory
  std::string from, to;
};

/// When and from what a model was made.
struct ModelHistory {
  std::string date;                                  ///< of the training: "2026-01-31T12:00:00Z"
  std::string data;                                  ///< the data set, in one line
  std::optional<CrossValidatedShare> accuracy = {};  ///< of all its training leaves
  std::optional<UnknownShare> unknown = {};          ///< also of these; none if it was not measured
  std::vector<CheckedClass> classes = {};  ///< of `accuracy`, by class; empty in older models
  std::vector<AddedLeaves> added = {};
  std::vector<RenamedModel> renamed = {};
  bool drawn = false;  ///< every training leaf is drawn: the model knows no plant
  std::optional<OptionalGain> colour = {};  ///< the figures that decided features.colour: auto
  std::string written_by = {};              ///< version of LeafGlyph that wrote the folder
};
/// The current time in the format of `date`, or that of SOURCE_DATE_EPOCH, by which builds of the
/// same sources give the same files.
std::string date_now();

nlohmann::json history_json(const ModelHistory& history);
/// The history of a model of that many classes. Throws UsageError, or what nlohmann::json throws,
/// for what history_json does not write.
ModelHistory history_in(const nlohmann::json& json, std::size_t classes);

/// A number from 0 to `count` - 1, of a class or a leaf, which must be stored as an integer. Throws
/// UsageError otherwise.
int number_below(const nlohmann::json& value, std::size_t count);
/// The number from 0 to 1 under `key`. Throws UsageError otherwise.
double share_at(const nlohmann::json& json, const char* key);

}  // namespace leafglyph
