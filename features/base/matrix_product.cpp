#include "features/base/matrix_product.h"

#include <algorithm>
#include <cstdlib>
#include <iterator>
#include <string_view>
#include <vector>

#include "features/base/errors.h"

#ifdef LEAFGLYPH_HAVE_BLAS
#include <cblas.h>
#endif

namespace leafglyph {
namespace {

// Multiply-adds that take a second or less. Longer products are computed in pieces of this size.
// Pieces with fewer rows than kLeastRows would make the library wait for memory.
constexpr std::size_t kPiece = std::size_t{1} << 34;
constexpr std::size_t kLeastRows = 128;

// Calls run(first row, number of rows) for pieces that cover all rows. If there are several pieces,
// checks for an interruption before each.
template <class Run>
void for_pieces(std::size_t rows, std::size_t columns, std::size_t depth, const Run& run) {
  const std::size_t a_row = std::max<std::size_t>(1, columns * depth);
  const std::size_t most = std::max(kLeastRows, kPiece / a_row);
  for (std::size_t first = 0; first < rows; first += most) {
    if (most < rows) throw_if_interrupted();
    run(first, std::min(most, rows - first));
  }
}

}  // namespace

#ifdef LEAFGLYPH_HAVE_BLAS

namespace {

void gemm(CBLAS_TRANSPOSE ta, CBLAS_TRANSPOSE tb, std::size_t rows, std::size_t columns,
          std::size_t depth, const float* a, std::size_t lda, const float* b, std::size_t ldb,
          float* c, std::size_t ldc) {
  if (rows == 0 || columns == 0 || depth == 0) return;
  cblas_sgemm(CblasRowMajor, ta, tb, static_cast<blasint>(rows), static_cast<blasint>(columns),
              static_cast<blasint>(depth), 1.0F, a, static_cast<blasint>(lda), b,
              static_cast<blasint>(ldb), 1.0F, c, static_cast<blasint>(ldc));
}

void gemm(CBLAS_TRANSPOSE ta, CBLAS_TRANSPOSE tb, std::size_t rows, std::size_t columns,
          std::size_t depth, const double* a, std::size_t lda, const double* b, std::size_t ldb,
          double* c, std::size_t ldc) {
  if (rows == 0 || columns == 0 || depth == 0) return;
  cblas_dgemm(CblasRowMajor, ta, tb, static_cast<blasint>(rows), static_cast<blasint>(columns),
              static_cast<blasint>(depth), 1.0, a, static_cast<blasint>(lda), b,
              static_cast<blasint>(ldb), 1.0, c, static_cast<blasint>(ldc));
}

}  // namespace

template <class T>
void add_product_nt(std::size_t rows, std::size_t columns, std::size_t depth, const T* a,
                    std::size_t lda, const T* b, std::size_t ldb, T* c, std::size_t ldc) {
  for_pieces(rows, columns, depth, [&](std::size_t first, std::size_t count) {
    gemm(CblasNoTrans, CblasTrans, count, columns, depth, a + first * lda, lda, b, ldb,
         c + first * ldc, ldc);
  });
}

template <class T>
void add_product_nn(std::size_t rows, std::size_t columns, std::size_t depth, const T* a,
                    std::size_t lda, const T* b, std::size_t ldb, T* c, std::size_t ldc) {
  for_pieces(rows, columns, depth, [&](std::size_t first, std::size_t count) {
    gemm(CblasNoTrans, CblasNoTrans, count, columns, depth, a + first * lda, lda, b, ldb,
         c + first * ldc, ldc);
  });
}

template <class T>
void add_product_tn(std::size_t rows, std::size_t columns, std::size_t depth, const T* a,
                    std::size_t lda, const T* b, std::size_t ldb, T* c, std::size_t ldc) {
  for_pieces(rows, columns, depth, [&](std::size_t first, std::size_t count) {
    gemm(CblasTrans, CblasNoTrans, count, columns, depth, a + first, lda, b, ldb, c + first * ldc,
         ldc);
  });
}

std::string product_library() { return openblas_get_config(); }

std::string product_kernels() { return openblas_get_corename(); }

std::string better_product_kernels() {
  constexpr std::string_view kWideCores[] = {"Haswell",  "Excavator",  "Zen",
                                             "SkylakeX", "Cooperlake", "SapphireRapids"};
  if (std::getenv("OPENBLAS_CORETYPE") != nullptr) return "";
#ifdef __x86_64__
  const std::string core = product_kernels();
  const bool is_wide =
      std::find(std::begin(kWideCores), std::end(kWideCores), core) != std::end(kWideCores);
  if (is_wide || !__builtin_cpu_supports("avx2") || !__builtin_cpu_supports("fma")) return "";
  return __builtin_cpu_supports("avx512f") ? "SkylakeX" : "Haswell";
#else
  static_cast<void>(kWideCores);
  return "";
#endif
}

#else

namespace {

template <class T>
std::vector<T> transposed(std::size_t rows, std::size_t columns, const T* a, std::size_t lda) {
  std::vector<T> out(rows * columns);
  for (std::size_t r = 0; r < rows; ++r) {
    for (std::size_t k = 0; k < columns; ++k) out[k * rows + r] = a[r * lda + k];
  }
  return out;
}

// c += a b^T, the fallback without a BLAS. Computes 4 x 4 tiles of results. The depth is summed in
// chunks that fit the first-level cache, and each chunk's sum is added to c at once, which also
// keeps float sums accurate.
template <class T>
void add_piece(std::size_t rows, std::size_t columns, std::size_t depth, const T* a,
               std::size_t lda, const T* b, std::size_t ldb, T* c, std::size_t ldc) {
  constexpr std::size_t kTile = 4;
  constexpr std::size_t kDepth = 256;
  for (std::size_t d0 = 0; d0 < depth; d0 += kDepth) {
    const std::size_t d1 = std::min(depth, d0 + kDepth);
    for (std::size_t r0 = 0; r0 < rows; r0 += kTile) {
      const std::size_t nr = std::min(kTile, rows - r0);
      for (std::size_t c0 = 0; c0 < columns; c0 += kTile) {
        const std::size_t nc = std::min(kTile, columns - c0);
        T sums[kTile][kTile] = {};
        for (std::size_t r = 0; r < nr; ++r) {
          for (std::size_t k = 0; k < nc; ++k) {
            T sum{};
            const T* x = a + (r0 + r) * lda;
            const T* y = b + (c0 + k) * ldb;
#pragma omp simd reduction(+ : sum)
            for (std::size_t d = d0; d < d1; ++d) sum += x[d] * y[d];
            sums[r][k] = sum;
          }
        }
        for (std::size_t r = 0; r < nr; ++r) {
          for (std::size_t k = 0; k < nc; ++k) c[(r0 + r) * ldc + c0 + k] += sums[r][k];
        }
      }
    }
  }
}

}  // namespace

template <class T>
void add_product_nt(std::size_t rows, std::size_t columns, std::size_t depth, const T* a,
                    std::size_t lda, const T* b, std::size_t ldb, T* c, std::size_t ldc) {
  for_pieces(rows, columns, depth, [&](std::size_t first, std::size_t count) {
    add_piece(count, columns, depth, a + first * lda, lda, b, ldb, c + first * ldc, ldc);
  });
}

template <class T>
void add_product_nn(std::size_t rows, std::size_t columns, std::size_t depth, const T* a,
                    std::size_t lda, const T* b, std::size_t ldb, T* c, std::size_t ldc) {
  const std::vector<T> turned = transposed(depth, columns, b, ldb);
  add_product_nt(rows, columns, depth, a, lda, turned.data(), depth, c, ldc);
}

template <class T>
void add_product_tn(std::size_t rows, std::size_t columns, std::size_t depth, const T* a,
                    std::size_t lda, const T* b, std::size_t ldb, T* c, std::size_t ldc) {
  const std::vector<T> turned = transposed(depth, rows, a, lda);
  add_product_nn(rows, columns, depth, turned.data(), depth, b, ldb, c, ldc);
}

std::string product_library() { return "built-in loops"; }
std::string product_kernels() { return ""; }
std::string better_product_kernels() { return ""; }

#endif

template void add_product_nt(std::size_t, std::size_t, std::size_t, const float*, std::size_t,
                             const float*, std::size_t, float*, std::size_t);
template void add_product_nt(std::size_t, std::size_t, std::size_t, const double*, std::size_t,
                             const double*, std::size_t, double*, std::size_t);
template void add_product_nn(std::size_t, std::size_t, std::size_t, const float*, std::size_t,
                             const float*, std::size_t, float*, std::size_t);
template void add_product_nn(std::size_t, std::size_t, std::size_t, const double*, std::size_t,
                             const double*, std::size_t, double*, std::size_t);
template void add_product_tn(std::size_t, std::size_t, std::size_t, const float*, std::size_t,
                             const float*, std::size_t, float*, std::size_t);
template void add_product_tn(std::size_t, std::size_t, std::size_t, const double*, std::size_t,
                             const double*, std::size_t, double*, std::size_t);

}  // namespace leafglyph
