// How accurate a classifier is on the leaves of its training set, by folds that leave them out.
#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "classify/evaluation/evaluate.h"
#include "classify/leaf/leaf_features.h"

namespace leafglyph {

/// For each training leaf, the prediction of the fold that left it out.
struct CrossValidation {
  int folds = 0;
  /// The predicted class of each leaf; none if the folds did not judge it.
  std::vector<std::optional<int>> predictions;
  std::vector<double> probabilities;  ///< that it is correct; empty without a calibration
  /// How typical each leaf is of its own class (NearestClassifier::log_ratio); none if the fold did
  /// not learn others of it. Empty without a calibration.
  std::vector<std::optional<double>> log_ratios;
};

/// The predictions of the folds that calibrated `classifier`, at no extra cost. Without a
/// calibration, as many folds are fitted for this. Throws what NearestClassifier::fit throws.
CrossValidation cross_validate(const NearestClassifier& classifier, const ClassifierSpec& spec,
                               const FeatureTable& training, std::span<const std::string> classes,
                               const LeafRun& run);

/// How many of the leaves that the folds judged were identified correctly. The only leaf of a class
/// is not tested: no classifier could identify it. Leaves of a single class are not tested, either:
/// there is nothing to mistake them for.
struct CrossValidatedShare {
  std::size_t right = 0;
  std::size_t tested = 0;
  int folds = 0;
  double share() const;       ///< 0 if there are no leaves
  Interval interval() const;  ///< 0 to 1 if there are no leaves
  friend bool operator==(const CrossValidatedShare&, const CrossValidatedShare&) = default;
};
CrossValidatedShare right_share(const CrossValidation& validation, std::span<const int> labels);

/// Shares of the leaves of a class for CheckedClass::typical.
inline constexpr std::array<double, 3> kTypicalShares = {0.05, 0.2, 0.5};

/// How well folds distinguish the leaves of a class from the others.
struct CheckedClass {
  std::size_t leaves = 0;
  std::size_t tested = 0;  ///< those that the folds judged
  std::size_t right = 0;   ///< of these
  int taken_for = -1;      ///< the class that the others are most often mistaken for; -1: none
  /// The log ratios below which kTypicalShares of its leaves are; empty where there are too few.
  std::vector<double> typical = {};
  friend bool operator==(const CheckedClass&, const CheckedClass&) = default;
};
/// One for each of the classes 0 to `classes` - 1.
std::vector<CheckedClass> checked_classes(const CrossValidation& validation,
                                          std::span<const int> labels, std::size_t classes);

}  // namespace leafglyph
