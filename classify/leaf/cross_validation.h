// How often a classifier is right about leaves of its own training set that it has not learnt.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "classify/evaluation/evaluate.h"
#include "classify/leaf/leaf_features.h"

namespace leafglyph {

/// What folds said of each training leaf, which they had not learnt.
struct CrossValidation {
  int folds = 0;
  std::vector<int> answers;           ///< the class that is named, of each leaf
  std::vector<double> probabilities;  ///< that it is right; empty without a calibration
};

/// The answers of the folds that `classifier` was calibrated by, at no cost; where it was not,
/// those of as many folds, each of which is fitted anew. Throws what NearestClassifier::fit throws.
CrossValidation cross_validate(const NearestClassifier& classifier, const ClassifierSpec& spec,
                               const FeatureTable& training, std::span<const std::string> classes,
                               const LeafRun& run);

/// How many leaves were identified correctly. A leaf that is its class's only one is not tested:
/// nobody could know it.
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
