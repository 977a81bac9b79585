#include <algorithm>
#include <type_traits>

#include "gpu/ball/ball_kernels.h"

namespace leafglyph::gpu {
namespace {

constexpr unsigned kThreads = 128;
constexpr unsigned kLanes = 32;
constexpr unsigned kWarps = 8;

// Positions along a line that a block folds at once: shared memory holds eight numbers of each, for
// 32 volumes.
template <class T>
constexpr unsigned kPositions = sizeof(T) == sizeof(float) ? 32 : 16;

// Numbers side by side that one load takes.
template <class T>
constexpr unsigned kWide = 16 / sizeof(T);

template <class T>
struct alignas(16) Wide {
  T at[kWide<T>];
};

template <class T>
__device__ void fold_corners(const T (&corner)[4], T (&out)[4]) {
  const T even_above = corner[0] + corner[1];
  const T even_below = corner[2] + corner[3];
  const T odd_above = corner[0] - corner[1];
  const T odd_below = corner[2] - corner[3];
  out[0] = even_above + even_below;
  out[1] = odd_above + odd_below;
  out[2] = even_above - even_below;
  out[3] = odd_above - odd_below;
}

// One block per line, 32 volumes and kPositions positions. Reads run along the line, writes along
// the volumes.
template <class T>
__global__ void __launch_bounds__(kLanes* kWarps)
    fold_kernel(const T* volumes, BallGroup group, const BallLinePlace* lines, T* folded) {
  __shared__ T tile[8][kPositions<T>][kLanes + 1];
  const BallLinePlace& line = lines[blockIdx.x];
  const unsigned first = blockIdx.z * kPositions<T>;
  if (first >= line.voxels) return;
  const std::size_t b0 = static_cast<std::size_t>(blockIdx.y) * kLanes;
  const unsigned thread = threadIdx.y * kLanes + threadIdx.x;
  const unsigned position = thread % kPositions<T>;
  const unsigned h = first + position;
  for (unsigned b = thread / kPositions<T>; b < kLanes; b += kLanes * kWarps / kPositions<T>) {
    T sums[4] = {};
    T differences[4] = {};
    if (h < line.voxels && b0 + b < group.count) {
      const T* volume = volumes + (b0 + b) * group.voxels;
      for (unsigned c = 0; c < 4; ++c) {
        if ((line.z_middle && c % 2 == 1) || (line.y_middle && c / 2 == 1)) continue;
        const T right = volume[line.right[c] + h];
        const T left = line.x_middle && h == 0 ? T{} : volume[line.left[c] - h];
        sums[c] = right + left;
        differences[c] = right - left;
      }
    }
    T out[4];
    fold_corners(sums, out);
    for (unsigned c = 0; c < 4; ++c) tile[c][position][b] = out[c];
    fold_corners(differences, out);
    for (unsigned c = 0; c < 4; ++c) tile[4 + c][position][b] = out[c];
  }
  __syncthreads();
  if (b0 + threadIdx.x >= group.v) return;
  for (unsigned row = threadIdx.y; row < 8 * kPositions<T>; row += kWarps) {
    const unsigned at = row / 8;
    if (first + at >= line.voxels) break;
    const unsigned part = row % 8;
    const std::size_t unit =
        line.folded + 4 * static_cast<std::size_t>(part / 4 * line.voxels + first + at) + part % 4;
    folded[unit * group.v + b0 + threadIdx.x] = tile[part][at][threadIdx.x];
  }
}

// The other way; the values at the four corners are the same sums and differences.
template <class T>
__global__ void __launch_bounds__(kLanes* kWarps)
    unfold_kernel(const T* folded, BallGroup group, const BallLinePlace* lines, double* volumes) {
  __shared__ T tile[8][kPositions<T>][kLanes + 1];
  const BallLinePlace& line = lines[blockIdx.x];
  const unsigned first = blockIdx.z * kPositions<T>;
  if (first >= line.voxels) return;
  const std::size_t b0 = static_cast<std::size_t>(blockIdx.y) * kLanes;
  for (unsigned row = threadIdx.y; row < 8 * kPositions<T>; row += kWarps) {
    const unsigned at = row / 8;
    if (first + at >= line.voxels || b0 + threadIdx.x >= group.v) break;
    const unsigned part = row % 8;
    const std::size_t unit =
        line.folded + 4 * static_cast<std::size_t>(part / 4 * line.voxels + first + at) + part % 4;
    tile[part][at][threadIdx.x] = folded[unit * group.v + b0 + threadIdx.x];
  }
  __syncthreads();
  const unsigned thread = threadIdx.y * kLanes + threadIdx.x;
  const unsigned position = thread % kPositions<T>;
  const unsigned h = first + position;
  for (unsigned b = thread / kPositions<T>; b < kLanes; b += kLanes * kWarps / kPositions<T>) {
    if (h >= line.voxels || b0 + b >= group.count) continue;
    double* volume = volumes + (b0 + b) * group.voxels;
    T parts[4];
    T even[4];
    T odd[4];
    // At [parity of y][parity of z] as at [-y][-z].
    for (unsigned c = 0; c < 4; ++c) parts[c] = tile[c][position][b];
    fold_corners(parts, even);
    for (unsigned c = 0; c < 4; ++c) parts[c] = tile[4 + c][position][b];
    fold_corners(parts, odd);
    // At a middle, the odd functions are 0, and both voxels get the same value.
    for (unsigned c = 0; c < 4; ++c) {
      volume[line.left[c] - h] = static_cast<double>(even[c] - odd[c]);
      volume[line.right[c] + h] = static_cast<double>(even[c] + odd[c]);
    }
  }
}

// Each thread has kWide columns of a tile's rows: blockDim.x of them side by side, blockDim.y
// tiles.
template <class T>
__global__ void __launch_bounds__(kThreads)
    tile_kernel(const BallTile* tiles, std::size_t tile_count, const T* __restrict__ table,
                std::size_t width, const T* __restrict__ in, T* out, std::size_t v) {
  const std::size_t number = static_cast<std::size_t>(blockIdx.x) * blockDim.y + threadIdx.y;
  const std::size_t column =
      (static_cast<std::size_t>(blockIdx.y) * blockDim.x + threadIdx.x) * kWide<T>;
  if (number >= tile_count || column >= width) return;
  const BallTile tile = tiles[number];
  const std::size_t in_step = tile.in_step * v;
  const T* row = in + tile.in * v + column;
  const T* factors = table + tile.table;
  T sums[kBallTileRows][kWide<T>] = {};
  for (unsigned h = 0; h < tile.depth; ++h, row += in_step, factors += kBallTileRows) {
    const auto values = *reinterpret_cast<const Wide<T>*>(row);
    Wide<T> some[kBallTileRows / kWide<T>];
#pragma unroll
    for (unsigned i = 0; i < kBallTileRows / kWide<T>; ++i) {
      some[i] = reinterpret_cast<const Wide<T>*>(factors)[i];
    }
#pragma unroll
    for (unsigned r = 0; r < kBallTileRows; ++r) {
      const T factor = some[r / kWide<T>].at[r % kWide<T>];
#pragma unroll
      for (unsigned i = 0; i < kWide<T>; ++i) sums[r][i] += factor * values.at[i];
    }
  }
  T* result = out + tile.out * v + column;
#pragma unroll
  for (unsigned r = 0; r < kBallTileRows; ++r) {
    if (r >= tile.rows) break;
    Wide<T> values;
#pragma unroll
    for (unsigned i = 0; i < kWide<T>; ++i) values.at[i] = sums[r][i];
    *reinterpret_cast<Wide<T>*>(result + r * tile.out_step * v) = values;
  }
}

// (-j)^m (c + j s) for m of 0 to 3
__device__ double2 turned(double c, double s, unsigned m) {
  switch (m & 3U) {
    case 0:
      return {c, s};
    case 1:
      return {s, -c};
    case 2:
      return {-c, -s};
    default:
      return {-s, c};
  }
}

// A block has 32 moments of 32 volumes. Reads run along the volumes, writes along the moments.
template <class T, class Out>
__global__ void __launch_bounds__(kLanes* kWarps)
    gather_kernel(const T* parts, BallGroup group, const BallMomentPlace* places, std::size_t count,
                  Out* out) {
  __shared__ double2 tile[kLanes][kLanes + 1];
  const std::size_t c0 = static_cast<std::size_t>(blockIdx.x) * kLanes;
  const std::size_t b0 = static_cast<std::size_t>(blockIdx.y) * kLanes;
  for (unsigned c = threadIdx.y; c < kLanes; c += kWarps) {
    if (c0 + c >= count || b0 + threadIdx.x >= group.count) continue;
    const BallMomentPlace place = places[c0 + c];
    const std::size_t b = b0 + threadIdx.x;
    const double cosine = place.scale * static_cast<double>(parts[place.cosine * group.v + b]);
    const double sine =
        place.m == 0 ? 0.0 : place.scale * static_cast<double>(parts[place.sine * group.v + b]);
    tile[c][threadIdx.x] = turned(cosine, sine, place.m);
  }
  __syncthreads();
  for (unsigned b = threadIdx.y; b < kLanes; b += kWarps) {
    const std::size_t c = c0 + threadIdx.x;
    if (c >= count || b0 + b >= group.count) continue;
    const double2 value = tile[threadIdx.x][b];
    const std::size_t at = (b0 + b) * count + c;
    if constexpr (std::is_same_v<Out, float>) {
      out[at] = static_cast<float>(hypot(value.x, value.y));
    } else {
      reinterpret_cast<double2*>(out)[at] = value;
    }
  }
}

template <class T>
__global__ void __launch_bounds__(kThreads)
    scatter_kernel(const double2* weighted, BallGroup group, const BallMomentPlace* places,
                   std::size_t count, T* parts) {
  const std::size_t c = static_cast<std::size_t>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (c >= count) return;
  const BallMomentPlace place = places[c];
  for (std::size_t b = blockIdx.y; b < group.v; b += gridDim.y) {
    const double2 z = b < group.count ? weighted[b * count + c] : double2{0.0, 0.0};
    const double2 part = turned(z.x, z.y, 4U - place.m % 4U);
    parts[place.cosine * group.v + b] = static_cast<T>(place.scale * part.x);
    if (place.m > 0) parts[place.sine * group.v + b] = static_cast<T>(place.scale * part.y);
  }
}

unsigned parts_of(std::size_t count, std::size_t part) {
  return static_cast<unsigned>((count + part - 1) / part);
}

template <class T>
dim3 fold_grid(const BallGroup& group, std::size_t lines, std::size_t longest) {
  return {static_cast<unsigned>(lines), parts_of(group.v, kLanes),
          parts_of(longest, kPositions<T>)};
}

template <class T, class Out>
void launch_gather(const T* parts, const BallGroup& group, const BallMomentPlace* places,
                   std::size_t count, Out* out, const Stream& stream) {
  gather_kernel<T, Out>
      <<<dim3(parts_of(count, kLanes), parts_of(group.count, kLanes)), dim3(kLanes, kWarps), 0,
         stream.get()>>>(parts, group, places, count, out);
  CUDA_CHECK_LAUNCH("gather_kernel");
}

}  // namespace

template <class T>
void fold_voxels(const T* volumes, const BallGroup& group, const BallLinePlace* lines,
                 std::size_t line_count, std::size_t longest, T* folded, const Stream& stream) {
  fold_kernel<T>
      <<<fold_grid<T>(group, line_count, longest), dim3(kLanes, kWarps), 0, stream.get()>>>(
          volumes, group, lines, folded);
  CUDA_CHECK_LAUNCH("fold_kernel");
}

template <class T>
void unfold_voxels(const T* folded, const BallGroup& group, const BallLinePlace* lines,
                   std::size_t line_count, std::size_t longest, double* volumes,
                   const Stream& stream) {
  unfold_kernel<T>
      <<<fold_grid<T>(group, line_count, longest), dim3(kLanes, kWarps), 0, stream.get()>>>(
          folded, group, lines, volumes);
  CUDA_CHECK_LAUNCH("unfold_kernel");
}

template <class T>
void multiply_tiles(const BallTile* tiles, std::size_t tile_count, const T* table,
                    std::size_t columns, std::size_t v, const T* in, T* out, const Stream& stream) {
  if (tile_count == 0) return;
  const std::size_t width = columns * v;
  const std::size_t wide = width / kWide<T>;
  unsigned across = 1;
  while (across < wide && across < kThreads) across *= 2;
  const dim3 block(across, kThreads / across);
  const dim3 grid(parts_of(tile_count, block.y), parts_of(wide, across));
  tile_kernel<T><<<grid, block, 0, stream.get()>>>(tiles, tile_count, table, width, in, out, v);
  CUDA_CHECK_LAUNCH("tile_kernel");
}

template <class T>
void gather_ball(const T* parts, const BallGroup& group, const BallMomentPlace* places,
                 std::size_t count, double* moments, const Stream& stream) {
  launch_gather(parts, group, places, count, moments, stream);
}
template <class T>
void gather_ball(const T* parts, const BallGroup& group, const BallMomentPlace* places,
                 std::size_t count, float* magnitudes, const Stream& stream) {
  launch_gather(parts, group, places, count, magnitudes, stream);
}

template <class T>
void scatter_ball(const double* weighted, const BallGroup& group, const BallMomentPlace* places,
                  std::size_t count, T* parts, const Stream& stream) {
  scatter_kernel<T><<<dim3(parts_of(count, kThreads),
                           static_cast<unsigned>(std::min<std::size_t>(group.v, 256))),
                      kThreads, 0, stream.get()>>>(reinterpret_cast<const double2*>(weighted),
                                                   group, places, count, parts);
  CUDA_CHECK_LAUNCH("scatter_kernel");
}

#define LEAFGLYPH_BALL_KERNELS(T)                                                               \
  template void fold_voxels<T>(const T*, const BallGroup&, const BallLinePlace*, std::size_t,   \
                               std::size_t, T*, const Stream&);                                 \
  template void unfold_voxels<T>(const T*, const BallGroup&, const BallLinePlace*, std::size_t, \
                                 std::size_t, double*, const Stream&);                          \
  template void multiply_tiles<T>(const BallTile*, std::size_t, const T*, std::size_t,          \
                                  std::size_t, const T*, T*, const Stream&);                    \
  template void gather_ball<T>(const T*, const BallGroup&, const BallMomentPlace*, std::size_t, \
                               double*, const Stream&);                                         \
  template void gather_ball<T>(const T*, const BallGroup&, const BallMomentPlace*, std::size_t, \
                               float*, const Stream&);                                          \
  template void scatter_ball<T>(const double*, const BallGroup&, const BallMomentPlace*,        \
                                std::size_t, T*, const Stream&);
LEAFGLYPH_BALL_KERNELS(float)
LEAFGLYPH_BALL_KERNELS(double)
#undef LEAFGLYPH_BALL_KERNELS

}  // namespace leafglyph::gpu
