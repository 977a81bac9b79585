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
/// The same for one square tile of C's lower triangle, of tiles_of(rows), so that several threads
/// can share the work. A's numbers are converted to those of C.
std::size_t tiles_of(std::size_t rows);
void add_to_tile(std::size_t tile, std::span<const float> a, std::size_t rows, std::size_t columns,
                 double alpha, std::span<double> c);
void add_to_tile(std::size_t tile, std::span<const float> a, std::size_t rows, std::size_t columns,
                 float alpha, std::span<float> c);
/// The lower triangle of A^T A (columns x columns) for A of rows x columns.
std::vector<double> inner_products(std::span<const double> a, std::size_t rows,
                                   std::size_t columns);
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

/// Overwrites the lower triangle of a symmetric positive definite matrix (n x n) by its Cholesky
/// factor L, S = L L^T. Throws UsageError when S is not positive definite, which a positive
/// pipeline.shrinkage prevents.
void factorise(std::span<float> s, std::size_t n);
void factorise(std::span<double> s, std::size_t n);
/// Overwrites B (n x columns) by L^-1 B, or by L^-T B, for a factor L.
void solve_lower(std::span<const float> l, std::span<float> b, std::size_t n, std::size_t columns);
void solve_lower_transposed(std::span<const float> l, std::span<float> b, std::size_t n,
                            std::size_t columns);
/// Overwrites B (n x columns) by S^-1 B, for the factor of S.
void solve_factorised(std::span<const double> l, std::span<double> b, std::size_t n,
                      std::size_t columns);
/// Overwrites the lower triangle of a symmetric A (n x n) by that of L^-1 A L^-T, for a factor L.
void whiten(std::span<float> a, std::span<const float> l, std::size_t n);

/// Eigenvalues, largest first, and eigenvectors (vector j at vectors[j * n]) of a symmetric matrix.
/// To make each vector unique, its sign is chosen so that its largest component is positive.
struct SymmetricEigen {
  std::vector<double> values;
  std::vector<double> vectors;
};
/// All of them, the `count` largest, or those above `bound` of a matrix without negative ones. The
/// lower triangle is read. Throws Error when LAPACK does not converge.
SymmetricEigen symmetric_eigen(std::vector<double> matrix, std::size_t n);
SymmetricEigen largest_eigen(std::vector<double> matrix, std::size_t n, std::size_t count);
SymmetricEigen eigen_above(std::vector<double> matrix, std::size_t n, double bound);

}  // namespace leafglyph
