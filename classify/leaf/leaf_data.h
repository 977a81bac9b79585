// The leaves that a job uses, with their features.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "classify/evaluation/protocol.h"
#include "classify/leaf/leaf_config.h"
#include "classify/leaf/leaf_features.h"
#include "datasets/leaf/leaf_dataset.h"

namespace leafglyph {

/// A data set with the features of the leaves that a job uses; leaves that could not be prepared
/// are left out of both.
struct LeafData {
  LeafDataset dataset;             ///< only the leaves of the table
  FeatureTable table;              ///< row i belongs to dataset.samples[i]
  std::vector<int> labels;         ///< of the rows
  std::vector<std::string> names;  ///< of the rows, by leaf_name
  /// Of each row, the first one with the same photograph; its own position where there is none.
  std::vector<std::size_t> photographs;
  std::vector<double> edge_widths;    ///< PreparedLeaf::edge_width of the rows; 0 of a store
  std::vector<std::string> errors;    ///< one line for each leaf that could not be prepared
  std::vector<LeafWarning> remarks;   ///< about single leaves, which are those of the rows
  std::vector<std::string> warnings;  ///< about the data as a whole
  std::vector<StageTime> times;

  /// The warnings, and the remarks with the names of their leaves' files.
  std::vector<std::string> all_warnings() const;
};

/// The file's path from the data set's root; "class/file name" where there is none (Flavia, whose
/// numbers are unique), "class/17" for a generated leaf.
std::string leaf_name(const LeafDataset& dataset, std::size_t sample);

/// Throws InputError, saying what is missing, unless two species have two photographs or more.
/// photographs[i] is how many there are of species[i]. In the words of whoever took them.
void check_can_be_learnt(std::span<const std::string> species,
                         std::span<const std::size_t> photographs);

/// Reads, prepares and measures the leaves that `protocol` may use, or without one all, to `order`.
/// Throws UsageError when the data set does not fit the protocol, before anything is prepared,
/// InputError as check_can_be_learnt and when no leaf of a class is left, and what load_dataset and
/// features_of throw.
LeafData load_leaf_data(const LeafConfig& config, const std::optional<ProtocolSpec>& protocol,
                        int order, const LeafRun& run);

}  // namespace leafglyph
