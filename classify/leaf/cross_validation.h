// How accurate a classifier is on leaves of its own training set, by folds that leave them out.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "classify/evaluation/evaluate.h"
#include "classify/leaf/leaf_features.h"

namespace leafglyph {

/// The predictions of folds for each training leaf that they left out.
struct CrossValidation {
  int folds = 0;
  std::vector<int> predictions;       ///< the predicted class of each leaf
  std::vector<double> probabilities;  ///< that it is correct; empty without a calibration
};

/// The predictions of the folds that calibrated `classifier`, at no cost; without a calibration
/// those of as many folds, each of which is fitted anew. Throws what NearestClassifier::fit throws.
CrossValidation cross_validate(const NearestClassifier& classifier, const ClassifierSpec& spec,
                               const FeatureTable& training, std::span<const std::string> classes,
                               const LeafRun& run);

/// How many leaves were identified correctly. The only leaf of a class is not tested: no classifier
/// could identify it.
struct CrossValidatedShare {
  std::size_t right = 0;
  std::size_t tested = 0;
  int folds = 0;
  double share() const;  ///< 0 of none
  Interval interval() const;
  friend bool operator==(const CrossValidatedShare&, const CrossValidatedShare&) = default;
};
CrossValidatedShare right_share(const CrossValidation& validation, std::span<const int> labels);

}  // namespace leafglyph
