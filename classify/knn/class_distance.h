// How far a feature row is from the nearest class along all directions of the features, not only
// those that separate the classes: leaves of other species may look the same along these
// directions.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "classify/knn/feature_pipeline.h"
#include "classify/knn/feature_table.h"

namespace leafglyph {

/// The fitted state. Columns are those of the layout.
struct ClassDistanceState {
  std::vector<double> scale;       ///< of each column; 0: dropped
  std::vector<double> means;       ///< of the scaled rows: class c's column j at [c * columns + j]
  std::vector<double> directions;  ///< direction k's column j at [k * columns + j]
};

/// Mahalanobis distance to the mean m_c of the nearest class, with one covariance for all classes,
///
///   D(z)^2 = min_c (z - m_c)^T W_s^-1 (z - m_c),   W_s = (W + (tr W / d) I) / 2,
///
/// where W is the covariance of the d scaled columns about the means of their classes (divided by
/// rows less classes), shrunk by half towards a multiple of the identity, as there are fewer leaves
/// than columns (Friedman 1989; Ledoit and Wolf 2004). Before, each moment's column is divided by
/// the root of its variance about the means, which is shrunk by half towards the median of all of
/// them (Opgen-Rhein and Strimmer 2007): a variance of few leaves that is small by chance would
/// let its column distinguish known leaves. The global measures, which have other units,
/// are divided by their own. Values and weights are those of the pipeline.
///
/// With the unit eigenvectors v_k and eigenvalues l_k of W, t = tr W / d, the scale takes in
/// sqrt(2 / t), direction k is sqrt(l_k / (l_k + t)) v_k, and D^2 = |e|^2 - sum_k (e . v_k)^2 for
/// e = z - m_c.
class ClassDistance {
 public:
  /// Fits to the rows of `training` with classes `labels`; drops the columns that `pipeline` drops.
  /// Throws UsageError when no column varies within a class.
  static ClassDistance fit(const FeatureTable& training, std::span<const int> labels,
                           const FeaturePipeline& pipeline);

  /// A state fitted before, for rows of `layout` whose values are those of `spec`. Throws
  /// FormatError, with `source`, when the state does not fit the layout.
  ClassDistance(FeatureLayout layout, PipelineSpec spec, ClassDistanceState state,
                const std::string& source);

  const ClassDistanceState& state() const { return state_; }
  std::size_t classes() const { return state_.means.size() / layout_.columns(); }

  /// D of each row; it does not depend on the other rows. Throws UsageError when the table has
  /// another layout.
  std::vector<double> distances(const FeatureTable& table) const;

 private:
  double distance(std::span<const double> scaled) const;

  FeatureLayout layout_;
  PipelineSpec spec_;
  ClassDistanceState state_;
  std::vector<double> mean_shares_;  // of class c along direction k: [c * directions + k]
};

/// D of training rows, each without itself: kClassDistanceFolds folds, or one row at a time if
/// there are no more rows than that. The only row of a class is left out of the result. Throws what
/// ClassDistance::fit throws.
std::vector<double> distances_left_out(const FeatureTable& training, std::span<const int> labels,
                                       const FeaturePipeline& pipeline);
inline constexpr int kClassDistanceFolds = 20;

}  // namespace leafglyph
