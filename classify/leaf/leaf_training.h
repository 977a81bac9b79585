// Models of leaves: trained on a data set, and extended with more photographs.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "classify/knn/nearest_classifier.h"
#include "classify/leaf/leaf_check.h"
#include "classify/leaf/leaf_config.h"
#include "classify/leaf/leaf_features.h"
#include "classify/leaf/model_folder.h"
#include "classify/leaf/stage_time.h"

namespace leafglyph {

struct TrainedLeaves {
  LeafModel model;  ///< its configurations hold the settings that were chosen, not the choice
  std::string data_description;
  std::string tuned;  ///< how settings were chosen, and which; empty: none were
  LeafCheck check;
  std::vector<std::string> errors;
  std::vector<std::string> warnings;  ///< about the data as a whole
  std::vector<StageTime> times;
};

/// When to estimate what more photographs would bring, which fits the classifier again with fewer
/// of them.
enum class Forecast {
  kWhereFew,  ///< if half of the classes have at most kFewLeaves, which takes little time
  kAlways,
};
inline constexpr int kFewLeaves = 10;

/// Trains on every leaf of the configuration's data, and checks them by the folds that the
/// classifier was calibrated by.
TrainedLeaves train_leaves(const LeafConfig& config, const LeafRun& run,
                           Forecast forecast = Forecast::kWhereFew);

/// Photographs of a species to add to a model.
struct NewLeaves {
  std::string species;          ///< a class of the model, or a new one
  std::string scientific_name;  ///< of a new one; may be empty
  std::filesystem::path folder;
  double source_aspect = 0;  ///< shape before squeezing to squares; 0: not squeezed
};

struct GrownModel {
  LeafModel model;
  bool new_species = false;
  std::vector<std::string> errors;    ///< one line for each photograph that could not be prepared
  std::vector<std::string> warnings;  ///< a line for each that the model had already, too
};

/// The model that training on these photographs, after its own, would give: everything is fitted
/// anew to the features that it keeps; tuned settings stay. A photograph with the same features as
/// an existing one is left out. Throws InputError when the folder cannot be read or has no new
/// usable photograph, UsageError when a name does not fit or the model lacks the augmented copies
/// that its configuration needs.
GrownModel add_leaves(LeafModel model, const NewLeaves& leaves, const LeafRun& run);

/// Inserts a first warning if fit_rows deviated from the configuration.
void warn_of_changes(const ClassifierSpec& configured, const ClassifierSpec& fitted,
                     std::vector<std::string>& warnings);

}  // namespace leafglyph
