// An evaluation with the curves of a report; features are computed once.
#pragma once

#include <optional>

#include "classify/leaf/leaf_evaluation.h"
#include "classify/leaf/learning_curve.h"
#include "classify/leaf/perturbation_table.h"

namespace leafglyph {

struct LeafStudy {
  LeafEvaluation evaluation = {};
  /// Over the configuration's orders, on the same splits. None for leave-one-out, which would fit
  /// one classifier per leaf at every order.
  std::optional<LeafSweep> sweep = {};
  std::optional<LearningCurve> learning = {};  ///< on the same splits; none for leave-one-out
  std::optional<PerturbationTable> perturbed = {};
};

/// What to measure in addition to the accuracy.
struct StudyParts {
  bool curves = false;     ///< the configuration's order sweep and the learning curve
  bool perturbed = false;  ///< the perturbation table, with the protocol's seed
};

/// Evaluates as evaluate_leaves does, and measures `parts`. Throws what evaluate_leaves and
/// perturbation_table throw.
LeafStudy study_leaves(const LeafConfig& config, const SplitFiles& files, const StudyParts& parts,
                       const LeafRun& run);

}  // namespace leafglyph
