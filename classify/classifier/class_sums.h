// Sums over the rows of each class, from which discriminants are fitted. They add up over parts of
// the rows.
#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <span>
#include <vector>

#include "features/base/aligned_vector.h"

namespace leafglyph {

/// The number of rows of a class, and their sum.
struct ClassSum {
  std::size_t rows = 0;
  std::vector<double> sum;  ///< one value per column
};

/// The sum of the rows of each class, by label.
using ClassTotals = std::map<int, ClassSum>;

/// Rows (column j of row i at values[i * columns + j]) and the labels of their classes.
struct LabelledRows {
  std::span<const float> values;
  std::span<const int> labels;
};

/// Adds rows of classes `labels` (column j of row i at rows[i * columns + j]) to their classes.
void add_to(ClassTotals& totals, std::span<const float> rows, std::span<const int> labels,
            std::size_t columns);

/// Classes without some of their rows, where their sums lie: none is copied, since those of many
/// classes take as much memory as all else.
class RemainingClasses {
 public:
  /// The totals less `off`, if there is any; both must outlive it. Throws UsageError if `off` has
  /// more rows of a class.
  RemainingClasses(const ClassTotals& totals, const ClassTotals* off = nullptr);  // NOLINT: a view

  std::size_t size() const { return size_; }              ///< classes of which rows are left
  std::size_t before() const { return totals_->size(); }  ///< classes before rows were taken off
  /// Takes a class of which rows are left: its label, their number and their sum.
  using Take = std::function<void(int label, double rows, std::span<const double> sum)>;
  /// Calls take for each class, in the order of their labels.
  void for_each(const Take& take) const;

 private:
  const ClassTotals* totals_;
  const ClassTotals* off_;
  std::size_t size_;
};

/// The mean of all rows.
std::vector<double> mean_of(const RemainingClasses& classes, std::size_t columns);

/// Rows whose values are multiples of kGrid, so that their products are multiples of its square:
/// sums of these are exact as long as the squares of a column add up to less than 2^53 of them,
/// which is 2^27, or millions of rows in usual units. Exact sums do not depend on the order of the
/// rows nor on the parts in which they were added, and a part that is taken off leaves exactly the
/// sums of the other rows.
class ClassSums {
 public:
  static constexpr float kGrid = 0x1p-13F;

  explicit ClassSums(std::size_t columns);
  /// Sums that were made before: classes() and products(). Throws UsageError if they do not fit.
  ClassSums(std::size_t columns, ClassTotals classes, LargeVector<double> products);

  /// Adds rows (column j of row i at rows[i * columns() + j]) of classes `labels`. Throws
  /// UsageError if the lengths do not fit.
  void add(std::span<const float> rows, std::span<const int> labels);
  /// Adds the sums of other rows. Throws UsageError if they have other columns.
  void add(const ClassSums& other);
  /// Takes off the sums of some of the rows. Throws UsageError if they have other columns or more
  /// rows of a class.
  void take_off(const ClassSums& part);

  std::size_t columns() const { return columns_; }
  std::size_t rows() const;
  /// The classes, by label.
  const ClassTotals& classes() const { return classes_; }
  /// The sum over all rows of z z^T: the lower triangle of columns() x columns(), column by column,
  /// with 0 above it; empty if there never was a row.
  std::span<const double> products() const { return products_; }
  /// The sum over all rows of (z - m)(z - m)^T, where m is the mean of the row's class, as
  /// products().
  std::vector<double> within() const;

 private:
  std::size_t columns_;
  ClassTotals classes_;
  LargeVector<double> products_;  // made with the first row
};

}  // namespace leafglyph
