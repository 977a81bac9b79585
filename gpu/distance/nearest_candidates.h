// Candidates for the nearest neighbours of queries in large sets, found on a GPU.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "gpu/cuda/gpu_device.h"

namespace leafglyph::gpu {

/// Query i's candidates are rows[i * capacity ...], counts[i] of them in rising order. Where
/// counts[i] > capacity there were too many, and the list is not to be used.
struct CandidateLists {
  std::size_t capacity = 0;
  std::vector<std::uint32_t> counts;
  std::vector<std::int32_t> rows;
};

/// Computes the sums of squared differences of every query and every stored row in float (component
/// c of row i at i * dimension + c), and returns for each query every row whose sum is within
/// rounding of the k-th smallest or below it: whatever the order in which another program adds in
/// float, its k nearest are among them, with all that tie with the last. Queries are taken so many
/// at a time that their sums take at most 1 GiB. 1 <= k <= number of rows.
CandidateLists nearest_candidates(std::span<const float> rows, std::span<const float> queries,
                                  std::size_t dimension, std::size_t k, const GpuDevice& gpu);

}  // namespace leafglyph::gpu
