// Rows of features in the units of their columns, and their products with a matrix, with the widest
// registers of this processor.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "classify/table/feature_table.h"

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

/// The same, written to `scaled`, which must be as long as the rows.
void scale_rows(const FeatureLayout& layout, std::span<const float> rows,
                const ColumnScales& scales, double log_floor, float grid, std::span<float> scaled);

/// A matrix A, rounded to float and laid out for products with many rows. Each product is summed in
/// the same order whatever the other rows are; those of a BLAS may not be when there are more of
/// them.
class RowProducts {
 public:
  RowProducts() = default;
  /// Column c of a row is multiplied by A's row c, matrix[c * p] to matrix[c * p + p - 1], for
  /// p = matrix.size() / columns. Throws UsageError if the lengths do not fit.
  RowProducts(std::span<const double> matrix, std::size_t columns);

  std::size_t columns() const { return columns_; }
  std::size_t length() const { return length_; }  ///< p

  /// x A for each of `count` rows x (column c of row i at rows[i * columns() + c]): component j of
  /// row i at products[i * length() + j]. Products are summed in float over kBlock columns, and
  /// these sums in double, in ascending order. Throws UsageError if the lengths do not fit.
  void multiply(std::span<const float> rows, std::size_t count, std::span<double> products) const;
  static constexpr std::size_t kBlock = 128;

 private:
  std::size_t columns_ = 0, length_ = 0;
  std::vector<float> strips_;  // some numbers of each of A's rows, then the next ones
};

}  // namespace leafglyph
