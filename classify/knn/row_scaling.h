// The scales of feature columns, and rows in them.
#pragma once

#include <span>
#include <vector>

#include "classify/knn/feature_table.h"

namespace leafglyph {

/// Column c with value v is used as (v - offset[c]) * scale[c], limited to +- limit[c]. A scale of
/// 0 drops the column.
struct ColumnScales {
  std::vector<double> offset, scale, limit;
};

/// Rows (column c of row i at [i * columns + c]) in these scales. The logarithm of a moment's
/// magnitude is taken after log_floor is added; with log_floor 0 the magnitude is used itself. With
/// a `grid` above 0, a power of two, values are rounded to its multiples. Throws UsageError if the
/// scales are those of other columns.
std::vector<float> scaled_rows(const FeatureLayout& layout, std::span<const float> rows,
                               const ColumnScales& scales, double log_floor, float grid = 0);

}  // namespace leafglyph
