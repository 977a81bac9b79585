#include "gpu/distance/nearest_candidates.h"

#include <algorithm>
#include <cfloat>
#include <limits>

#include "features/base/errors.h"
#include "gpu/cuda/cuda_raii.h"

namespace leafglyph::gpu {
namespace {

constexpr int kEdge = 64;        // queries and rows of a tile of sums
constexpr int kComponents = 16;  // components held in shared memory at a time
constexpr int kThreads = 256;    // 16 x 16, each with 4 x 4 sums
constexpr std::size_t kSumBytes = std::size_t{1} << 30;
constexpr std::size_t kSpareCandidates = 128;

// Loads components [first, first + kComponents) of kEdge rows, 0 beyond the ends. The target is
// padded against bank conflicts of the transposed store.
__device__ void load_rows(const float* rows, int count, int dimension, int tile, int first,
                          float (*target)[kEdge + 1]) {
  for (int e = static_cast<int>(threadIdx.x); e < kComponents * kEdge; e += kThreads) {
    const int row = tile * kEdge + e / kComponents;
    const int component = first + e % kComponents;
    target[e % kComponents][e / kComponents] =
        row < count && component < dimension
            ? rows[static_cast<std::size_t>(row) * dimension + component]
            : 0.0F;
  }
}

// sums[q * row_count + r] for a tile of 64 queries and 64 rows. It sums squared differences instead
// of expanding them into products, so that no digits are lost between close rows.
__global__ void __launch_bounds__(kThreads)
    sum_differences(const float* __restrict__ queries, int query_count,
                    const float* __restrict__ rows, int row_count, int dimension, float* sums) {
  __shared__ float left[kComponents][kEdge + 1];
  __shared__ float right[kComponents][kEdge + 1];
  const int x = static_cast<int>(threadIdx.x % 16);
  const int y = static_cast<int>(threadIdx.x / 16);
  const int query_tile = static_cast<int>(blockIdx.y);
  const int row_tile = static_cast<int>(blockIdx.x);
  float own[4][4] = {};
  for (int c = 0; c < dimension; c += kComponents) {
    __syncthreads();
    load_rows(queries, query_count, dimension, query_tile, c, left);
    load_rows(rows, row_count, dimension, row_tile, c, right);
    __syncthreads();
#pragma unroll
    for (int k = 0; k < kComponents; ++k) {
#pragma unroll
      for (int e = 0; e < 16; ++e) {
        const float d = left[k][y + 16 * (e / 4)] - right[k][x + 16 * (e % 4)];
        own[e / 4][e % 4] = fmaf(d, d, own[e / 4][e % 4]);
      }
    }
  }
#pragma unroll
  for (int e = 0; e < 16; ++e) {
    const int q = query_tile * kEdge + y + 16 * (e / 4);
    const int r = row_tile * kEdge + x + 16 * (e % 4);
    if (q < query_count && r < row_count) {
      sums[static_cast<std::size_t>(q) * row_count + r] = own[e / 4][e % 4];
    }
  }
}

// The k-th smallest (from 1) of `count` non-negative values, by radix selection in digits of 8 bits
// from the highest. Non-negative floats are ordered like their bits.
__device__ float kth_smallest(const float* values, int count, unsigned k) {
  __shared__ unsigned histogram[256];
  __shared__ unsigned chosen;
  __shared__ unsigned before;
  unsigned prefix = 0;
  for (int shift = 24; shift >= 0; shift -= 8) {
    histogram[threadIdx.x] = 0;
    __syncthreads();
    for (int i = static_cast<int>(threadIdx.x); i < count; i += kThreads) {
      const unsigned bits = __float_as_uint(values[i]);
      if (shift == 24 || bits >> (shift + 8) == prefix) {
        atomicAdd(histogram + (bits >> shift & 255U), 1U);
      }
    }
    __syncthreads();
    if (threadIdx.x == 0) {
      unsigned sum = 0;
      unsigned digit = 0;
      while (sum + histogram[digit] < k) sum += histogram[digit++];
      chosen = digit;
      before = sum;
    }
    __syncthreads();
    prefix = prefix << 8 | chosen;
    k -= before;
    __syncthreads();
  }
  return __uint_as_float(prefix);
}

// Collects the candidates of one query per block.
__global__ void __launch_bounds__(kThreads)
    select_candidates(const float* sums, int row_count, unsigned k, float slack, unsigned capacity,
                      unsigned* counts, std::int32_t* candidates) {
  const float* own = sums + static_cast<std::size_t>(blockIdx.x) * row_count;
  // Below FLT_MIN, the rounding error of squares is no longer relative.
  const float limit = kth_smallest(own, row_count, k) * slack + FLT_MIN;
  __shared__ unsigned found;
  if (threadIdx.x == 0) found = 0;
  __syncthreads();
  for (int i = static_cast<int>(threadIdx.x); i < row_count; i += kThreads) {
    if (own[i] <= limit) {
      const unsigned at = atomicAdd(&found, 1U);
      if (at < capacity) candidates[static_cast<std::size_t>(blockIdx.x) * capacity + at] = i;
    }
  }
  __syncthreads();
  if (threadIdx.x == 0) counts[blockIdx.x] = found;
}

void check_sizes(std::size_t rows, std::size_t queries, std::size_t dimension, std::size_t k) {
  constexpr std::size_t kMost = std::numeric_limits<std::int32_t>::max() - kEdge;
  if (rows > kMost || queries > kMost || dimension > kMost) {
    throw UsageError("the GPU search supports up to " + std::to_string(kMost) +
                     " rows, queries and components");
  }
  if (k == 0 || k > rows) {
    throw UsageError("k = " + std::to_string(k) + " nearest of " + std::to_string(rows) +
                     " stored rows: choose k from 1 to the number of rows");
  }
}

}  // namespace

CandidateLists nearest_candidates(std::span<const float> rows, std::span<const float> queries,
                                  std::size_t dimension, std::size_t k, const GpuDevice& gpu) {
  const std::size_t row_count = rows.size() / dimension;
  const std::size_t query_count = queries.size() / dimension;
  check_sizes(row_count, query_count, dimension, k);
  const DeviceScope scope(gpu.index);
  const Stream stream;
  // Each program's sum has a relative error of at most (dimension + 2) 2^-24. Two sums whose order
  // differs between the programs therefore differ by at most four times that, and a little more for
  // the square root.
  const float slack = 1.0F + static_cast<float>(dimension + 8) * 4.0F * FLT_EPSILON;
  CandidateLists lists;
  lists.capacity = std::min(row_count, k + kSpareCandidates);
  lists.counts.resize(query_count);
  lists.rows.resize(query_count * lists.capacity);
  // grid.y, the number of query tiles, is at most 65535.
  const std::size_t chunk =
      std::clamp<std::size_t>(kSumBytes / (row_count * sizeof(float)), 1,
                              std::min<std::size_t>(query_count, std::size_t{65535} * kEdge));
  const auto stored = copy_to_device(rows);
  DeviceBuffer<float> query_rows(chunk * dimension);
  DeviceBuffer<float> sums(chunk * row_count);
  DeviceBuffer<unsigned> counts(chunk);
  DeviceBuffer<std::int32_t> candidates(chunk * lists.capacity);
  for (std::size_t first = 0; first < query_count; first += chunk) {
    const std::size_t count = std::min(chunk, query_count - first);
    CUDA_CHECK(cudaMemcpyAsync(query_rows.data(), queries.data() + first * dimension,
                               count * dimension * sizeof(float), cudaMemcpyHostToDevice,
                               stream.get()));
    const dim3 grid(static_cast<unsigned>((row_count + kEdge - 1) / kEdge),
                    static_cast<unsigned>((count + kEdge - 1) / kEdge));
    sum_differences<<<grid, kThreads, 0, stream.get()>>>(query_rows.data(), static_cast<int>(count),
                                                         stored.data(), static_cast<int>(row_count),
                                                         static_cast<int>(dimension), sums.data());
    CUDA_CHECK_LAUNCH("sum_differences");
    CUDA_CHECK(cudaMemsetAsync(candidates.data(), 0, candidates.bytes(), stream.get()));
    select_candidates<<<static_cast<unsigned>(count), kThreads, 0, stream.get()>>>(
        sums.data(), static_cast<int>(row_count), static_cast<unsigned>(k), slack,
        static_cast<unsigned>(lists.capacity), counts.data(), candidates.data());
    CUDA_CHECK_LAUNCH("select_candidates");
    CUDA_CHECK(cudaMemcpyAsync(lists.counts.data() + first, counts.data(), count * sizeof(unsigned),
                               cudaMemcpyDeviceToHost, stream.get()));
    CUDA_CHECK(cudaMemcpyAsync(lists.rows.data() + first * lists.capacity, candidates.data(),
                               count * lists.capacity * sizeof(std::int32_t),
                               cudaMemcpyDeviceToHost, stream.get()));
    stream.wait();
  }
  for (std::size_t q = 0; q < query_count; ++q) {
    const auto start = lists.rows.begin() + static_cast<std::ptrdiff_t>(q * lists.capacity);
    std::sort(start, start + static_cast<std::ptrdiff_t>(
                                 std::min<std::size_t>(lists.counts[q], lists.capacity)));
  }
  return lists;
}

}  // namespace leafglyph::gpu
