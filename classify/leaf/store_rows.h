// Leaves whose features are in feature stores.
#pragma once

#include <cstddef>
#include <filesystem>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "classify/leaf/leaf_config.h"
#include "classify/leaf/leaf_features.h"
#include "classify/store/feature_store.h"
#include "datasets/leaf/leaf_dataset.h"

namespace leafglyph {

/// Feature stores as one data set, whose rows are those of the first store, then of the next.
class LeafStores {
 public:
  /// Throws what FeatureStore::open and joined_header throw, and UsageError when there is no store
  /// or they do not contain features of leaves.
  explicit LeafStores(std::span<const std::filesystem::path> folders);

  /// The configuration with which the features were computed.
  const LeafConfig& config() const { return config_; }
  /// Every row of a leaf, and every input that failed, as a sample, its path as the file. Parts
  /// that are not one leaf are left out. Throws InputError when a row has no label.
  LeafDataset dataset() const;
  /// The same; `leaves` receives the number of samples of each store.
  LeafDataset dataset(std::vector<std::size_t>& leaves) const;
  /// The columns of rows() for this configuration. Throws what rows() throws.
  FeatureLayout layout(const LeafConfig& config) const;
  /// The rows of the samples whose inputs did not fail, up to `order` and with the channels of
  /// `config`. Throws UsageError when the configuration prepares leaves differently, or needs
  /// features that the stores do not have.
  LeafFeatures rows(std::span<const std::size_t> samples, const LeafConfig& config,
                    int order) const;
  /// The same, but the rows lie in the files of the stores, where these have the columns.
  LeafFeatures lying_rows(std::span<const std::size_t> samples, const LeafConfig& config,
                          int order) const;
  /// The same, block by block of the stores: take() receives the rows of each that has some of the
  /// samples, so that memory does not grow with their number.
  void each_block(std::span<const std::size_t> samples, const LeafConfig& config, int order,
                  const std::function<void(LeafFeatures)>& take) const;

 private:
  void check(const LeafConfig& config, int order) const;
  std::string folders() const;
  // With colour: auto, the colours of the stores.
  FeatureLayout layout_for(const FeatureSpec& features, int order) const;

  std::vector<FeatureStore> stores_;
  StoreHeader header_;  // of all of them
  LeafConfig config_;
};

/// Lets the configuration learn from the rows of these stores. Throws what LeafStores throws.
void use_stores(LeafConfig& config, std::span<const std::filesystem::path> stores);

/// For each row the first one with equal features. Rows of the same photograph are equal to the
/// last bit.
std::vector<std::size_t> first_equal_rows(const FeatureTable& table);

}  // namespace leafglyph
