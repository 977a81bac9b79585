#include "gpu/folded/folded_kernels.h"
#include "gpu/folded/tile_copy.cuh"

namespace leafglyph::gpu {
namespace {

constexpr int kThreads = 256;  // 4 x 2 warps, each for 32 images x 32 columns
// Folded sums per stage. Tensor cores truncate low bits of the sums they accumulate. Each stage
// therefore starts at 0 and is added to the running sums, which are rounded.
constexpr int kDepth = 32;
// Distance between rows in shared memory, in halves. The eight 16-byte rows of a matrix that
// ldmatrix reads then access every bank once.
constexpr int kStride = kDepth + 8;
constexpr int kRows = static_cast<int>(kTileRows);
constexpr int kColumns = static_cast<int>(kTileColumns);

// `Pieces` is the number of halves that represent a folded sum.
template <int Pieces>
struct Shared {
  static constexpr int kRight = Pieces * kRows * kStride;
  static constexpr int kStage = kRight + 2 * kColumns * kStride;
  static constexpr int bytes(int stages) {
    return stages * kStage * static_cast<int>(sizeof(__half));
  }
};

// Loads four 8 x 8 matrices of halves. Each lane passes one row of one of them.
__device__ void load_matrices(std::uint32_t (&target)[4], const __half* row) {
  const auto address = static_cast<std::uint32_t>(__cvta_generic_to_shared(row));
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0,%1,%2,%3},[%4];"
               : "=r"(target[0]), "=r"(target[1]), "=r"(target[2]), "=r"(target[3])
               : "r"(address)
               : "memory");
}

// (16 x 8, float) sums = start + a (16 x 16) b (16 x 8).
__device__ void multiply_add(float (&sums)[4], const float* start, const std::uint32_t (&a)[4],
                             const std::uint32_t* b) {
#if __CUDA_ARCH__ >= 800
  asm("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3},{%4,%5,%6,%7},{%8,%9},"
      "{%10,%11,%12,%13};"
      : "=f"(sums[0]), "=f"(sums[1]), "=f"(sums[2]), "=f"(sums[3])
      : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]), "f"(start[0]),
        "f"(start[1]), "f"(start[2]), "f"(start[3]));
#else
  float half[4];
  asm("mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32 {%0,%1,%2,%3},{%4,%5},{%6},"
      "{%7,%8,%9,%10};"
      : "=f"(half[0]), "=f"(half[1]), "=f"(half[2]), "=f"(half[3])
      : "r"(a[0]), "r"(a[1]), "r"(b[0]), "f"(start[0]), "f"(start[1]), "f"(start[2]),
        "f"(start[3]));
  asm("mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32 {%0,%1,%2,%3},{%4,%5},{%6},"
      "{%7,%8,%9,%10};"
      : "=f"(sums[0]), "=f"(sums[1]), "=f"(sums[2]), "=f"(sums[3])
      : "r"(a[2]), "r"(a[3]), "r"(b[1]), "f"(half[0]), "f"(half[1]), "f"(half[2]), "f"(half[3]));
#endif
}

// Adds the sums of one stage: the products high x high, high x low and, with two pieces, low x high
// (low x low is below the rounding error of the others).
template <int Pieces>
__device__ void multiply_stage(const __half* stage, float (&totals)[2][4][4]) {
  const int lane = static_cast<int>(threadIdx.x) % 32;
  const int warp = static_cast<int>(threadIdx.x) / 32;
  // Lanes 0-7, 8-15, 16-23 and 24-31 pass the rows of the four matrices. For the left operand these
  // are rows 0-7 and 8-15 at depth 0, then at depth 8; for the right one, columns 0-7 at depths 0
  // and 8, then columns 8-15.
  const __half* left = stage + (warp % 4 * 32 + lane % 16) * kStride + lane / 16 * 8;
  const __half* right = stage + Shared<Pieces>::kRight +
                        (warp / 4 * 32 + lane / 16 * 8 + lane % 8) * kStride + lane / 8 % 2 * 8;
  const float zero[4] = {};
  float sums[2][4][4];
#pragma unroll
  for (int d = 0; d < kDepth; d += 16) {
    std::uint32_t a[Pieces][2][4];
#pragma unroll
    for (int piece = 0; piece < Pieces; ++piece) {
#pragma unroll
      for (int i = 0; i < 2; ++i) {
        load_matrices(a[piece][i], left + (piece * kRows + 16 * i) * kStride + d);
      }
    }
#pragma unroll
    for (int jj = 0; jj < 2; ++jj) {
      std::uint32_t high[4];
      std::uint32_t low[4];
      load_matrices(high, right + 16 * jj * kStride + d);
      load_matrices(low, right + (kColumns + 16 * jj) * kStride + d);
      // Four independent products before any sum is used again.
      const auto multiply_four = [&](const std::uint32_t(&left_pieces)[2][4],
                                     const std::uint32_t(&right_pieces)[4], bool first) {
#pragma unroll
        for (int i = 0; i < 2; ++i) {
#pragma unroll
          for (int j = 0; j < 2; ++j) {
            float(&target)[4] = sums[i][2 * jj + j];
            multiply_add(target, first ? zero : static_cast<const float*>(target), left_pieces[i],
                         right_pieces + 2 * j);
          }
        }
      };
      multiply_four(a[0], low, d == 0);
      if constexpr (Pieces == 2) multiply_four(a[1], high, false);
      multiply_four(a[0], high, false);
    }
  }
#pragma unroll
  for (int e = 0; e < 32; ++e) totals[e / 16][e / 4 % 4][e % 4] += sums[e / 16][e / 4 % 4][e % 4];
}

// The same product as multiply_double to nearly float accuracy, on half-precision tensor cores.
// Each factor is the sum of a high and a low half (the folded values of bytes are exact in one
// half); the product of the two low halves is omitted. Sums are accumulated in float over one stage
// and then added to the totals, which are scaled when they are stored. Blocks and stages are as in
// multiply_double.
template <int Pieces, int Stages>
__global__ void __launch_bounds__(kThreads, 2)
    multiply_half(const ProductTile* __restrict__ tiles, HalfOperands operands, int images,
                  std::size_t padded, float* sums, std::size_t row_length) {
  extern __shared__ __align__(16) __half shared_halves[];
  using Layout = Shared<Pieces>;
  const ProductTile tile = tiles[blockIdx.x];
  const int first_image = static_cast<int>(blockIdx.y * kTileRows);
  const int steps = static_cast<int>(tile.depth) / kDepth;
  const auto image_row = [&](int r) -> std::size_t { return min(first_image + r, images - 1); };
  const auto column_row = [](int r) -> std::size_t { return r; };
  const auto load = [&](int step) {
    if (step < steps) {
      __half* target = shared_halves + step % Stages * Layout::kStage;
      const std::size_t left = tile.folded_offset + static_cast<std::size_t>(step) * kDepth;
      const std::size_t right = tile.basis_offset + static_cast<std::size_t>(step) * kDepth;
      copy_rows_async<kRows, kDepth / 8, kStride, kThreads>(target, operands.folded_high + left,
                                                            8 * padded, image_row);
      if constexpr (Pieces == 2) {
        copy_rows_async<kRows, kDepth / 8, kStride, kThreads>(
            target + kRows * kStride, operands.folded_low + left, 8 * padded, image_row);
      }
      target += Layout::kRight;
      copy_rows_async<kColumns, kDepth / 8, kStride, kThreads>(target, operands.basis_high + right,
                                                               tile.basis_stride, column_row);
      copy_rows_async<kColumns, kDepth / 8, kStride, kThreads>(
          target + kColumns * kStride, operands.basis_low + right, tile.basis_stride, column_row);
    }
    __pipeline_commit();
  };
  float totals[2][4][4] = {};
  for (int step = 0; step < Stages - 1; ++step) load(step);
  for (int step = 0; step < steps; ++step) {
    __pipeline_wait_prior(Stages - 2);
    __syncthreads();
    load(step + Stages - 1);
    multiply_stage<Pieces>(shared_halves + step % Stages * Layout::kStage, totals);
  }
  const int lane = static_cast<int>(threadIdx.x) % 32;
  const int warp = static_cast<int>(threadIdx.x) / 32;
#pragma unroll
  for (int e = 0; e < 32; ++e) {
    const int image = first_image + warp % 4 * 32 + e / 16 * 16 + e % 4 / 2 * 8 + lane / 4;
    const unsigned column = warp / 4 * 32 + e / 4 % 4 * 8 + lane % 4 * 2 + e % 2;
    if (image < images && column < tile.columns) {
      float scale = operands.column_scales[tile.scale_offset + column];
      if constexpr (Pieces == 2) scale *= operands.image_scales[image];
      sums[static_cast<std::size_t>(image) * row_length + tile.column + column] =
          totals[e / 16][e / 4 % 4][e % 4] * scale;
    }
  }
}

template <int Pieces, int Stages>
void launch(const ProductShape& shape, const HalfOperands& operands, float* sums,
            const Stream& stream) {
  constexpr int kBytes = Shared<Pieces>::bytes(Stages);
  allow_shared_memory(multiply_half<Pieces, Stages>);
  const dim3 grid(static_cast<unsigned>(shape.tile_count),
                  static_cast<unsigned>((shape.images + kTileRows - 1) / kTileRows));
  multiply_half<Pieces, Stages><<<grid, kThreads, kBytes, stream.get()>>>(
      shape.tiles, operands, static_cast<int>(shape.images), shape.padded, sums, shape.row_length);
  CUDA_CHECK_LAUNCH("multiply_half");
}

}  // namespace

void multiply_in_half(const ProductShape& shape, const HalfOperands& operands, float* sums,
                      const Stream& stream) {
  if (operands.folded_low == nullptr) {
    const bool four = Shared<1>::bytes(4) <= largest_shared_memory();
    (four ? launch<1, 4> : launch<1, 3>)(shape, operands, sums, stream);
  } else {
    const bool three = Shared<2>::bytes(3) <= largest_shared_memory();
    (three ? launch<2, 3> : launch<2, 2>)(shape, operands, sums, stream);
  }
}

}  // namespace leafglyph::gpu
