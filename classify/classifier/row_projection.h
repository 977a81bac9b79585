// Rows as a classifier compares them, in a few columns: for stores and indexes of many leaves.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "classify/classifier/feature_pipeline.h"

namespace leafglyph {

/// The first directions of a fitted Plda, along which classes differ most. A row z becomes
///
///   y = sqrt(beta) x, of length 1, for x = Plda::transform(z) and beta = b / (1 + b),
///
/// so that the Euclidean distance of two y is what the classifier's search compares. Immutable.
class RowProjection {
 public:
  /// Of rows with the layout `own`, which has the columns of the pipeline and perhaps others.
  /// Throws UsageError if it does not, or if the pipeline has no Plda or fewer directions.
  RowProjection(const FeaturePipeline& pipeline, const FeatureLayout& own, std::size_t directions);
  /// What bytes() wrote. Throws FormatError, naming `source`, if it is damaged or of rows with
  /// another number of columns.
  RowProjection(std::string_view bytes, const FeatureLayout& own, const std::string& source);

  /// A .npy file with doubles, (4 + directions) x (columns + 1): by column the offset, the scale
  /// and the limit of ColumnScales and the mean of the rows, then each direction's weights
  /// (Plda::matrix). The number at the end of the offsets is PipelineSpec::log_floor, that at the
  /// end of each direction its b; the others are 0.
  std::string bytes() const;

  std::size_t columns() const { return pipeline_.layout().columns(); }
  std::size_t directions() const { return pipeline_.dimension(); }
  /// b of each direction.
  std::span<const double> spread() const { return pipeline_.state().plda->spread(); }
  /// "direction_1" and so on.
  std::vector<std::string> names() const;

  /// Component j of row i is at [i * directions() + j]. A row's result does not depend on the
  /// others. Throws UsageError if the rows have another number of columns.
  std::vector<float> apply(std::span<const float> rows) const;

 private:
  FeaturePipeline pipeline_;
};

}  // namespace leafglyph
