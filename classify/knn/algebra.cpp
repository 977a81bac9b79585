#include "classify/knn/algebra.h"

#include <algorithm>
#include <cmath>
#include <string>

#include "features/base/errors.h"

extern "C" {
void dsyrk_(const char* uplo, const char* trans, const int* n, const int* k, const double* alpha,
            const double* a, const int* lda, const double* beta, double* c, const int* ldc);
void dgemm_(const char* transa, const char* transb, const int* m, const int* n, const int* k,
            const double* alpha, const double* a, const int* lda, const double* b, const int* ldb,
            const double* beta, double* c, const int* ldc);
void dposv_(const char* uplo, const int* n, const int* columns, double* a, const int* lda,
            double* b, const int* ldb, int* info);
void dsyevd_(const char* jobz, const char* uplo, const int* n, double* a, const int* lda, double* w,
             double* work, const int* lwork, int* iwork, const int* liwork, int* info);
}

namespace leafglyph {
namespace {

std::vector<double> gram(std::span<const double> a, std::size_t rows, std::size_t columns,
                         double alpha, bool inner) {
  const std::size_t size = inner ? columns : rows;
  std::vector<double> c(size * size);
  const char trans = inner ? 'T' : 'N';
  const int n = static_cast<int>(size);
  const int depth = static_cast<int>(inner ? rows : columns);
  const int lda = static_cast<int>(rows);
  const double zero = 0.0;
  dsyrk_("L", &trans, &n, &depth, &alpha, a.data(), &lda, &zero, c.data(), &n);
  for (std::size_t j = 0; j < size; ++j) {
    for (std::size_t i = j + 1; i < size; ++i) c[i * size + j] = c[j * size + i];
  }
  return c;
}

std::vector<double> multiply(bool transpose, std::span<const double> a, std::span<const double> b,
                             std::size_t rows, std::size_t depth, std::size_t columns) {
  std::vector<double> c(rows * columns);
  const char trans = transpose ? 'T' : 'N';
  const int m = static_cast<int>(rows);
  const int n = static_cast<int>(columns);
  const int k = static_cast<int>(depth);
  const int lda = transpose ? k : m;
  const double one = 1.0;
  const double zero = 0.0;
  dgemm_(&trans, "N", &m, &n, &k, &one, a.data(), &lda, b.data(), &k, &zero, c.data(), &m);
  return c;
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

void solve_positive_definite(std::span<double> s, std::span<double> b, std::size_t n,
                             std::size_t columns) {
  const int size = static_cast<int>(n);
  const int right_sides = static_cast<int>(columns);
  int info = 0;
  dposv_("L", &size, &right_sides, s.data(), &size, b.data(), &size, &info);
  if (info != 0) {
    throw UsageError("a scatter matrix of " + std::to_string(n) +
                     " columns is singular: raise pipeline.shrinkage above 0");
  }
}

SymmetricEigen symmetric_eigen(std::vector<double> matrix, std::size_t n) {
  const int size = static_cast<int>(n);
  std::vector<double> ascending(n);
  double work_size = 0.0;
  int integer_work_size = 0;
  const int query = -1;
  int info = 0;
  dsyevd_("V", "L", &size, matrix.data(), &size, ascending.data(), &work_size, &query,
          &integer_work_size, &query, &info);
  std::vector<double> work(static_cast<std::size_t>(work_size));
  std::vector<int> integer_work(static_cast<std::size_t>(integer_work_size));
  const int length = static_cast<int>(work.size());
  dsyevd_("V", "L", &size, matrix.data(), &size, ascending.data(), work.data(), &length,
          integer_work.data(), &integer_work_size, &info);
  if (info != 0) {
    throw Error("the eigenvalues of a matrix of " + std::to_string(n) +
                " columns did not converge: are the features finite?");
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
