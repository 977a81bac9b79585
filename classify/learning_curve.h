// Accuracy against the number of training leaves.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "classify/leaf_task.h"

namespace leafglyph {

/// Accuracy with `leaves` training leaves of each class.
struct LearningPoint {
  std::size_t leaves = 0;
  Summary top1;
  Interval interval;
};

struct LearningCurve {
  LeafConfig config;
  std::vector<LearningPoint> points;  ///< by ascending leaves; the last has every leaf that all
                                      ///< classes have
  double seconds = 0;                 ///< training and testing
};

/// Splits with the same test rows and `leaves` training rows of each class, drawn by the seed from
/// the split's own: a larger number contains the rows of a smaller one. A class with fewer keeps
/// all.
std::vector<Split> thinned_splits(std::span<const Split> splits, std::span<const int> labels,
                                  std::size_t leaves, std::uint64_t seed);

/// Evaluates the configuration's splits with few training leaves of a class up to all; empty for
/// leave-one-out, whose training parts differ by one leaf only. The data must have been loaded for
/// the configuration's protocol. Throws what evaluate_leaves throws.
LearningCurve learning_curve(const LeafConfig& config, const LeafData& data, const LeafRun& run);

}  // namespace leafglyph
