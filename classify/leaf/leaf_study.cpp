#include "classify/leaf/leaf_study.h"

#include <algorithm>

namespace leafglyph {

LeafStudy study_leaves(const LeafConfig& config, const SplitFiles& files, const StudyParts& parts,
                       const LeafRun& run) {
  const bool sweeps = parts.curves && !config.sweep_orders.empty();
  const int order =
      sweeps ? std::max(config.features.order,
                        *std::max_element(config.sweep_orders.begin(), config.sweep_orders.end()))
             : config.features.order;
  const LeafData data = load_evaluation_data(config, files, order, run);
  const SavedSplits splits = leaf_splits(config, data, files);
  LeafStudy study;
  study.evaluation = evaluate_leaves(config, data, splits, run);
  if (parts.perturbed) {
    study.perturbed = perturbation_table(config, data, splits, splits.protocol.seed, run);
  }
  if (!parts.curves || splits.protocol.kind == ProtocolKind::kLeaveOneOut) return study;
  if (sweeps) study.sweep = sweep_leaves(config, data, splits, config.sweep_orders, run);
  LearningCurve learning = learning_curve(config, data, splits, run);
  if (!learning.points.empty()) study.learning = std::move(learning);
  return study;
}

}  // namespace leafglyph
