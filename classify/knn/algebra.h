// The few BLAS and LAPACK routines that the feature pipeline needs, on column-major matrices of
// doubles.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace leafglyph {

/// C = alpha A A^T, both triangles, for A of rows x columns (column j at a[j * rows]).
std::vector<double> outer_gram(std::span<const double> a, std::size_t rows, std::size_t columns,
                               double alpha);
/// C = alpha A^T A, both triangles, for A of rows x columns.
std::vector<double> inner_gram(std::span<const double> a, std::size_t rows, std::size_t columns,
                               double alpha);
/// A B for A of rows x depth and B of depth x columns.
std::vector<double> product(std::span<const double> a, std::span<const double> b, std::size_t rows,
                            std::size_t depth, std::size_t columns);
/// A^T B for A of depth x rows and B of depth x columns.
std::vector<double> product_tn(std::span<const double> a, std::span<const double> b,
                               std::size_t rows, std::size_t depth, std::size_t columns);

/// Columns of a float matrix; consecutive columns are `stride` numbers apart.
struct FloatColumns {
  const float* first = nullptr;
  std::size_t count = 0;
  std::size_t stride = 0;
};
/// c = A^T B, using only the first `depth` rows of A and B. The product of A's column i and B's
/// column j is at c[j * a.count + i].
void product_tn(const FloatColumns& a, const FloatColumns& b, std::size_t depth,
                std::span<float> c);

/// Solves S X = B for symmetric positive definite S (n x n, overwritten by its Cholesky factor) and
/// B (n x columns, overwritten by X). Throws UsageError when S is not positive definite, which a
/// positive pipeline.shrinkage prevents.
void solve_positive_definite(std::span<double> s, std::span<double> b, std::size_t n,
                             std::size_t columns);

/// Eigenvalues, largest first, and eigenvectors (vector j at vectors[j * n]) of a symmetric matrix.
/// To make each vector unique, its sign is chosen so that its largest component is positive.
struct SymmetricEigen {
  std::vector<double> values;
  std::vector<double> vectors;
};
/// Throws Error when LAPACK does not converge.
SymmetricEigen symmetric_eigen(std::vector<double> matrix, std::size_t n);

}  // namespace leafglyph
