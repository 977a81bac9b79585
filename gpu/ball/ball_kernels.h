// The kernels of Zernike moments of volumes (features/ball/ball_products.h).
#pragma once

#include <cstddef>
#include <cstdint>

#include "gpu/cuda/cuda_raii.h"

namespace leafglyph::gpu {

/// Rows of a product that a thread computes together.
inline constexpr std::uint32_t kBallTileRows = 8;

/// Up to kBallTileRows rows of a BallProduct. Its part of the table is at [h][row], with zeros for
/// rows that are not there. Offsets and steps are in units of V numbers.
struct BallTile {
  std::uint64_t table = 0;
  std::uint64_t in = 0;
  std::uint64_t out = 0;
  std::uint32_t depth = 0;
  std::uint32_t rows = 0;
  std::uint32_t in_step = 0;
  std::uint32_t out_step = 0;
};

/// A FoldedLine, and the position of its folded voxels.
struct BallLinePlace {
  std::uint64_t right[4];
  std::uint64_t left[4];
  std::uint64_t folded;
  std::uint32_t voxels;
  unsigned char x_middle, y_middle, z_middle;
};

/// A BallPlace with its factor.
struct BallMomentPlace {
  std::uint64_t cosine;
  std::uint64_t sine;
  double scale;
  std::uint32_t m;
};

/// The volumes side by side: V (a multiple of 4), of which the first `count` are there, each of
/// `voxels` voxels.
struct BallGroup {
  std::size_t v = 0;
  std::size_t count = 0;
  std::size_t voxels = 0;
};

/// Sums and differences of voxels. Those of volumes that are not there are 0.
template <class T>
void fold_voxels(const T* volumes, const BallGroup& group, const BallLinePlace* lines,
                 std::size_t line_count, std::size_t longest, T* folded, const Stream& stream);
/// The voxels in the ball from their sums and differences; the others stay as they are.
template <class T>
void unfold_voxels(const T* folded, const BallGroup& group, const BallLinePlace* lines,
                   std::size_t line_count, std::size_t longest, double* volumes,
                   const Stream& stream);

/// The tiles' sums over rows of columns * V numbers, V a multiple of 4.
template <class T>
void multiply_tiles(const BallTile* tiles, std::size_t tile_count, const T* table,
                    std::size_t columns, std::size_t v, const T* in, T* out, const Stream& stream);

/// moments[2 (b * count + c)]: the complex moment c of volume b; magnitudes[b * count + c].
template <class T>
void gather_ball(const T* parts, const BallGroup& group, const BallMomentPlace* places,
                 std::size_t count, double* moments, const Stream& stream);
template <class T>
void gather_ball(const T* parts, const BallGroup& group, const BallMomentPlace* places,
                 std::size_t count, float* magnitudes, const Stream& stream);
/// The parts from weighted moments, in the same layout.
template <class T>
void scatter_ball(const double* weighted, const BallGroup& group, const BallMomentPlace* places,
                  std::size_t count, T* parts, const Stream& stream);

}  // namespace leafglyph::gpu
