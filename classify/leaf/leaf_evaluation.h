// The leaf pipeline from end to end: evaluate, and sweep the order.
#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "classify/evaluation/evaluate.h"
#include "classify/evaluation/protocol.h"
#include "classify/leaf/leaf_config.h"
#include "classify/leaf/leaf_data.h"

namespace leafglyph {

/// Everything about an evaluation that a report shows.
struct LeafEvaluation {
  LeafConfig config;
  std::string data_description;
  LeafDataset dataset;                    ///< indexed by TestPrediction::sample, like the names
  std::vector<std::string> sample_names;  ///< by leaf_name
  EvaluationResult result;
  std::vector<std::string> errors;
  std::vector<std::string> warnings;
  std::vector<StageTime> times;
};

/// Saved splits, by the names of their leaves, to use instead of random ones.
struct SplitFiles {
  std::filesystem::path read;   ///< empty: the protocol draws them
  std::filesystem::path write;  ///< empty: they are not saved
};

/// Evaluates by the configuration's protocol. Throws UsageError when the protocol does not fit the
/// data, and what the parts throw.
LeafEvaluation evaluate_leaves(const LeafConfig& config, const SplitFiles& splits,
                               const LeafRun& run);

/// Loads the data for evaluate_leaves: the leaves that the splits may contain, up to `order`.
LeafData load_evaluation_data(const LeafConfig& config, const SplitFiles& files, int order,
                              const LeafRun& run);
/// The splits of `files` or of the configuration's protocol; saved if `files` asks for it.
SavedSplits leaf_splits(const LeafConfig& config, const LeafData& data, const SplitFiles& files);
/// Evaluates on data that was loaded to the configuration's order or a higher one.
LeafEvaluation evaluate_leaves(const LeafConfig& config, const LeafData& data,
                               const SavedSplits& splits, const LeafRun& run);

/// Accuracy at one order.
struct SweepPoint {
  int order = 0;
  std::size_t columns = 0;
  Summary top1;
  Interval interval;
};

struct LeafSweep {
  LeafConfig config;
  std::string data_description;
  std::string tuned;               ///< how settings were chosen at every order; empty: none were
  std::vector<SweepPoint> points;  ///< in the order requested
  std::vector<std::string> errors;
  std::vector<std::string> warnings;
  std::vector<StageTime> times;
};

/// Evaluates every order on the same splits; features are computed once, for the highest order.
/// Fits no thresholds or calibrations, so that every leaf is classified once. What the
/// configuration tunes is tuned at each order, except the order itself. Throws UsageError when
/// `orders` is empty, and what evaluate_leaves throws.
LeafSweep sweep_leaves(const LeafConfig& config, std::span<const int> orders, const LeafRun& run);
/// The same on data that was loaded to the highest order or a higher one.
LeafSweep sweep_leaves(const LeafConfig& config, const LeafData& data, const SavedSplits& splits,
                       std::span<const int> orders, const LeafRun& run);

/// Published accuracy, in percent, of the pipeline that `geometry: published` reproduces: Flavia,
/// one split of 40 and 10 leaves per species.
struct PublishedPoint {
  int order;
  double percent;
};
std::span<const PublishedPoint> published_sweep();
/// The published figure at the configuration's order, or at the highest order of its choices; none
/// at other orders and for other data.
const PublishedPoint* published_for(const LeafConfig& config);

}  // namespace leafglyph
