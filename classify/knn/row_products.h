// Products of rows and a matrix, each of which is summed in the same order whatever the other rows
// are. Matrix products of a BLAS may sum a row in another order when there are more of them.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace leafglyph {

/// A matrix A, rounded to float and laid out for products with many rows.
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
