// How far a feature row is from what is typical of a class, over all features: damaged, unknown and
// leafless pictures may lie near a class along the directions that separate classes and yet look
// like none of its leaves.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "classify/knn/feature_pipeline.h"
#include "classify/knn/feature_table.h"

namespace leafglyph {

/// What fitting learns. Columns are those of the layout.
struct TypicalState {
  std::vector<double> scale;  ///< of each column; 0: dropped
  std::vector<double> means;  ///< of the scaled rows: class c's column j at [c * columns + j]
  std::vector<int> labels;    ///< of the classes, ascending
};

///   T(x)^2 = mean_j (x_j - m_cj)^2 / v_j
///
/// over the columns j, m_c the mean of class c and v_j the variance about the class means, shrunk
/// by half towards the median of all of them, since a variance of few leaves can be small by
/// chance. 1 or so for a leaf like those learnt.
class TypicalDistance {
 public:
  /// Learns from the rows of `training`, whose classes are `labels`; values and dropped columns are
  /// those of `pipeline`. Where nothing varies within a class every distance is 0.
  static TypicalDistance fit(const FeatureTable& training, std::span<const int> labels,
                             const FeaturePipeline& pipeline);

  /// Learnt before. Throws FormatError, naming `source`, when the state does not fit the layout.
  TypicalDistance(FeatureLayout layout, PipelineSpec spec, TypicalState state,
                  const std::string& source);

  const TypicalState& state() const { return state_; }

  /// The place of a class among those of the state. Throws UsageError for one that was not learnt.
  std::size_t place_of(int label) const;

  /// T of row i from the class labels[i]. Throws UsageError when the table has another layout or a
  /// label was not learnt.
  std::vector<double> distances(const FeatureTable& rows, std::span<const int> labels) const;
  /// T of row i from class c, in the order of the state, at [i * classes + c]. Throws UsageError
  /// when the table has another layout.
  std::vector<double> distances_to_all(const FeatureTable& rows) const;

 private:
  FeatureLayout layout_;
  PipelineSpec spec_;
  TypicalState state_;
  std::size_t kept_ = 0;  // columns that count
};

}  // namespace leafglyph
