// An evaluation with the curves that stand beside it in a report: features are computed once.
#pragma once

#include <optional>

#include "classify/leaf/leaf_evaluation.h"
#include "classify/leaf/learning_curve.h"

namespace leafglyph {

struct LeafStudy {
  LeafEvaluation evaluation;
  /// Over the configuration's orders, on the same splits. None for leave-one-out, whose classifier
  /// a leaf would be fitted anew at every order.
  std::optional<LeafSweep> sweep;
  std::optional<LearningCurve> learning;  ///< on the same splits; none for leave-one-out
};

/// Evaluates as evaluate_leaves does, and, with `curves`, sweeps the configuration's orders and
/// measures the learning curve. Throws what evaluate_leaves throws.
LeafStudy study_leaves(const LeafConfig& config, const SplitFiles& files, bool curves,
                       const LeafRun& run);

}  // namespace leafglyph
