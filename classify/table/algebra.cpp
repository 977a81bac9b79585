#include "classify/table/algebra.h"

#include <fmt/format.h>

#include <cblas.h>
#include <lapacke.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <new>
#include <utility>

#include "features/base/errors.h"

namespace leafglyph {
namespace {

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

void check_solved(lapack_int info, std::size_t n) {
  check_memory(info);
  if (info != 0) {
    throw UsageError(fmt::format(
        "a scatter matrix of {} columns is singular: raise pipeline.shrinkage above 0", n));
  }
}

void check_converged(lapack_int info, std::size_t n) {
  check_memory(info);
  if (info != 0) {
    throw Error(fmt::format(
        "the eigenvalues of a matrix of {} columns did not converge: are the features finite?", n));
  }
}

// The largest first, from `count` eigenvalues in ascending order and their vectors, with signs as
// SymmetricEigen has them.
SymmetricEigen largest_first(std::span<const double> ascending, std::span<const double> vectors,
                             std::size_t n) {
  SymmetricEigen eigen;
  eigen.values.assign(ascending.rbegin(), ascending.rend());
  eigen.vectors.resize(vectors.size());
  for (std::size_t j = 0; j < ascending.size(); ++j) {
    const double* from = &vectors[(ascending.size() - 1 - j) * n];
    const double* largest = std::max_element(
        from, from + n, [](double a, double b) { return std::abs(a) < std::abs(b); });
    const double sign = *largest < 0.0 ? -1.0 : 1.0;
    for (std::size_t i = 0; i < n; ++i) eigen.vectors[j * n + i] = sign * from[i];
  }
  return eigen;
}

}  // namespace

void add_outer_products(std::span<const double> a, std::size_t rows, std::size_t columns,
                        double alpha, std::span<double> c) {
  const int n = static_cast<int>(rows);
  cblas_dsyrk(CblasColMajor, CblasLower, CblasNoTrans, n, static_cast<int>(columns), alpha,
              a.data(), n, /*beta=*/1.0, c.data(), n);
}

void add_outer_products(std::span<const float> a, std::size_t rows, std::size_t columns,
                        float alpha, std::span<float> c) {
  const int n = static_cast<int>(rows);
  cblas_ssyrk(CblasColMajor, CblasLower, CblasNoTrans, n, static_cast<int>(columns), alpha,
              a.data(), n, /*beta=*/1.0F, c.data(), n);
}

namespace {

// Two panels of this many rows of A, in double, fit the second cache.
constexpr std::size_t kTile = 256;

/// The first row and column of a tile, and how many it has.
struct Tile {
  std::size_t row, rows, column, columns;
};

Tile tile_at(std::size_t tile, std::size_t rows) {
  std::size_t strip = 0;
  for (; tile > strip; ++strip) tile -= strip + 1;
  const auto present = [&](std::size_t first) { return std::min(kTile, rows - first); };
  return {strip * kTile, present(strip * kTile), tile * kTile, present(tile * kTile)};
}

}  // namespace

std::size_t tiles_of(std::size_t rows) {
  const std::size_t strips = (rows + kTile - 1) / kTile;
  return strips * (strips + 1) / 2;
}

void add_to_tile(std::size_t tile, std::span<const float> a, std::size_t rows, std::size_t columns,
                 double alpha, std::span<double> c) {
  const Tile t = tile_at(tile, rows);
  const int n = static_cast<int>(rows), m = static_cast<int>(t.rows);
  double* const sums = &c[t.column * rows + t.row];
  std::vector<double> left, right;
  for (std::size_t first = 0; first < columns; first += kTile) {
    const std::size_t end = std::min(columns, first + kTile);
    const auto copy = [&](std::size_t row, std::size_t count, std::vector<double>& values) {
      values.clear();
      values.reserve((end - first) * count);
      for (std::size_t k = first; k < end; ++k) {
        const auto part = a.subspan(k * rows + row, count);
        values.insert(values.end(), part.begin(), part.end());
      }
    };
    const int depth = static_cast<int>(end - first);
    copy(t.row, t.rows, left);
    if (t.row == t.column) {
      cblas_dsyrk(CblasColMajor, CblasLower, CblasNoTrans, m, depth, alpha, left.data(), m,
                  /*beta=*/1.0, sums, n);
      continue;
    }
    copy(t.column, t.columns, right);
    cblas_dgemm(CblasColMajor, CblasNoTrans, CblasTrans, m, static_cast<int>(t.columns), depth,
                alpha, left.data(), m, right.data(), static_cast<int>(t.columns), /*beta=*/1.0,
                sums, n);
  }
}

void add_to_tile(std::size_t tile, std::span<const float> a, std::size_t rows, std::size_t columns,
                 float alpha, std::span<float> c) {
  if (columns == 0) return;
  const Tile t = tile_at(tile, rows);
  const int n = static_cast<int>(rows), depth = static_cast<int>(columns);
  float* const sums = &c[t.column * rows + t.row];
  if (t.row == t.column) {
    cblas_ssyrk(CblasColMajor, CblasLower, CblasNoTrans, static_cast<int>(t.rows), depth, alpha,
                &a[t.row], n, /*beta=*/1.0F, sums, n);
    return;
  }
  cblas_sgemm(CblasColMajor, CblasNoTrans, CblasTrans, static_cast<int>(t.rows),
              static_cast<int>(t.columns), depth, alpha, &a[t.row], n, &a[t.column], n,
              /*beta=*/1.0F, sums, n);
}

std::vector<double> inner_products(std::span<const double> a, std::size_t rows,
                                   std::size_t columns) {
  std::vector<double> c(columns * columns);
  const int n = static_cast<int>(columns), depth = static_cast<int>(rows);
  cblas_dsyrk(CblasColMajor, CblasLower, CblasTrans, n, depth, /*alpha=*/1.0, a.data(), depth,
              /*beta=*/0.0, c.data(), n);
  return c;
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

// LAPACKE's check for numbers that are not finite would read the matrix once more.
void factorise(std::span<float> s, std::size_t n) {
  const auto size = static_cast<lapack_int>(n);
  check_solved(LAPACKE_spotrf_work(LAPACK_COL_MAJOR, 'L', size, s.data(), size), n);
}

void factorise(std::span<double> s, std::size_t n) {
  const auto size = static_cast<lapack_int>(n);
  check_solved(LAPACKE_dpotrf_work(LAPACK_COL_MAJOR, 'L', size, s.data(), size), n);
}

void solve_factorised(std::span<const double> l, std::span<double> b, std::size_t n,
                      std::size_t columns) {
  const auto size = static_cast<lapack_int>(n);
  check_memory(LAPACKE_dpotrs_work(LAPACK_COL_MAJOR, 'L', size, static_cast<lapack_int>(columns),
                                   l.data(), size, b.data(), size));
}

void solve_lower(std::span<const float> l, std::span<float> b, std::size_t n, std::size_t columns) {
  const int size = static_cast<int>(n);
  cblas_strsm(CblasColMajor, CblasLeft, CblasLower, CblasNoTrans, CblasNonUnit, size,
              static_cast<int>(columns), /*alpha=*/1.0F, l.data(), size, b.data(), size);
}

void solve_lower_transposed(std::span<const float> l, std::span<float> b, std::size_t n,
                            std::size_t columns) {
  const int size = static_cast<int>(n);
  cblas_strsm(CblasColMajor, CblasLeft, CblasLower, CblasTrans, CblasNonUnit, size,
              static_cast<int>(columns), /*alpha=*/1.0F, l.data(), size, b.data(), size);
}

void whiten(std::span<float> a, std::span<const float> l, std::size_t n) {
  const auto size = static_cast<lapack_int>(n);
  check_memory(LAPACKE_ssygst_work(LAPACK_COL_MAJOR, /*itype=*/1, 'L', size, a.data(), size,
                                   l.data(), size));
}

// LAPACK's divide-and-conquer solver (dsyevd) returns the eigenvalues in ascending order.
SymmetricEigen symmetric_eigen(std::vector<double> matrix, std::size_t n) {
  const auto size = static_cast<lapack_int>(n);
  std::vector<double> ascending(n);
  check_converged(
      LAPACKE_dsyevd(LAPACK_COL_MAJOR, 'V', 'L', size, matrix.data(), size, ascending.data()), n);
  return largest_first(ascending, matrix, n);
}

// dsyevr finds those of a range of ranks, counted from the smallest.
SymmetricEigen largest_eigen(std::vector<double> matrix, std::size_t n, std::size_t count) {
  const auto size = static_cast<lapack_int>(n), wanted = static_cast<lapack_int>(count);
  std::vector<double> ascending(n), vectors(n * count);
  std::vector<lapack_int> support(2 * count);
  lapack_int found = 0;
  check_converged(LAPACKE_dsyevr(LAPACK_COL_MAJOR, 'V', 'I', 'L', size, matrix.data(), size,
                                 /*vl=*/0.0, /*vu=*/0.0, size - wanted + 1, size, /*abstol=*/0.0,
                                 &found, ascending.data(), vectors.data(), size, support.data()),
                  n);
  ascending.resize(count);
  return largest_first(ascending, vectors, n);
}

// Of a large matrix most are below the bound: dsyevr then takes less than half of dsyevd's time.
SymmetricEigen eigen_above(std::vector<double> matrix, std::size_t n, double bound) {
  constexpr std::size_t kLarge = 256;
  if (n <= kLarge) {
    SymmetricEigen eigen = symmetric_eigen(std::move(matrix), n);
    const auto kept = static_cast<std::size_t>(
        std::ranges::find_if(eigen.values, [&](double value) { return !(value > bound); }) -
        eigen.values.begin());
    eigen.values.resize(kept);
    eigen.vectors.resize(kept * n);
    return eigen;
  }
  double trace = 0;
  for (std::size_t j = 0; j < n; ++j) trace += matrix[j * n + j];
  if (trace <= bound) return {};
  const auto size = static_cast<lapack_int>(n);
  std::vector<double> ascending(n);
  const auto vectors = std::make_unique_for_overwrite<double[]>(n * n);  // few are written
  std::vector<lapack_int> support(2 * n);
  lapack_int found = 0;
  check_converged(LAPACKE_dsyevr(LAPACK_COL_MAJOR, 'V', 'V', 'L', size, matrix.data(), size, bound,
                                 /*vu=*/2 * trace, /*il=*/0, /*iu=*/0, /*abstol=*/0.0, &found,
                                 ascending.data(), vectors.get(), size, support.data()),
                  n);
  const auto kept = static_cast<std::size_t>(found);
  ascending.resize(kept);
  return largest_first(ascending, {vectors.get(), kept * n}, n);
}

}  // namespace leafglyph
