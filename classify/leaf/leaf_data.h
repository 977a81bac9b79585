// The leaves of a job with their features.
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

/// A data set with the features of the leaves that a job uses. Leaves that could not be prepared
/// are left out.
struct LeafData {
  LeafDataset dataset;             ///< only the leaves of the table
  FeatureTable table;              ///< row i belongs to dataset.samples[i]
  std::vector<int> labels;         ///< of the rows
  std::vector<std::string> names;  ///< of the rows, by leaf_name
  /// For each row the first one with the same photograph, which may be the row itself.
  std::vector<std::size_t> photographs;
  std::vector<std::size_t> unclear;  ///< rows of leaves that are not seen clearly; none of a store
  /// Lines about leaves that training_leaves left out.
  std::vector<std::string> left_out;
  std::vector<double> edge_widths;    ///< PreparedLeaf::edge_width of the rows; 0 for a store
  std::vector<std::string> errors;    ///< one line for each leaf that could not be prepared
  std::vector<LeafWarning> remarks;   ///< about single leaves; leaf numbers are those of the rows
  std::vector<std::string> warnings;  ///< about the data as a whole
  std::vector<StageTime> times;

  /// The warnings, and the remarks with the names of their leaves' files.
  std::vector<std::string> all_warnings() const;
};

/// Whether leaves of a class that are not seen clearly are left out of a training: if more of its
/// leaves are seen clearly, kFewestOfOneSpecies of them at least. Their outlines may be wrong, so
/// that a model would learn them, and would say "sure" of few others. Where most leaves are so,
/// those to identify will be, too.
bool leaves_out_unclear(std::size_t clear, std::size_t unclear);
/// Says that the leaf of that name is.
std::string left_out_line(const std::string& name);
/// The rows that are left out of a training.
std::vector<std::size_t> untrained_rows(const LeafData& data);
/// The data without them.
LeafData training_leaves(LeafData data);

/// The file's path relative to the data set; "class/file name" without a root (Flavia, whose
/// numbers are unique), "class/17" for a generated leaf.
std::string leaf_name(const LeafDataset& dataset, std::size_t sample);

/// Throws InputError, saying what is missing, unless two species have at least two photographs, or
/// there is one species with at least kFewestOfOneSpecies. species[i] has photographs[i] of them.
void check_can_be_learnt(std::span<const std::string> species,
                         std::span<const std::size_t> photographs);

/// A fold that leaves one of them out still sees how two differ.
inline constexpr std::size_t kFewestOfOneSpecies = 3;

/// Reads, prepares and measures leaves up to `order`: those that `protocol` may use, or all leaves
/// without a protocol. Throws UsageError, before any preparation, when the data set does not fit
/// the protocol; InputError as check_can_be_learnt does, and when a class has no usable leaf; and
/// what load_dataset and features_of throw.
LeafData load_leaf_data(const LeafConfig& config, const std::optional<ProtocolSpec>& protocol,
                        int order, const LeafRun& run);

}  // namespace leafglyph
