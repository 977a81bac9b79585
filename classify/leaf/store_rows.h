// Leaves whose features are in a feature store.
#pragma once

#include <cstddef>
#include <filesystem>
#include <span>
#include <vector>

#include "classify/leaf/leaf_config.h"
#include "classify/leaf/leaf_features.h"
#include "classify/store/feature_store.h"
#include "datasets/leaf/leaf_dataset.h"

namespace leafglyph {

/// A feature store as a data set and its rows.
class LeafStore {
 public:
  /// Throws what FeatureStore::open throws, InputError when blocks are missing, and UsageError when
  /// the store does not contain features of leaves.
  explicit LeafStore(const std::filesystem::path& folder);

  /// The configuration with which the features were computed.
  const LeafConfig& config() const { return config_; }
  /// Every row as a sample, its path as the file. Throws InputError when a row has no label.
  LeafDataset dataset() const;
  /// The rows of the samples whose inputs did not fail, up to `order` and with the channels of
  /// `config`. Throws UsageError when the configuration prepares leaves differently, or needs
  /// features that the store does not have.
  LeafFeatures rows(std::span<const std::size_t> samples, const LeafConfig& config,
                    int order) const;

 private:
  void check(const LeafConfig& config, int order) const;
  // With colour: auto, the colours of the store.
  FeatureLayout layout_for(const FeatureSpec& features, int order) const;

  FeatureStore store_;
  LeafConfig config_;
};

/// For each row the first one with equal features. Rows of the same photograph are equal to the
/// last bit.
std::vector<std::size_t> first_equal_rows(const FeatureTable& table);

}  // namespace leafglyph
