// Device code shared by the kernels along lines and across lines.
#pragma once

#include "features/separable/line_basis.h"
#include "features/separable/recurrence_kernels.h"
#include "gpu/separable/lane_sums.cuh"
#include "gpu/separable/recurrence_kernels.h"

namespace leafglyph::gpu {

inline constexpr int kWarp = 32;
inline constexpr int kBlock = static_cast<int>(kRecurrenceBlock);
static_assert(kBlock == 8);
/// Threads that compute values at places or nodes, kValues of these each, from coefficients for
/// kValueChunk values of k or j in shared memory.
inline constexpr int kValueThreads = 128;
inline constexpr int kValues = 2;
inline constexpr int kValueChunk = kValueThreads;

/// Reads two table values through the read-only cache, because sums are written meanwhile.
__device__ inline double2 two_of(const double* table) {
  return __ldg(reinterpret_cast<const double2*>(table));
}

/// Adds a sum over the warps of a block, from [warp][values].
__device__ inline double over_warps(const double* sums, std::size_t values, int at) {
  double sum = 0.0;
  for (int warp = 0; warp < static_cast<int>(blockDim.x) / kWarp; ++warp) {
    sum += sums[static_cast<std::size_t>(warp) * values + at];
  }
  return sum;
}

inline unsigned blocks_of(std::size_t count, std::size_t each) {
  return static_cast<unsigned>((count + each - 1) / each);
}

}  // namespace leafglyph::gpu
