#include "classify/knn/algebra.h"

#include <fmt/format.h>

#include <cblas.h>
#include <lapacke.h>

#include <algorithm>
#include <cmath>
#include <new>
#include <string>

#include "features/base/errors.h"

namespace leafglyph {
namespace {

// alpha A^T A if `inner`, otherwise alpha A A^T, for A of rows x columns. dsyrk fills only the
// lower triangle, which is then copied to the upper one.
std::vector<double> gram(std::span<const double> a, std::size_t rows, std::size_t columns,
                         double alpha, bool inner) {
  const std::size_t size = inner ? columns : rows;
  std::vector<double> c(size * size);
  const int n = static_cast<int>(size);
  const int depth = static_cast<int>(inner ? rows : columns);
  cblas_dsyrk(CblasColMajor, CblasLower, inner ? CblasTrans : CblasNoTrans, n, depth, alpha,
              a.data(), static_cast<int>(rows), /*beta=*/0.0, c.data(), n);
  for (std::size_t j = 0; j < size; ++j) {
    for (std::size_t i = j + 1; i < size; ++i) c[i * size + j] = c[j * size + i];
  }
  return c;
}

std::vector<double> multiply(bool transpose, std::span<const double> a, std::span<const double> b,
                             std::size_t rows, std::size_t depth, std::size_t columns) {
  std::vector<double> c(rows * columns);
  const int m = static_cast<int>(rows);
  const int n = static_cast<int>(columns);
  const int k = static_cast<int>(depth);
  cblas_dgemm(CblasColMajor, transpose ? CblasTrans : CblasNoTrans, CblasNoTrans, m, n, k,
              /*alpha=*/1.0, a.data(), transpose ? k : m, b.data(), k, /*beta=*/0.0, c.data(), m);
  return c;
}

// Throws if LAPACKE could not allocate its workspace.
void check_memory(lapack_int info) {
  if (info == LAPACK_WORK_MEMORY_ERROR) throw std::bad_alloc();
}

}  // namespace

std::vector<double> outer_gram(std::span<const double> a, std::size_t rows, std::size_t columns,
                               double alpha) {
  return gram(a, rows, columns, alpha, /*inner=*/false);
}

std::vector<double> inner_gram(std::span<const double> a, std::size_t rows, std::size_t columns,
                               double alpha) {
  return gram(a, rows, columns, alpha, /*inner=*/true);
}

std::vector<double> product(std::span<const double> a, std::span<const double> b, std::size_t rows,
                            std::size_t depth, std::size_t columns) {
  return multiply(/*transpose=*/false, a, b, rows, depth, columns);
}

std::vector<double> product_tn(std::span<const double> a, std::span<const double> b,
                               std::size_t rows, std::size_t depth, std::size_t columns) {
  return multiply(/*transpose=*/true, a, b, rows, depth, columns);
}

void product_tn(const FloatColumns& a, const FloatColumns& b, std::size_t depth,
                std::span<float> c) {
  const int m = static_cast<int>(a.count);
  cblas_sgemm(CblasColMajor, CblasTrans, CblasNoTrans, m, static_cast<int>(b.count),
              static_cast<int>(depth), /*alpha=*/1.0F, a.first, static_cast<int>(a.stride), b.first,
              static_cast<int>(b.stride), /*beta=*/0.0F, c.data(), m);
}

void solve_positive_definite(std::span<double> s, std::span<double> b, std::size_t n,
                             std::size_t columns) {
  const auto size = static_cast<lapack_int>(n);
  const lapack_int info =
      LAPACKE_dposv(LAPACK_COL_MAJOR, 'L', size, static_cast<lapack_int>(columns), s.data(), size,
                    b.data(), size);
  check_memory(info);
  if (info != 0) {
    throw UsageError(fmt::format(
        "a scatter matrix of {} columns is singular: raise pipeline.shrinkage above 0", n));
  }
}

// LAPACK's divide-and-conquer solver (dsyevd) returns the eigenvalues in ascending order. They
// are reversed here, and so are their eigenvectors.
SymmetricEigen symmetric_eigen(std::vector<double> matrix, std::size_t n) {
  const auto size = static_cast<lapack_int>(n);
  std::vector<double> ascending(n);
  const lapack_int info =
      LAPACKE_dsyevd(LAPACK_COL_MAJOR, 'V', 'L', size, matrix.data(), size, ascending.data());
  check_memory(info);
  if (info != 0) {
    throw Error(fmt::format(
        "the eigenvalues of a matrix of {} columns did not converge: are the features finite?", n));
  }
  SymmetricEigen eigen;
  eigen.values.assign(ascending.rbegin(), ascending.rend());
  eigen.vectors.resize(n * n);
  for (std::size_t j = 0; j < n; ++j) {
    const double* from = &matrix[(n - 1 - j) * n];
    const double* largest = std::max_element(
        from, from + n, [](double a, double b) { return std::abs(a) < std::abs(b); });
    const double sign = *largest < 0.0 ? -1.0 : 1.0;
    for (std::size_t i = 0; i < n; ++i) eigen.vectors[j * n + i] = sign * from[i];
  }
  return eigen;
}

}  // namespace leafglyph
