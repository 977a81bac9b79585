// Accuracy against the number of training leaves.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "classify/leaf/leaf_evaluation.h"

namespace leafglyph {

/// Accuracy with `leaves` training leaves of each class.
struct LearningPoint {
  std::size_t leaves = 0;
  Summary top1;
  Interval interval;
};

struct LearningCurve {
  LeafConfig config;
  std::vector<LearningPoint> points;  ///< in ascending order of leaves
  double seconds = 0;                 ///< training and testing
};

/// Splits with the same test rows, and `leaves` of the split's own training rows per class, drawn
/// by the seed. A larger number contains the rows of a smaller one. A class with fewer rows keeps
/// all.
std::vector<Split> thinned_splits(std::span<const Split> splits, std::span<const int> labels,
                                  std::size_t leaves, std::uint64_t seed);

/// Evaluates with 2 training leaves per class up to the number of the median class. Empty for
/// leave-one-out, whose training sets are nearly equal. Every leaf is classified once, as in
/// sweep_leaves. The data must have been loaded to the configuration's order or a higher one.
/// Throws what evaluate_leaves throws.
LearningCurve learning_curve(const LeafConfig& config, const LeafData& data,
                             const SavedSplits& splits, const LeafRun& run);

/// Extrapolates the learning curve: the error 1 - accuracy is b n^-c for n leaves per class (Cortes
/// et al. 1994). c is fitted by least squares to the logarithms; b makes the curve pass through the
/// point with the most leaves.
class LearningForecast {
 public:
  /// Needs two or more points, by ascending leaves; `tests` is the number of tested leaves.
  LearningForecast(std::span<const LearningPoint> points, std::size_t tests);
  double accuracy(double leaves) const;

 private:
  double exponent_ = 0, error_of_one_ = 0;
};

}  // namespace leafglyph
