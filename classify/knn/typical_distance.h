// How far a feature row is from what is typical of a class, over all features. Pictures of damaged
// or unknown leaves, or without a leaf, may lie near a class along the directions that separate the
// classes, and yet look like none of its leaves.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "classify/knn/feature_pipeline.h"
#include "classify/knn/feature_table.h"

namespace leafglyph {

/// The fitted state. Columns are those of the layout.
struct TypicalState {
  std::vector<double> scale;  ///< of each column; 0: dropped
  std::vector<double> means;  ///< of the scaled rows: class c's column j at [c * columns + j]
  std::vector<int> labels;    ///< of the classes, ascending
};

/// Root mean square deviation from a class,
///
///   T(x)^2 = mean_j (x_j - m_cj)^2 / v_j
///
/// over the columns j that vary, where m_c is the mean of class c and v_j the variance about the
/// class means. For moments, v_j is shrunk by half towards the median over the moments, because a
/// variance of few leaves can be small by chance. T is about 1 for a leaf like the training leaves.
class TypicalDistance {
 public:
  /// Fits to the rows of `training` with classes `labels`. Values and dropped columns are those of
  /// `pipeline`. If nothing varies within a class, every distance is 0.
  static TypicalDistance fit(const FeatureTable& training, std::span<const int> labels,
                             const FeaturePipeline& pipeline);

  /// Uses a saved state. Throws FormatError, naming `source`, when the state does not fit the
  /// layout.
  TypicalDistance(FeatureLayout layout, PipelineSpec spec, TypicalState state,
                  const std::string& source);

  const TypicalState& state() const { return state_; }

  /// The position of a class among those of the state. Throws UsageError for a class without
  /// training leaves.
  std::size_t place_of(int label) const;

  /// T of row i from class labels[i]. Throws UsageError when the table has a different layout, when
  /// there is not one label per row, or when a class has no training leaves.
  std::vector<double> distances(const FeatureTable& rows, std::span<const int> labels) const;
  /// T of row i from class c, at [i * classes + c], with the classes in the order of the state.
  /// Throws UsageError when the table has a different layout.
  std::vector<double> distances_to_all(const FeatureTable& rows) const;

 private:
  FeatureLayout layout_;
  PipelineSpec spec_;
  TypicalState state_;
  std::size_t kept_ = 0;  // columns that are not dropped
};

}  // namespace leafglyph
