// The few BLAS and LAPACK routines that the classifier needs, on column-major matrices.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace leafglyph {

/// Adds alpha A A^T to the lower triangle of C (rows x rows), for A of rows x columns.
void add_outer_products(std::span<const double> a, std::size_t rows, std::size_t columns,
                        double alpha, std::span<double> c);
void add_outer_products(std::span<const float> a, std::size_t rows, std::size_t columns,
                        float alpha, std::span<float> c);
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

/// Solves S X = B for symmetric positive definite S (n x n, of which the lower triangle is used and
/// overwritten by its Cholesky factor) and B (n x columns, overwritten by X). Throws UsageError
/// when S is not positive definite, which a positive pipeline.shrinkage prevents.
void solve_positive_definite(std::span<float> s, std::span<float> b, std::size_t n,
                             std::size_t columns);

/// Eigenvalues, largest first, and eigenvectors (vector j at vectors[j * n]) of a symmetric matrix.
/// To make each vector unique, its sign is chosen so that its largest component is positive.
struct SymmetricEigen {
  std::vector<double> values;
  std::vector<double> vectors;
};
/// All of them, or the `count` largest. Throws Error when LAPACK does not converge.
SymmetricEigen symmetric_eigen(std::vector<double> matrix, std::size_t n);
SymmetricEigen largest_eigen(std::vector<double> matrix, std::size_t n, std::size_t count);

}  // namespace leafglyph
