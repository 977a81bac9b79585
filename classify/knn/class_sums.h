// Sums over the rows of each class, from which discriminants are fitted. They add up over parts of
// the rows.
#pragma once

#include <cstddef>
#include <map>
#include <span>
#include <vector>

namespace leafglyph {

/// The number of rows of a class, and their sum.
struct ClassSum {
  std::size_t rows = 0;
  std::vector<double> sum;  ///< one value per column
};

class ClassSums {
 public:
  explicit ClassSums(std::size_t columns);

  /// Adds rows (column j of row i at rows[i * columns() + j]) of classes `labels`. Throws
  /// UsageError if the lengths do not fit.
  void add(std::span<const float> rows, std::span<const int> labels);
  /// Adds the sums of other rows. Throws UsageError if they have other columns.
  void add(const ClassSums& other);

  std::size_t columns() const { return columns_; }
  std::size_t rows() const;
  /// The classes, by label.
  const std::map<int, ClassSum>& classes() const { return classes_; }
  std::vector<double> mean() const;  ///< of all rows
  /// The sum over all rows of z z^T: the lower triangle of columns() x columns(), column by column,
  /// with 0 above it; empty if there never was a row.
  const std::vector<double>& products() const { return products_; }
  /// The sum over all rows of (z - m)(z - m)^T, where m is the mean of the row's class, as
  /// products().
  std::vector<double> within() const;

 private:
  std::size_t columns_;
  std::map<int, ClassSum> classes_;
  std::vector<double> products_;  // made with the first row
};

}  // namespace leafglyph
