// Accuracy against the share of leaves that are answered.
#pragma once

#include <vector>

#include "classify/evaluation/evaluate.h"

namespace leafglyph {

struct RejectionPoint {
  double answered = 1;  ///< share of the test leaves of a split
  Summary correct;      ///< top-1 accuracy among them, over splits
  Summary rejected;     ///< share of the leaves of classes held back that is as far off as the rest
};

/// In each split the leaves of greatest novelty are refused until `answered` are left, for shares
/// of 0.5 to 1 in steps of 0.05; among equal novelties the earlier answer stays. Leave-one-out is
/// one split. Without classes held back every leaf is of a known species: what the curve shows is
/// how well distance tells the answers that can be trusted.
std::vector<RejectionPoint> rejection_curve(const EvaluationResult& result);

}  // namespace leafglyph
