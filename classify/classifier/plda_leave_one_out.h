// Plda fitted to all rows but one, for many rows in turn, at a small part of the cost of that many
// fits.
#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <span>
#include <vector>

#include "classify/classifier/class_sums.h"
#include "classify/classifier/plda.h"

namespace leafglyph {

/// Without a row z of a class of m rows with the mean y, the scatter H within classes is less by
/// v v^T, for v = sqrt(m / (m - 1)) (z - y). Shrinkage adds a multiple of the identity that is in
/// proportion to the trace of H: W is k (H + g I), and without the row
///
///   W' = k' (H + g I - d I - v v^T),  d = g |v|^2 / tr H.
///
/// The inverse of H + g I - d I is the series of d^t (H + g I)^-(t + 1), and v v^T adds a matrix of
/// rank 1 to it (Sherman and Morrison). With the products of these powers, the rows and the factors
/// of B at hand, a row takes operations on matrices of the factors only. They are in double: the
/// results are those of PldaFit up to its rounding.
class PldaLeaveOneOut {
 public:
  /// Whether the spec allows it: with a shrinkage below 1 and without augmentation.
  static bool is_possible(const PldaSpec& spec) {
    return spec.shrinkage < 1 && spec.augmentation == 0;
  }

  /// Column j of row i is at rows[i * sums.columns() + j]; `sums` are those of the rows. The sums
  /// must outlive this. Throws UsageError if the lengths do not fit, there are fewer than two
  /// classes, or it is not possible.
  PldaLeaveOneOut(const PldaFit& fit, const ClassSums& sums, std::span<const float> rows,
                  std::span<const int> labels);

  /// Not for the only row of its class, nor for one so far from its class that the series is long.
  bool can_leave_out(std::size_t row) const;

  /// A model of all rows but one, and Plda::transform of every row, this one included.
  struct Left {
    Plda plda;
    std::vector<float> transformed;
  };
  /// Calls take(i, left) for each row which[i], which can be left out; from several threads.
  void for_each(std::span<const std::size_t> which,
                const std::function<void(std::size_t, Left)>& take) const;

 private:
  /// (H + g I)^-1, (H + g I)^-2, ... times some columns. Matrices are column-major.
  struct Powers {
    std::vector<std::vector<double>> values;
    std::vector<std::vector<double>> with_rows, with_factors;  // rows times values, and so on
  };
  Powers powers_of(std::vector<double> columns, std::size_t count, std::size_t terms) const;
  std::vector<double> deviation(std::size_t row) const;
  std::size_t terms_for(double reach) const;
  Left without(std::size_t row, std::span<const double> v, const Powers& of_block,
               std::size_t place) const;

  const ClassTotals* totals_;
  PldaSpec spec_;
  std::vector<int> labels_;
  std::size_t columns_, factor_count_;
  std::vector<double> mean_, rows_;       // the mean of the rows, and the rows less it
  std::map<int, std::size_t> factor_of_;  // of each class
  std::vector<double> factors_;           // F^T
  double means_ = 0;                      // n1 + K - 1: B's factors are divided by its root
  double noise_ = 0;                      // times means_
  std::vector<double> inverse_;           // the Cholesky factor of H + g I
  double trace_ = 0, added_ = 0;          // tr H and g
  std::vector<double> reach_;             // |v|^2 / tr H of each row
  Powers of_factors_;
};

}  // namespace leafglyph
