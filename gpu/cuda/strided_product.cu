#include "gpu/cuda/cuda_raii.h"
#include "gpu/cuda/strided_product.h"

namespace leafglyph::gpu {
namespace {

constexpr int kDepth = 16;  // depth held in shared memory at a time
constexpr int kSide = 16;   // threads along each side of a tile
constexpr int kThreads = kSide * kSide;
// Fewer blocks than this do not occupy a large GPU, so smaller tiles are used.
constexpr unsigned kEnoughBlocks = 256;

// Loads tile rows [first, first + kTile) and depth [k0, k0 + kDepth) as tile[k][i]; elements
// outside the matrix are 0. Neighbouring threads read neighbouring addresses along the unit stride.
template <int kTile>
__device__ void load_tile(const StridedMatrix& m, std::size_t first, std::size_t rows,
                          std::size_t k0, std::size_t depth, double (&tile)[kDepth][kTile + 2]) {
  const bool along_rows = m.row == 1;
#pragma unroll
  for (int part = 0; part < kTile * kDepth / kThreads; ++part) {
    const int e = part * kThreads + static_cast<int>(threadIdx.x);
    const int i = along_rows ? e % kTile : e / kDepth;
    const int k = along_rows ? e / kTile : e % kDepth;
    const bool inside = first + i < rows && k0 + k < depth;
    tile[k][i] = inside ? m.data[(first + i) * m.row + (k0 + k) * m.column] : 0.0;
  }
}

// C = A B^T for matrices of any strides, in double. A block computes a tile of (kSide kEach)^2
// elements and moves along the depth in steps of kDepth through shared memory. Each thread keeps
// kEach x kEach elements in registers, kSide apart, so that neighbouring threads read neighbouring
// elements.
template <int kEach>
__global__ void __launch_bounds__(kThreads)
    product_kernel(std::size_t rows, std::size_t columns, std::size_t depth, StridedMatrix a,
                   StridedMatrix b, double* c, std::size_t c_row) {
  constexpr int kTile = kSide * kEach;
  __shared__ double a_tile[kDepth][kTile + 2];
  __shared__ double b_tile[kDepth][kTile + 2];
  const std::size_t row = static_cast<std::size_t>(blockIdx.y) * kTile;
  const std::size_t column = static_cast<std::size_t>(blockIdx.x) * kTile;
  const int x = static_cast<int>(threadIdx.x) % kSide;
  const int y = static_cast<int>(threadIdx.x) / kSide;
  double sums[kEach][kEach] = {};
  for (std::size_t k0 = 0; k0 < depth; k0 += kDepth) {
    load_tile<kTile>(a, row, rows, k0, depth, a_tile);
    load_tile<kTile>(b, column, columns, k0, depth, b_tile);
    __syncthreads();
#pragma unroll
    for (int k = 0; k < kDepth; ++k) {
      double left[kEach];
      double right[kEach];
#pragma unroll
      for (int i = 0; i < kEach; ++i) {
        left[i] = a_tile[k][y + kSide * i];
        right[i] = b_tile[k][x + kSide * i];
      }
#pragma unroll
      for (int i = 0; i < kEach; ++i) {
#pragma unroll
        for (int j = 0; j < kEach; ++j) sums[i][j] += left[i] * right[j];
      }
    }
    __syncthreads();
  }
#pragma unroll
  for (int i = 0; i < kEach; ++i) {
#pragma unroll
    for (int j = 0; j < kEach; ++j) {
      const std::size_t r = row + y + kSide * i;
      const std::size_t s = column + x + kSide * j;
      if (r < rows && s < columns) c[r * c_row + s] = sums[i][j];
    }
  }
}

dim3 blocks_for(std::size_t rows, std::size_t columns, std::size_t tile) {
  return {static_cast<unsigned>((columns + tile - 1) / tile),
          static_cast<unsigned>((rows + tile - 1) / tile)};
}

}  // namespace

void strided_product(std::size_t rows, std::size_t columns, std::size_t depth,
                     const StridedMatrix& a, const StridedMatrix& b, double* c, std::size_t c_row,
                     cudaStream_t stream) {
  if (rows == 0 || columns == 0) return;
  const dim3 large = blocks_for(rows, columns, 4 * kSide);
  if (large.x * large.y >= kEnoughBlocks) {
    product_kernel<4><<<large, kThreads, 0, stream>>>(rows, columns, depth, a, b, c, c_row);
  } else {
    product_kernel<2><<<blocks_for(rows, columns, 2 * kSide), kThreads, 0, stream>>>(
        rows, columns, depth, a, b, c, c_row);
  }
  CUDA_CHECK_LAUNCH("product_kernel");
}

}  // namespace leafglyph::gpu
