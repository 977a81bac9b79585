// Models of leaves: trained on a data set, and extended with more photographs.
#pragma once

#include <cstddef>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "classify/classifier/nearest_classifier.h"
#include "classify/leaf/leaf_check.h"
#include "classify/leaf/leaf_config.h"
#include "classify/leaf/leaf_features.h"
#include "classify/leaf/model_folder.h"
#include "classify/leaf/stage_time.h"

namespace leafglyph {

struct TrainedLeaves {
  LeafModel model;    ///< its configurations hold the chosen settings, not the choices
  std::string tuned;  ///< how settings were chosen, and which; empty: none were
  std::vector<std::string> errors;
  std::vector<std::string> warnings;  ///< about the data as a whole
  std::vector<StageTime> times;
};

/// The model as it may be given away: without pictures of its training leaves, without their
/// features and the check of them, so that it identifies leaves as before, but cannot show or add
/// any, and without the folders that they came from. `data` says what it was trained on.
LeafModel shared_model(LeafModel model, std::string data);

/// When to estimate what more photographs would bring. The estimate fits the classifier again to
/// fewer of the photographs.
enum class Forecast {
  kWhereFew,  ///< if half of the classes have at most kFewLeaves, so that it takes little time
  kAlways,
  kNever,  ///< for a model to try things with
};
inline constexpr int kFewLeaves = 10;

/// Trains on every leaf of the configuration's data, and checks the leaves (LeafModel::check) by
/// the folds that calibrated the classifier. With sums of its feature stores the model is the same
/// to the last bit.
TrainedLeaves train_leaves(const LeafConfig& config, const LeafRun& run,
                           Forecast forecast = Forecast::kWhereFew);

/// Photographs of a species to add to a model.
struct NewLeaves {
  std::string species;          ///< a class of the model, or a new one
  std::string scientific_name;  ///< of a new class, or of one without; may be empty
  std::filesystem::path folder;
  double source_aspect = 0;       ///< shape before squeezing; 0: not squeezed
  std::string chinese_name = {};  ///< as the scientific name
  int bits = 0;                   ///< LeafDataset::bits
};

struct GrownModel {
  LeafModel model;
  std::size_t added = 0;  ///< number of photographs
  bool new_species = false;
  std::vector<std::string> errors;    ///< one line for each photograph that could not be prepared
  std::vector<std::string> warnings;  ///< one for each photograph that the model already has, too
};

/// The model that training on these photographs after the model's own would give. Everything is
/// fitted again to the stored features; tuned settings stay. A photograph with the same features as
/// an existing one is left out. Throws InputError when a folder cannot be read or no
/// photograph is new and usable, UsageError when a name does not fit or the model lacks its
/// features or the augmented copies that its configuration needs.
GrownModel add_leaves(LeafModel model, std::span<const NewLeaves> leaves, const LeafRun& run);
/// The same with photographs of one species.
GrownModel add_leaves(LeafModel model, const NewLeaves& leaves, const LeafRun& run);

/// If fewer neighbours vote than the configuration says, inserts a warning before all others.
void warn_of_changes(const ClassifierSpec& configured, const ClassifierSpec& fitted,
                     std::vector<std::string>& warnings);

}  // namespace leafglyph
