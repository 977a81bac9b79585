// Models of leaves: from a data set, and with photographs that come later.
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

/// When training reports what more photographs would bring, which fits the classifier again with
/// fewer of them.
enum class Forecast {
  kWhereFew,  ///< where half of the classes have kFewLeaves or fewer, which takes little time
  kAlways,
};
inline constexpr int kFewLeaves = 10;

/// Trains on every leaf of the configuration's data, and checks them by the folds that the
/// classifier was calibrated by.
TrainedLeaves train_leaves(const LeafConfig& config, const LeafRun& run,
                           Forecast forecast = Forecast::kWhereFew);

/// Photographs of a species that a model is to learn.
struct NewLeaves {
  std::string species;          ///< a class of the model, or a new one
  std::string scientific_name;  ///< of a new one; may be empty
  std::filesystem::path folder;
  double source_aspect = 0;  ///< that square ones were squeezed from; 0: none were
};

struct GrownModel {
  LeafModel model;
  bool new_species = false;
  std::vector<std::string> errors;    ///< one line for each photograph that could not be prepared
  std::vector<std::string> warnings;  ///< a line for each that the model had already, too
};

/// The model that `model` would be, had it been trained on these photographs, too, behind the
/// others: everything is fitted anew, on the features that it keeps; settings that were tuned stay
/// as they are. A photograph whose features are those of one that it has is left out. Throws
/// InputError when the folder cannot be read or none of its photographs is new and can be used,
/// UsageError when a name does not fit or the model, of a version before, lacks the augmented
/// copies that its configuration asks for.
GrownModel add_leaves(LeafModel model, const NewLeaves& leaves, const LeafRun& run);

/// Puts a line before the others where fit_rows did not do as configured.
void warn_of_changes(const ClassifierSpec& configured, const ClassifierSpec& fitted,
                     std::vector<std::string>& warnings);

}  // namespace leafglyph
