// How far a feature row is from the nearest class, measured along all directions of the feature
// space. Along only those that separate the classes, leaves of other species may look the same.
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
/// the number of rows minus the number of classes). It is shrunk by half towards a multiple of the
/// identity, because there are fewer leaves than columns (Friedman 1989; Ledoit and Wolf 2004).
///
/// Before that, each moment's column is divided by the square root of its variance about the class
/// means. This variance is shrunk by half towards the median variance of the moments (Opgen-Rhein
/// and Strimmer 2007): with few leaves, a variance may be small by chance, and its column would
/// then set known leaves apart. The global measures have different units, so each is divided by its
/// own standard deviation. Values and weights are those of the pipeline.
///
/// Let v_k and l_k be the unit eigenvectors and eigenvalues of W, and t = tr W / d. The scale
/// includes the factor sqrt(2 / t), and direction k is d_k = sqrt(l_k / (l_k + t)) v_k. For
/// e = z - m_c in this scale,
///
///   D^2 = min_c (|e|^2 - sum_k (e . d_k)^2).
class ClassDistance {
 public:
  /// Fits to the rows of `training` with classes `labels`; drops the columns that `pipeline` drops.
  /// Throws UsageError when no column varies within a class.
  static ClassDistance fit(const FeatureTable& training, std::span<const int> labels,
                           const FeaturePipeline& pipeline);

  /// Uses a saved state, for rows of `layout` whose values follow `spec`. Throws FormatError,
  /// naming `source`, when the state does not fit the layout.
  ClassDistance(FeatureLayout layout, PipelineSpec spec, ClassDistanceState state,
                const std::string& source);

  const ClassDistanceState& state() const { return state_; }
  std::size_t classes() const { return state_.means.size() / layout_.columns(); }

  /// D of each row, which does not depend on the other rows. Throws UsageError when the table has a
  /// different layout.
  std::vector<double> distances(const FeatureTable& table) const;

 private:
  double distance(std::span<const double> scaled) const;

  FeatureLayout layout_;
  PipelineSpec spec_;
  ClassDistanceState state_;
  std::vector<double> mean_shares_;  // of class c along direction k: [c * directions + k]
};

/// D of each training row, measured without that row: by kClassDistanceFolds folds, or one row at a
/// time if there are no more rows than folds. A class with only one row contributes no distance.
/// Throws what ClassDistance::fit throws.
std::vector<double> distances_left_out(const FeatureTable& training, std::span<const int> labels,
                                       const FeaturePipeline& pipeline);
inline constexpr int kClassDistanceFolds = 20;

}  // namespace leafglyph
