#include "gpu/cuda_raii.h"
#include "gpu/strided_product.h"

namespace leafglyph {
namespace {

constexpr int kTile = 64;      // rows and columns of c that a block works out
constexpr int kDepth = 16;     // depth that stands in shared memory at a time
constexpr int kThreads = 256;  // 16 x 16, each with 4 x 4 results

// Loads tile rows [first, first + kTile) and depth [k0, k0 + kDepth) as tile[k][i]; what lies
// outside is 0. Neighbouring threads read neighbouring addresses along the unit stride.
__device__ void load_tile(const StridedMatrix& m, std::size_t first, std::size_t rows,
                          std::size_t k0, std::size_t depth, double (&tile)[kDepth][kTile + 2]) {
  const bool along_rows = m.row == 1;
  for (int e = static_cast<int>(threadIdx.x); e < kTile * kDepth; e += kThreads) {
    const int i = along_rows ? e % kTile : e / kDepth;
    const int k = along_rows ? e / kTile : e % kDepth;
    const bool inside = first + i < rows && k0 + k < depth;
    tile[k][i] = inside ? m.data[(first + i) * m.row + (k0 + k) * m.column] : 0.0;
  }
}

__global__ void __launch_bounds__(kThreads)
    product_kernel(std::size_t rows, std::size_t columns, std::size_t depth, StridedMatrix a,
                   StridedMatrix b, double* c, std::size_t c_row) {
  __shared__ double a_tile[kDepth][kTile + 2];
  __shared__ double b_tile[kDepth][kTile + 2];
  const std::size_t row = static_cast<std::size_t>(blockIdx.y) * kTile;
  const std::size_t column = static_cast<std::size_t>(blockIdx.x) * kTile;
  const int x = static_cast<int>(threadIdx.x) % 16;
  const int y = static_cast<int>(threadIdx.x) / 16;
  double sums[4][4] = {};
  for (std::size_t k0 = 0; k0 < depth; k0 += kDepth) {
    load_tile(a, row, rows, k0, depth, a_tile);
    load_tile(b, column, columns, k0, depth, b_tile);
    __syncthreads();
#pragma unroll
    for (int k = 0; k < kDepth; ++k) {
      double left[4];
      double right[4];
#pragma unroll
      for (int i = 0; i < 4; ++i) {
        left[i] = a_tile[k][y + 16 * i];
        right[i] = b_tile[k][x + 16 * i];
      }
#pragma unroll
      for (int i = 0; i < 4; ++i) {
#pragma unroll
        for (int j = 0; j < 4; ++j) sums[i][j] += left[i] * right[j];
      }
    }
    __syncthreads();
  }
#pragma unroll
  for (int i = 0; i < 4; ++i) {
#pragma unroll
    for (int j = 0; j < 4; ++j) {
      const std::size_t r = row + y + 16 * i;
      const std::size_t s = column + x + 16 * j;
      if (r < rows && s < columns) c[r * c_row + s] = sums[i][j];
    }
  }
}

}  // namespace

void strided_product(std::size_t rows, std::size_t columns, std::size_t depth,
                     const StridedMatrix& a, const StridedMatrix& b, double* c, std::size_t c_row,
                     cudaStream_t stream) {
  if (rows == 0 || columns == 0) return;
  const dim3 blocks(static_cast<unsigned>((columns + kTile - 1) / kTile),
                    static_cast<unsigned>((rows + kTile - 1) / kTile));
  product_kernel<<<blocks, kThreads, 0, stream>>>(rows, columns, depth, a, b, c, c_row);
  CUDA_CHECK_LAUNCH("product_kernel");
}

}  // namespace leafglyph
