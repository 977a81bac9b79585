// Choosing settings by cross-validation inside the training leaves.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "classify/classifier/nearest_classifier.h"
#include "classify/table/feature_table.h"

namespace leafglyph {

/// The settings to choose, with the values to try: every combination is a candidate. An empty list
/// leaves its setting unchanged.
struct TuningSpec {
  int folds = 5;  ///< of the cross-validation inside the training leaves
  std::uint64_t seed = 1;
  std::vector<int> orders;
  std::vector<std::vector<std::string>> channels;
  std::vector<double> shrinkages;
  std::vector<int> ks;
  std::vector<std::string> optional;  ///< groups of columns that are tried with and without

  /// Whether there is anything to choose.
  bool asks() const;
  friend bool operator==(const TuningSpec&, const TuningSpec&) = default;
};

/// The keys of the mapping `tuning`; `check` runs after each list, so that its errors point there.
void declare(Keys& keys, TuningSpec& spec, const std::function<void()>& check);
/// Throws UsageError when a candidate needs an order or channel that `layout` does not have, or a
/// setting that the classifier does not use.
void validate(const TuningSpec& spec, const FeatureLayout& layout,
              const ClassifierSpec& classifier);

/// Settings to fit a classifier with.
struct LeafSettings {
  int order = 0;
  std::vector<std::string> groups;  ///< of columns
  ClassifierSpec classifier;
  friend bool operator==(const LeafSettings&, const LeafSettings&) = default;
};

/// The groups without those of measures.
std::vector<std::string> channels_of(const LeafSettings& settings);

/// The columns that the settings need. Throws what the other select_columns throws.
FeatureTable select_columns(const FeatureTable& table, const LeafSettings& settings);

/// Top-1 accuracy of the best candidate with the optional groups, and of the best one without them.
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

/// The candidates in the order of their lists; the last list (k) changes fastest. Those without the
/// optional groups come first, so that among equal candidates the simpler one wins.
std::vector<LeafSettings> tuning_candidates(const TuningSpec& spec, const FeatureLayout& layout,
                                            const ClassifierSpec& classifier);

/// The candidate with the highest top-1 accuracy over stratified folds of `training`; among equal
/// ones, the first. Each fold fits everything to its own training rows only. Throws what
/// FeaturePipeline::fit and validate throw.
TunedSettings tune(const FeatureTable& training, std::span<const int> labels,
                   const TuningSpec& spec, const ClassifierSpec& classifier);

/// "5-fold cross-validation inside the training leaves, 12 candidates: order of 20, 30; ...".
std::string describe(const TuningSpec& spec, const FeatureLayout& layout,
                     const ClassifierSpec& classifier);
/// The chosen values of the settings in `spec`: "order 30, shrinkage 0.5".
std::string describe(const TunedSettings& tuned, const TuningSpec& spec);

}  // namespace leafglyph
