#include "gpu/distance/pairwise.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "features/base/errors.h"
#include "gpu/cuda/cuda_raii.h"

namespace leafglyph::gpu {
namespace {

constexpr int kEdge = 64;        // rows on either side of a tile of pairs
constexpr int kComponents = 16;  // components that shared memory holds at a time
constexpr int kThreads = 256;    // 16 x 16, each 4 x 4 pairs
// Fixed, so that sums are the same on every GPU.
constexpr unsigned kBlocks = 2048;
constexpr int kSharedBins = 2048;
// Closest pairs are picked from at most about this many candidates, unless more distances are
// equal.
constexpr unsigned long long kCandidates = 1ULL << 20;

struct Rows {
  const double* values;  // component c of row i at c * count + i
  int count;
  int groups;
  int group_length;
};

struct Bins {
  double width;
  double inverse_width;
  double count;
};

struct Candidate {
  unsigned first;
  unsigned second;
  double distance;
};

// The bin of pairwise.h: the quotient may be off by one bin at an edge; comparing with the edges
// themselves decides.
__device__ int bin_of(double d, const Bins& bins) {
  const double quotient = __dmul_rn(d, bins.inverse_width);
  double k = floor(quotient < bins.count ? quotient : bins.count);
  if (d < __dmul_rn(k, bins.width)) k -= 1.0;
  if (k < bins.count && d >= __dmul_rn(k + 1.0, bins.width)) k += 1.0;
  return static_cast<int>(k);
}

// What is done with the pairs. A block calls start, then add for each of its pairs, then finish,
// every thread with an object of its own.
struct Statistics {
  Bins bins;
  unsigned long long* counts;
  double* sums;  // one a block
  double* largest;
  double sum;
  double largest_own;

  __device__ bool shared_bins() const { return bins.count < kSharedBins; }
  __device__ void start(unsigned* histogram) {
    sum = 0.0;
    largest_own = 0.0;
    for (int b = static_cast<int>(threadIdx.x); b < kSharedBins; b += kThreads) histogram[b] = 0;
    __syncthreads();
  }
  __device__ void add(unsigned* histogram, int, int, double d) {
    sum += d;
    largest_own = fmax(largest_own, d);
    const int bin = bin_of(d, bins);
    if (shared_bins()) {
      atomicAdd(histogram + bin, 1U);
    } else {
      atomicAdd(counts + bin, 1ULL);
    }
  }
  // A tile has 4096 pairs: the block's histogram is emptied long before 2^32.
  __device__ void finish_tile(unsigned* histogram) {
    __syncthreads();
    if (shared_bins()) {
      for (int b = static_cast<int>(threadIdx.x); b <= static_cast<int>(bins.count);
           b += kThreads) {
        if (histogram[b] != 0) atomicAdd(counts + b, static_cast<unsigned long long>(histogram[b]));
        histogram[b] = 0;
      }
    }
    __syncthreads();
  }
  __device__ void finish() {
    __shared__ double part[kThreads];
    __shared__ double most[kThreads];
    part[threadIdx.x] = sum;
    most[threadIdx.x] = largest_own;
    __syncthreads();
    for (unsigned step = kThreads / 2; step > 0; step /= 2) {
      if (threadIdx.x < step) {
        part[threadIdx.x] += part[threadIdx.x + step];
        most[threadIdx.x] = fmax(most[threadIdx.x], most[threadIdx.x + step]);
      }
      __syncthreads();
    }
    if (threadIdx.x == 0) {
      sums[blockIdx.x] = part[0];
      largest[blockIdx.x] = most[0];
    }
  }
};

// Counts the pairs up to a distance, and keeps them where there is room.
struct Collect {
  double threshold;
  unsigned long long* count;
  Candidate* candidates;
  unsigned long long capacity;

  __device__ void start(unsigned*) {}
  __device__ void add(unsigned*, int i, int j, double d) {
    if (d > threshold) return;
    const unsigned long long at = atomicAdd(count, 1ULL);
    if (at < capacity) candidates[at] = {static_cast<unsigned>(i), static_cast<unsigned>(j), d};
  }
  __device__ void finish_tile(unsigned*) {}
  __device__ void finish() {}
};

// Number t of the tiles (row, column) with row <= column, counted column by column.
__device__ void find_tile(unsigned long long t, int& row, int& column) {
  auto c = static_cast<unsigned long long>((sqrt(8.0 * static_cast<double>(t) + 1.0) - 1.0) / 2.0);
  while (c * (c + 1) / 2 > t) --c;
  while ((c + 1) * (c + 2) / 2 <= t) ++c;
  column = static_cast<int>(c);
  row = static_cast<int>(t - c * (c + 1) / 2);
}

// Copies the components [first, first + length) of kEdge rows to shared memory.
__device__ void load_components(const Rows& rows, int tile, int first, int length,
                                double (*target)[kEdge]) {
  for (int e = static_cast<int>(threadIdx.x); e < length * kEdge; e += kThreads) {
    const int row = tile * kEdge + e % kEdge;
    target[e / kEdge][e % kEdge] =
        row < rows.count
            ? rows.values[static_cast<std::size_t>(first + e / kEdge) * rows.count + row]
            : 0.0;
  }
}

template <class Visitor>
__global__ void __launch_bounds__(kThreads)
    visit_pairs(Rows rows, unsigned long long tiles, Visitor visitor) {
  __shared__ double left[kComponents][kEdge];
  __shared__ double right[kComponents][kEdge];
  __shared__ unsigned histogram[kSharedBins];
  const int x = static_cast<int>(threadIdx.x % 16);
  const int y = static_cast<int>(threadIdx.x / 16);
  const double scale = 1.0 / rows.groups;
  visitor.start(histogram);
  for (unsigned long long t = blockIdx.x; t < tiles; t += gridDim.x) {
    int row_tile = 0;
    int column_tile = 0;
    find_tile(t, row_tile, column_tile);
    double distances[4][4] = {};
    for (int g = 0; g < rows.groups; ++g) {
      double squares[4][4] = {};
      for (int c = 0; c < rows.group_length; c += kComponents) {
        const int length = min(kComponents, rows.group_length - c);
        __syncthreads();
        load_components(rows, row_tile, g * rows.group_length + c, length, left);
        load_components(rows, column_tile, g * rows.group_length + c, length, right);
        __syncthreads();
        for (int k = 0; k < length; ++k) {
#pragma unroll
          for (int e = 0; e < 16; ++e) {
            // Rounded one by one, as the CPU does.
            const double d = __dsub_rn(right[k][x + 16 * (e % 4)], left[k][y + 16 * (e / 4)]);
            squares[e / 4][e % 4] = __dadd_rn(squares[e / 4][e % 4], __dmul_rn(d, d));
          }
        }
      }
#pragma unroll
      for (int e = 0; e < 16; ++e) {
        distances[e / 4][e % 4] =
            __dadd_rn(distances[e / 4][e % 4], __dsqrt_rn(squares[e / 4][e % 4]));
      }
    }
#pragma unroll
    for (int e = 0; e < 16; ++e) {
      const int i = row_tile * kEdge + y + 16 * (e / 4);
      const int j = column_tile * kEdge + x + 16 * (e % 4);
      if (i < j && j < rows.count) {
        visitor.add(histogram, i, j, __dmul_rn(distances[e / 4][e % 4], scale));
      }
    }
    visitor.finish_tile(histogram);
  }
  visitor.finish();
}

class GpuPairs {
 public:
  explicit GpuPairs(const FeatureRows& rows) {
    const std::size_t count = rows.count();
    if (count > static_cast<std::size_t>(std::numeric_limits<int>::max() - kEdge)) {
      throw UsageError(std::to_string(count) + " rows; the GPU serves up to 2147483583");
    }
    std::vector<double> components(rows.values.size());
    for (std::size_t i = 0; i < count; ++i) {
      for (std::size_t c = 0; c < rows.dimension; ++c) {
        components[c * count + i] = rows.values[i * rows.dimension + c];
      }
    }
    values_ = copy_to_device(std::span<const double>(components));
    rows_ = {values_.data(), static_cast<int>(count), static_cast<int>(rows.groups),
             static_cast<int>(rows.dimension / rows.groups)};
    const unsigned long long edge_tiles = (count + kEdge - 1) / kEdge;
    tiles_ = edge_tiles * (edge_tiles + 1) / 2;
  }

  void statistics(const PairwiseOptions& options, PairwiseStatistics& result) const {
    DeviceBuffer<unsigned long long> counts(options.bins + 1);
    DeviceBuffer<double> sums(kBlocks);
    DeviceBuffer<double> largest(kBlocks);
    CUDA_CHECK(cudaMemsetAsync(counts.data(), 0, counts.bytes(), stream_.get()));
    visit(
        Statistics{{options.bin_width, 1.0 / options.bin_width, static_cast<double>(options.bins)},
                   counts.data(),
                   sums.data(),
                   largest.data(),
                   0.0,
                   0.0});
    const auto host_counts = to_host(counts);
    result.counts.assign(host_counts.begin(), host_counts.end());
    const auto host_sums = to_host(sums);
    result.mean = std::accumulate(host_sums.begin(), host_sums.end(), 0.0) /
                  static_cast<double>(result.pairs);
    const auto host_largest = to_host(largest);
    result.largest = *std::max_element(host_largest.begin(), host_largest.end());
  }

  unsigned long long count_up_to(double threshold) const { return collect(threshold, nullptr, 0); }

  std::vector<PairDistance> pairs_up_to(double threshold, unsigned long long count) const {
    DeviceBuffer<Candidate> candidates(count);
    collect(threshold, candidates.data(), count);
    std::vector<PairDistance> pairs;
    pairs.reserve(count);
    for (const Candidate& c : to_host(candidates)) pairs.push_back({c.first, c.second, c.distance});
    std::sort(pairs.begin(), pairs.end());
    return pairs;
  }

 private:
  template <class Visitor>
  void visit(const Visitor& visitor) const {
    visit_pairs<<<kBlocks, kThreads, 0, stream_.get()>>>(rows_, tiles_, visitor);
    CUDA_CHECK_LAUNCH("visit_pairs");
  }

  template <class T>
  std::vector<T> to_host(const DeviceBuffer<T>& buffer) const {
    std::vector<T> values(buffer.size());
    CUDA_CHECK(cudaMemcpyAsync(values.data(), buffer.data(), buffer.bytes(), cudaMemcpyDeviceToHost,
                               stream_.get()));
    stream_.wait();
    return values;
  }

  unsigned long long collect(double threshold, Candidate* candidates,
                             unsigned long long capacity) const {
    DeviceBuffer<unsigned long long> count(1);
    CUDA_CHECK(cudaMemsetAsync(count.data(), 0, count.bytes(), stream_.get()));
    visit(Collect{threshold, count.data(), candidates, capacity});
    return to_host(count)[0];
  }

  Stream stream_;
  DeviceBuffer<double> values_;
  Rows rows_{};
  unsigned long long tiles_ = 0;
};

// The closest pairs: a distance is narrowed down up to which there are enough pairs, but not many
// more, and the pairs up to it are sorted.
std::vector<PairDistance> closest_pairs(const GpuPairs& pairs, const PairwiseOptions& options,
                                        const PairwiseStatistics& statistics) {
  std::uint64_t enough = 0;
  std::size_t bin = 0;
  while (enough + statistics.counts[bin] < options.closest) enough += statistics.counts[bin++];
  double low = static_cast<double>(bin) * options.bin_width;
  low = std::nextafter(low, -1.0);  // fewer than wanted up to here
  double high = bin == options.bins
                    ? statistics.largest
                    : std::nextafter(static_cast<double>(bin + 1) * options.bin_width, 0.0);
  unsigned long long up_to_high = enough + statistics.counts[bin];
  while (up_to_high > std::max<unsigned long long>(kCandidates, 2 * options.closest)) {
    const double middle = low + (high - low) / 2.0;
    if (!(low < middle && middle < high)) break;  // all the rest are equal
    const unsigned long long count = pairs.count_up_to(middle);
    if (count >= options.closest) {
      high = middle;
      up_to_high = count;
    } else {
      low = middle;
    }
  }
  std::vector<PairDistance> found = pairs.pairs_up_to(high, up_to_high);
  found.resize(options.closest);
  return found;
}

}  // namespace

PairwiseStatistics pairwise_statistics(const FeatureRows& rows, const PairwiseOptions& options,
                                       const GpuDevice& gpu) {
  validate(rows);
  validate(options, rows.count());
  const DeviceScope scope(gpu.index);
  const GpuPairs pairs(rows);
  PairwiseStatistics result;
  result.pairs = static_cast<std::uint64_t>(rows.count()) * (rows.count() - 1) / 2;
  pairs.statistics(options, result);
  const std::uint64_t total =
      std::accumulate(result.counts.begin(), result.counts.end(), std::uint64_t{0});
  if (total != result.pairs) {
    throw Error("the GPU's histogram holds " + std::to_string(total) + " pairs instead of " +
                std::to_string(result.pairs));
  }
  if (options.closest > 0) result.closest = closest_pairs(pairs, options, result);
  return result;
}

}  // namespace leafglyph::gpu
