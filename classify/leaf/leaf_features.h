// Feature rows of the leaves of a data set: preparation, channels, moments, in batches.
#pragma once

#include <cstddef>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "classify/knn/feature_table.h"
#include "classify/leaf/leaf_config.h"
#include "classify/leaf/stage_time.h"
#include "classify/support/progress.h"
#include "datasets/leaf/leaf_dataset.h"
#include "gpu/devices.h"
#include "gpu/leaf/leaf_channels.h"
#include "gpu/plans.h"

namespace leafglyph {

/// Where a leaf job runs and what it says on the way.
struct LeafRun {
  PlanOptions engine;  ///< the configuration's precision replaces that of the options
  ProgressStyle progress = ProgressStyle::kNone;
  std::function<void(const std::string&)> warn = [](const std::string&) {};
  std::function<void(const std::string&)> note = [](const std::string&) {};

  /// The GPU for large searches of neighbours, when the engine's device is or has one.
  std::optional<gpu::GpuDevice> search_gpu() const;
};

/// Something about leaf number `leaf` of a list that its user should know, without its name.
struct LeafWarning {
  std::size_t leaf = 0;
  std::string text;
};

/// Turns prepared leaves into feature rows; owns the moment engine. Where that is on one GPU, so
/// are the channels.
class LeafFeatureExtractor {
 public:
  /// Features to `order`, which may be higher than the configuration's. Throws what
  /// make_moment_plan throws.
  LeafFeatureExtractor(const LeafConfig& config, int order, const LeafRun& run);

  const FeatureLayout& layout() const { return layout_; }
  /// How many leaves are best given at once.
  std::size_t batch() const;

  /// Row i of the result belongs to leaves[i]. Warnings (a leaf's own, and channels that are
  /// constant in it) are added to `warnings`.
  std::vector<float> rows(std::span<const PreparedLeaf* const> leaves,
                          std::vector<LeafWarning>& warnings);

  double channel_seconds() const { return channel_seconds_; }
  double moment_seconds() const { return moment_seconds_; }

 private:
  ImageBatch channel_images(std::span<const PreparedLeaf* const> leaves,
                            std::vector<MadeChannels>& made);

  std::vector<Channel> channels_;
  FeatureLayout layout_;
  int size_;
  std::unique_ptr<MomentPlan> engine_;  // none when there is no channel
  std::unique_ptr<gpu::LeafChannels> gpu_channels_;
  std::vector<float> images_;  // channel images of a batch, when they are not on a GPU
  std::vector<float> magnitudes_;
  double channel_seconds_ = 0;
  double moment_seconds_ = 0;
};

/// Features of those samples that could be prepared.
struct LeafFeatures {
  FeatureTable table;                  ///< row i belongs to samples[i]
  std::vector<std::size_t> samples;    ///< positions in the data set, as asked for
  std::vector<LeafMeasures> measures;  ///< of these samples
  std::vector<double> edge_widths;     ///< PreparedLeaf::edge_width of these samples
  std::vector<std::size_t> grey;       ///< those whose photographs were read without colours
  std::vector<std::string> errors;     ///< one line for each sample that could not be prepared
  std::vector<LeafWarning> warnings;   ///< LeafWarning::leaf is a position in the data set
  std::vector<StageTime> times;
};

/// Which photographs of the samples are prepared.
enum class Wear { kAsTheyAre, kWornCopies };

/// Throws Interrupted, and what LeafFeatureExtractor throws.
LeafFeatures extract_features(const LeafDataset& dataset, std::span<const std::size_t> samples,
                              const LeafConfig& config, int order, const LeafRun& run,
                              Wear wear = Wear::kAsTheyAre);

}  // namespace leafglyph
