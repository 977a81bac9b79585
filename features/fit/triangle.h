// The triangle R of A = Q R for matrices of more rows than memory holds, and solutions by it.
// LAPACK's dtpqrt does the same, but the library of moments is also built without LAPACK.
#pragma once

#include <cstddef>
#include <span>
#include <utility>
#include <vector>

namespace leafglyph {

/// An upper triangular matrix, row-major, n x n.
class Triangle {
 public:
  explicit Triangle(std::size_t n) : n_(n), values_(n * n, 0.0) {}
  std::size_t size() const { return n_; }

  /// Adds rows to the matrix whose triangle this is, by the reflections of Householder: each of
  /// them involves one row of the triangle and all new rows (G. H. Golub and C. F. Van Loan, Matrix
  /// Computations, 5.2 and 6.5.3), so that no product of A with itself squares its condition.
  /// `rows` (count x n, row-major) is used up.
  void add_rows(std::span<double> rows);
  /// Adds the rows of another triangle.
  void add(const Triangle& other);

  /// The triangle of A from A^T A (n x n, row-major; its upper half is read), by Cholesky's method:
  /// less work, but the products square the condition of A. False, and the triangle is not to be
  /// used, where a column depends on others as far as they show.
  bool take_products(std::span<const double> products);

  /// x = R^-1 R^-T b for each row of b (count x n), in place.
  void solve_both(std::span<double> b) const;
  /// The smallest and the largest singular value of the first `size` columns, by power iterations
  /// to about a hundredth; the smallest is 0 if a column depends on others.
  std::pair<double, double> singular_range(std::size_t size) const;
  /// The diagonal of (R^T R)^-1.
  std::vector<double> inverse_diagonal() const;

 private:
  double& at(std::size_t row, std::size_t column) { return values_[row * n_ + column]; }
  double at(std::size_t row, std::size_t column) const { return values_[row * n_ + column]; }
  void solve_first(std::span<double> b) const;             // of b.size() columns
  void solve_transposed_first(std::span<double> b) const;  // of b.size() columns

  std::size_t n_;
  std::vector<double> values_;
};

}  // namespace leafglyph
