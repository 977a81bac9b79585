// What a model is, as text and JSON.
#pragma once

#include <string>

#include "classify/leaf/model_folder.h"

namespace leafglyph {

/// "97.92 % of 48 training leaves, each by folds without it (95 % interval 89.10 to 99.63 %)".
std::string accuracy_in_words(const CrossValidatedShare& accuracy);

/// What share of leaves of other species the model calls unknown, in a sentence.
std::string unknown_in_words(const LeafModel& model);

/// A line a fact (date, data, accuracy, features, classifier, pictures), then a line a species.
std::string model_text(const LeafModel& model);
/// The same for programs, with the whole configuration as YAML.
std::string model_json(const LeafModel& model);

}  // namespace leafglyph
