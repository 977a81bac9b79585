// Plda fitted to all rows of a table, and to those that each split does not test.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "classify/classifier/feature_pipeline.h"
#include "classify/classifier/fit_work.h"
#include "classify/classifier/plda.h"
#include "classify/table/feature_table.h"
#include "classify/table/row_arithmetic.h"

namespace leafglyph {

/// The log_floor of scaled_rows.
double log_floor_of(const PipelineSpec& spec);

/// Rows as the pipeline scales them. With kPlda they are rounded, so that their sums are exact.
std::vector<float> rows_in(const ColumnScales& scales, const FeatureLayout& layout,
                           const PipelineSpec& spec, std::span<const float> rows);
/// The same, written to `scaled`, which must be as long as the rows.
void scale(const ColumnScales& scales, const FeatureLayout& layout, const PipelineSpec& spec,
           std::span<const float> rows, std::span<float> scaled);

/// The labels of classes, and their means in the directions of a fit.
struct ClassMeans {
  std::vector<int> labels;
  std::vector<float> centres;
};

/// Fits, and the means of their classes, but for those of the first fit.
struct SplitFits {
  explicit SplitFits(std::size_t count) : fits(count), means(count) {}

  std::vector<std::optional<Plda>> fits;
  std::vector<ClassMeans> means;
  std::vector<float> scaled;  ///< the rows of the table (rows_in), if at most kRowsHeld; else empty
};

/// Rows that are fitted to: their table and classes, and `tested`, which rows each fit is without,
/// in ascending order.
struct FittedTo {
  const FeatureTable& table;
  std::span<const int> labels;
  const ColumnScales& scales;
  const PipelineSpec& spec;
  std::span<const std::span<const std::size_t>> tested;
};

/// For each element of to.tested a fit, with the prior, to the scaled rows of the leaves that are
/// not in it. `sums` are those of all rows; null: not known. Throws what PldaFit throws.
SplitFits fits_without(const FittedTo& to, const ScatterPrior& prior, const ClassSums* sums,
                       const FitWork& work);

}  // namespace leafglyph
