// Choosing settings by cross-validation inside the training leaves.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "classify/knn/feature_table.h"
#include "classify/knn/nearest_classifier.h"

namespace leafglyph {

/// Columns that a candidate has all of or none of.
struct OptionalParts {
  std::vector<std::string> channels;
  std::vector<std::string> measures;
  bool any() const { return !channels.empty() || !measures.empty(); }
  friend bool operator==(const OptionalParts&, const OptionalParts&) = default;
};

/// What is chosen, and among what: every combination of the lists is a candidate. An empty list
/// leaves its setting as it is.
struct TuningSpec {
  int folds = 5;  ///< of the cross-validation inside a training part
  std::uint64_t seed = 1;
  std::vector<int> orders;
  std::vector<std::vector<std::string>> channels;
  std::vector<double> shrinkages;
  std::vector<int> ks;
  OptionalParts optional;  ///< with them or without

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
  std::vector<std::string> measures;
  ClassifierSpec classifier;
  friend bool operator==(const LeafSettings&, const LeafSettings&) = default;
};

/// The columns that the settings ask for; throws as the other select_columns.
FeatureTable select_columns(const FeatureTable& table, const LeafSettings& settings);

/// Top-1 of the best candidate with the optional parts and of the best one without.
struct OptionalGain {
  double with = 0;
  double without = 0;
  friend bool operator==(const OptionalGain&, const OptionalGain&) = default;
};

struct TunedSettings {
  LeafSettings settings;
  double accuracy = 0;  ///< top-1 of the cross-validation
  std::optional<OptionalGain> gain = {};
};

/// The candidates in the order of their lists, the last list (k) running fastest; those without the
/// optional parts before those with them, so that the first of equal ones asks for less.
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
