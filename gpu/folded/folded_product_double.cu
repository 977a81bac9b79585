#include "gpu/folded/folded_kernels.h"
#include "gpu/folded/tile_copy.cuh"

namespace leafglyph::gpu {
namespace {

constexpr int kThreads = 256;  // 4 x 2 warps, each for 32 images x 32 columns
constexpr int kDepth = 16;     // folded sums per stage
// Distance between rows in shared memory, in doubles. The 16 lanes of half a warp, which read 4
// neighbours in each of 4 rows, then access every bank once.
constexpr int kStride = kDepth + 4;
constexpr int kStageElements =
    (static_cast<int>(kTileRows) + static_cast<int>(kTileColumns)) * kStride;

constexpr int shared_bytes(int stages) {
  return stages * kStageElements * static_cast<int>(sizeof(double));
}

// sums (16 x 8) += a (16 x 16) b (16 x 8). With g = lane / 4, t = lane % 4: a[i + 2 v] is row
// g + 8 i, depth t + 4 v; b[v] is depth t + 4 v, column g; sums[2 i + j] is row g + 8 i, column
// 2 t + j.
__device__ void multiply_add(double (&sums)[4], const double (&a)[8], const double (&b)[4]) {
#if __CUDA_ARCH__ >= 900
  asm("mma.sync.aligned.m16n8k16.row.col.f64.f64.f64.f64 {%0,%1,%2,%3},"
      "{%4,%5,%6,%7,%8,%9,%10,%11},{%12,%13,%14,%15},{%0,%1,%2,%3};"
      : "+d"(sums[0]), "+d"(sums[1]), "+d"(sums[2]), "+d"(sums[3])
      : "d"(a[0]), "d"(a[1]), "d"(a[2]), "d"(a[3]), "d"(a[4]), "d"(a[5]), "d"(a[6]), "d"(a[7]),
        "d"(b[0]), "d"(b[1]), "d"(b[2]), "d"(b[3]));
#elif __CUDA_ARCH__ >= 800
#pragma unroll
  for (int v = 0; v < 4; ++v) {
#pragma unroll
    for (int i = 0; i < 2; ++i) {
      asm("mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {%0,%1},{%2},{%3},{%0,%1};"
          : "+d"(sums[2 * i]), "+d"(sums[2 * i + 1])
          : "d"(a[i + 2 * v]), "d"(b[v]));
    }
  }
#else
  const unsigned lane = threadIdx.x % 32;
#pragma unroll
  for (int v = 0; v < 4; ++v) {
    for (unsigned t = 0; t < 4; ++t) {
      const double b0 = __shfl_sync(0xffffffffU, b[v], lane % 4 * 8 + t);
      const double b1 = __shfl_sync(0xffffffffU, b[v], lane % 4 * 8 + 4 + t);
#pragma unroll
      for (int i = 0; i < 2; ++i) {
        const double ai = __shfl_sync(0xffffffffU, a[i + 2 * v], lane / 4 * 4 + t);
        sums[2 * i] = fma(ai, b0, sums[2 * i]);
        sums[2 * i + 1] = fma(ai, b1, sums[2 * i + 1]);
      }
    }
  }
#endif
}

// Advances the block's 128 x 64 tile by one stage. Each warp computes 2 x 4 products of 16 x 8.
__device__ void multiply_stage(const double* left, const double* right, double (&sums)[2][4][4]) {
  const int lane = static_cast<int>(threadIdx.x) % 32;
  const int warp = static_cast<int>(threadIdx.x) / 32;
  const double* rows = left + (warp % 4 * 32 + lane / 4) * kStride + lane % 4;
  const double* columns = right + (warp / 4 * 32 + lane / 4) * kStride + lane % 4;
  double a[2][8];
#pragma unroll
  for (int i = 0; i < 2; ++i) {
#pragma unroll
    for (int e = 0; e < 8; ++e) a[i][e] = rows[(16 * i + e % 2 * 8) * kStride + e / 2 * 4];
  }
#pragma unroll
  for (int j = 0; j < 4; ++j) {
    double b[4];
#pragma unroll
    for (int v = 0; v < 4; ++v) b[v] = columns[8 * j * kStride + 4 * v];
#pragma unroll
    for (int i = 0; i < 2; ++i) multiply_add(sums[i][j], a[i], b);
  }
}

// One tile of the product folded x basis: sums[image][column] over the places of the octant, in
// double, on tensor cores. Block (tile of kTileColumns columns, kTileRows images). Shared memory
// holds `Stages` stages of kDepth places, copied asynchronously Stages - 1 steps ahead. Each warp
// multiplies 32 images by 32 columns.
template <int Stages>
__global__ void __launch_bounds__(kThreads, 2)
    multiply_double(const ProductTile* __restrict__ tiles, const double* __restrict__ folded,
                    int images, std::size_t padded, const double* __restrict__ basis, double* sums,
                    std::size_t row_length) {
  extern __shared__ __align__(16) double shared[];
  const ProductTile tile = tiles[blockIdx.x];
  const int first_image = static_cast<int>(blockIdx.y * kTileRows);
  const double* left = folded + tile.folded_offset;
  const double* right = basis + tile.basis_offset;
  const int steps = static_cast<int>(tile.depth) / kDepth;
  // Rows beyond the batch repeat its last image; their sums are not stored.
  const auto image_row = [&](int r) -> std::size_t { return min(first_image + r, images - 1); };
  const auto column_row = [](int r) -> std::size_t { return r; };
  const auto load = [&](int step) {
    if (step < steps) {
      double* target = shared + step % Stages * kStageElements;
      copy_rows_async<kTileRows, kDepth / 2, kStride, kThreads>(target, left + step * kDepth,
                                                                8 * padded, image_row);
      copy_rows_async<kTileColumns, kDepth / 2, kStride, kThreads>(
          target + kTileRows * kStride, right + step * kDepth, tile.basis_stride, column_row);
    }
    __pipeline_commit();
  };
  double results[2][4][4] = {};
  for (int step = 0; step < Stages - 1; ++step) load(step);
  for (int step = 0; step < steps; ++step) {
    __pipeline_wait_prior(Stages - 2);
    __syncthreads();
    load(step + Stages - 1);
    const double* current = shared + step % Stages * kStageElements;
    multiply_stage(current, current + kTileRows * kStride, results);
  }
  const int lane = static_cast<int>(threadIdx.x) % 32;
  const int warp = static_cast<int>(threadIdx.x) / 32;
#pragma unroll
  for (int e = 0; e < 32; ++e) {
    const int i = e / 16;
    const int j = e / 4 % 4;
    const int c = e % 4;
    const int image = first_image + warp % 4 * 32 + 16 * i + c / 2 * 8 + lane / 4;
    const unsigned column = warp / 4 * 32 + 8 * j + lane % 4 * 2 + c % 2;
    if (image < images && column < tile.columns) {
      sums[static_cast<std::size_t>(image) * row_length + tile.column + column] = results[i][j][c];
    }
  }
}

template <int Stages>
void launch(const ProductShape& shape, const double* folded, const double* basis, double* sums,
            const Stream& stream) {
  allow_shared_memory(multiply_double<Stages>);
  const dim3 grid(static_cast<unsigned>(shape.tile_count),
                  static_cast<unsigned>((shape.images + kTileRows - 1) / kTileRows));
  multiply_double<Stages><<<grid, kThreads, shared_bytes(Stages), stream.get()>>>(
      shape.tiles, folded, static_cast<int>(shape.images), shape.padded, basis, sums,
      shape.row_length);
  CUDA_CHECK_LAUNCH("multiply_double");
}

}  // namespace

void multiply_in_double(const ProductShape& shape, const double* folded, const double* basis,
                        double* sums, const Stream& stream) {
  if (shared_bytes(3) <= largest_shared_memory()) {
    launch<3>(shape, folded, basis, sums, stream);
  } else {
    launch<2>(shape, folded, basis, sums, stream);
  }
}

}  // namespace leafglyph::gpu
