// Finds candidates for the nearest neighbours of queries in large sets on a GPU.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "gpu/cuda/gpu_device.h"

namespace leafglyph::gpu {

/// The candidates of query i are rows[i * capacity ...], counts[i] of them in ascending order. If
/// counts[i] > capacity there were too many, and the list must not be used.
struct CandidateLists {
  std::size_t capacity = 0;
  std::vector<std::uint32_t> counts;
  std::vector<std::int32_t> rows;
};

/// Computes the sums of squared differences between all queries and all stored rows in float
/// (component c of row i is at i * dimension + c). Returns for each query every row whose sum is
/// below the k-th smallest or equal to it within rounding. In whatever order another program adds
/// in float, its k nearest rows are among them, including all that tie with the last. Queries are
/// processed in parts whose sums take at most 1 GiB. 1 <= k <= number of rows.
CandidateLists nearest_candidates(std::span<const float> rows, std::span<const float> queries,
                                  std::size_t dimension, std::size_t k, const GpuDevice& gpu);

}  // namespace leafglyph::gpu
