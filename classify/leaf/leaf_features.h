// Feature rows of the leaves of a data set.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "classify/leaf/leaf_config.h"
#include "classify/leaf/stage_time.h"
#include "classify/rows/leaf_rows.h"
#include "classify/support/progress.h"
#include "classify/table/feature_table.h"
#include "datasets/leaf/leaf_dataset.h"
#include "gpu/devices.h"
#include "gpu/plans.h"

namespace leafglyph {

/// Where a leaf job runs, and its progress and messages.
struct LeafRun {
  /// The configuration's precision replaces that of the options.
  PlanOptions engine = for_many_images();
  ProgressStyle progress = ProgressStyle::kNone;
  std::function<void(const std::string&)> warn = [](const std::string&) {};
  std::function<void(const std::string&)> note = [](const std::string&) {};
  ProgressListener progressed = {};
  int bits = 0;           ///< of photographs to identify: PrepareSpec::bits
  bool one_leaf = false;  ///< the same, each of which shows one: LeafParts::kTogether

  /// The GPU for large searches of neighbours, if the engine's device uses one.
  std::optional<gpu::GpuDevice> search_gpu() const;
};

/// A remark for the user about leaf number `leaf` of a list, without the leaf's name.
struct LeafWarning {
  std::size_t leaf = 0;
  std::string text;
};

/// The feature rows that the configuration asks for, to `order`.
std::shared_ptr<const LeafRows> leaf_rows(const LeafConfig& config, int order);

/// Features of those samples that could be prepared.
struct LeafFeatures {
  FeatureTable table;                  ///< row i belongs to samples[i]
  std::vector<std::size_t> samples;    ///< positions in the data set, as requested
  std::vector<LeafMeasures> measures;  ///< of these samples
  std::vector<double> edge_widths;     ///< PreparedLeaf::edge_width of these samples
  std::vector<std::size_t> grey;       ///< those whose photographs were read without colours
  std::vector<std::size_t> unclear;    ///< those that are not seen clearly (PreparedLeaf::is_clear)
  std::vector<std::string> errors;     ///< one line for each sample that could not be prepared
  std::vector<LeafWarning> warnings;   ///< LeafWarning::leaf is a position in the data set
  std::vector<StageTime>
      times;  ///< elapsed time, divided in proportion to the busy time of the threads
};

/// Which photographs of the samples to prepare.
enum class TrainingCopies { kNone, kAugmented };

/// Throws Interrupted, and what MakerPool and run_row_pipeline throw.
LeafFeatures features_of(const LeafDataset& dataset, std::span<const std::size_t> samples,
                         const LeafConfig& config, int order, const LeafRun& run,
                         TrainingCopies copies = TrainingCopies::kNone);

}  // namespace leafglyph
