// Choosing settings by cross-validation inside the training leaves.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "classify/knn/feature_table.h"
#include "classify/knn/nearest_classifier.h"

namespace leafglyph {

/// What is chosen, and among what: every combination of the lists is a candidate. An empty list
/// leaves its setting as it is.
struct TuningSpec {
  int folds = 5;  ///< of the cross-validation inside a training part
  std::uint64_t seed = 1;
  std::vector<int> orders;
  std::vector<std::vector<std::string>> channels;
  std::vector<double> shrinkages;
  std::vector<int> ks;

  /// Whether there is anything to choose.
  bool asks() const;
  friend bool operator==(const TuningSpec&, const TuningSpec&) = default;
};

/// Throws UsageError when a candidate asks for an order or channel that `layout`
/// does not hold, or for a setting that the classifier does not use.
void validate(const TuningSpec& spec, const FeatureLayout& layout,
              const ClassifierSpec& classifier);

/// What a classifier is fitted with.
struct LeafSettings {
  int order = 0;
  std::vector<std::string> channels;
  ClassifierSpec classifier;
  friend bool operator==(const LeafSettings&, const LeafSettings&) = default;
};

struct TunedSettings {
  LeafSettings settings;
  double accuracy = 0;  ///< top-1 of the cross-validation
};

/// The candidates in the order of their lists, the last list (k) running fastest.
std::vector<LeafSettings> tuning_candidates(const TuningSpec& spec, const FeatureLayout& layout,
                                            const ClassifierSpec& classifier);

/// The candidate whose top-1 accuracy over the stratified folds of `training` is highest, the first
/// of equal ones. Each fold fits everything on its own training rows. Throws what
/// FeaturePipeline::fit and validate throw.
TunedSettings tune(const FeatureTable& training, std::span<const int> labels,
                   const TuningSpec& spec, const ClassifierSpec& classifier);

/// "5-fold cross-validation inside the training leaves, 12 candidates: order of 20, 30; ...".
std::string describe(const TuningSpec& spec, const FeatureLayout& layout,
                     const ClassifierSpec& classifier);
/// What was chosen of the settings that `spec` asks about: "order 30, shrinkage 0.5".
std::string describe(const TunedSettings& tuned, const TuningSpec& spec);

}  // namespace leafglyph
