#include "classify/leaf/leaf_study.h"

#include <algorithm>

namespace leafglyph {

LeafStudy study_leaves(const LeafConfig& config, const SplitFiles& files, bool curves,
                       const LeafRun& run) {
  const bool sweeps = curves && !config.sweep_orders.empty();
  const int order =
      sweeps ? std::max(config.features.order,
                        *std::max_element(config.sweep_orders.begin(), config.sweep_orders.end()))
             : config.features.order;
  const LeafData data = load_evaluation_data(config, files, order, run);
  const SavedSplits splits = leaf_splits(config, data, files);
  LeafStudy study;
  study.evaluation = evaluate_leaves(config, data, splits, run);
  if (!curves || splits.protocol.kind == ProtocolKind::kLeaveOneOut) return study;
  if (sweeps) study.sweep = sweep_leaves(config, data, splits, config.sweep_orders, run);
  LearningCurve learning = learning_curve(config, data, splits, run);
  if (!learning.points.empty()) study.learning = std::move(learning);
  return study;
}

}  // namespace leafglyph
