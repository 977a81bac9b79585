#include <type_traits>

#include "features/separable/line_basis.h"
#include "features/separable/stream_kernels.h"
#include "gpu/separable/lane_sums.cuh"
#include "gpu/separable/stream_kernels.h"

namespace leafglyph::gpu {
namespace {

constexpr int kWarp = 32;
// Places that a lane works on together.
constexpr int kTogether = 4;
constexpr int kTile = kWarp * kTogether;
static_assert(kTogether == 4 && kTile == kWarpTile);
constexpr int kBlock = static_cast<int>(kStreamBlock);
constexpr int kSteps = static_cast<int>(kStartSteps);
static_assert(kBlock == 8 && kSteps == 8);
// k, and j, that are summed over the lanes at a time.
constexpr int kTermsAtATime = 16;
constexpr int kStepsAtATime = 16;
static_assert(kTermsAtATime == kTermChunk && kStepsAtATime % kSteps == 0);
// Lines whose weights stand in shared memory, and nodes that a thread adds to while it reads them.
constexpr int kMergedLines = 32;
constexpr int kMergedNodes = 16;
constexpr int kMergeThreads = 128;
constexpr int kValueThreads = 128;
// Nodes, and columns, that a thread gives values together.
constexpr int kValues = 2;
// j, and k, whose coefficients stand in shared memory.
constexpr int kValueChunk = 128;
static_assert(kValueChunk == kValueThreads);

// Tables are read past the sums that are written meanwhile.
__device__ double2 two_of(const double* table) {
  return __ldg(reinterpret_cast<const double2*>(table));
}

// Even and odd in y of the part of a pair of columns that is even in x, then of the odd one
// (features/separable/folded_rows.h).
struct Folded {
  double even_even;
  double even_odd;
  double odd_even;
  double odd_odd;
};

// The places of the four pixels of a pair of columns in a pair of rows.
struct Mirrors {
  __device__ Mirrors(int size, int row, int column) {
    const auto n = static_cast<std::size_t>(size);
    const std::size_t lower = n / 2 + static_cast<std::size_t>(row);
    const std::size_t right = n / 2 + static_cast<std::size_t>(column);
    a = (n - 1 - lower) * n + right;
    b = (n - 1 - lower) * n + (n - 1 - right);
    c = lower * n + right;
    d = lower * n + (n - 1 - right);
  }
  std::size_t a;
  std::size_t b;
  std::size_t c;
  std::size_t d;
};

// 8-bit pixels are added as integers, the others as they are summed.
template <class Pixel>
__device__ Folded fold(const Pixel* image, int size, int row, int column) {
  using Sum = std::conditional_t<std::is_integral_v<Pixel>, int, double>;
  const Mirrors at(size, row, column);
  const auto a = static_cast<Sum>(image[at.a]);
  const auto b = static_cast<Sum>(image[at.b]);
  const auto c = static_cast<Sum>(image[at.c]);
  const auto d = static_cast<Sum>(image[at.d]);
  return {static_cast<double>((a + b) + (c + d)), static_cast<double>((a + b) - (c + d)),
          static_cast<double>((a - b) + (c - d)), static_cast<double>((a - b) - (c - d))};
}

// What place p of a line carries, by the parity in x of the polynomials that it goes with.
template <bool kExact, class Pixel>
__device__ Folded place_values(const LineArrays& in, const GpuLine& line, const Pixel* image,
                               int p) {
  if constexpr (!kExact) {
    Folded value = fold(image, in.size, line.row, in.column[p]);
    const double weight = in.weight[p];
    value.even_even *= weight;
    value.even_odd *= weight;
    value.odd_even *= weight;
    value.odd_odd *= weight;
    return value;
  } else {
    // The step from pixel to pixel at an edge. Summation by parts takes P_k to P_{k+1} and P_{k-1}:
    // what is even in x goes with the odd polynomials. At x = 0 the step is its own mirror image;
    // an odd size has no edge there.
    const bool counts = p < in.columns[line.row];
    const Folded right = counts ? fold(image, in.size, line.row, p) : Folded{};
    if (p == 0) {
      if (in.size % 2 == 1) return {};
      return {-right.odd_even, -right.odd_odd, 0.0, 0.0};
    }
    const Folded left = fold(image, in.size, line.row, p - 1);
    return {left.odd_even - right.odd_even, left.odd_odd - right.odd_odd,
            left.even_even - right.even_even, left.even_odd - right.even_odd};
  }
}

// Sums over the warps of a block: [warp][values].
__device__ double over_warps(const double* sums, std::size_t values, int at) {
  double sum = 0.0;
  for (int warp = 0; warp < static_cast<int>(blockDim.x) / kWarp; ++warp) {
    sum += sums[static_cast<std::size_t>(warp) * values + at];
  }
  return sum;
}

// Adds the sums over `Together` places a lane, from `place` on, to own[k][parity of y]: lane by
// lane polynomials go from k to k + 1, and a block of k at a time is summed over the lanes.
template <int Together, bool kExact, class Pixel>
__device__ void sum_places(const LineArrays& in, const double* slopes, const GpuLine& line,
                           const Pixel* image, int place, int terms, double* own) {
  const int lane = static_cast<int>(threadIdx.x) % kWarp;
  const double inverse = 1.0 / line.half_chord;
  double t[Together];
  double p[Together];
  double q[Together];
  Folded value[Together];
#pragma unroll
  for (int v = 0; v < Together; ++v) {
    const int at = place + v * kWarp + lane;
    const bool used = at < line.places;
    t[v] = used ? fmin(1.0, in.x[at] * inverse) : 0.0;
    value[v] = used ? place_values<kExact>(in, line, image, at) : Folded{};
    p[v] = 1.0;
    q[v] = 0.0;
  }
  for (int k = 0; k < terms; k += kTermsAtATime) {
    double s[2 * kTermsAtATime];
#pragma unroll
    for (double& sum : s) sum = 0.0;
#pragma unroll
    for (int i = 0; i < kTermsAtATime; i += 2) {
      const double2 slope = two_of(slopes + k + i);
#pragma unroll
      for (int v = 0; v < Together; ++v) {
        s[2 * i] = fma(p[v], value[v].even_even, s[2 * i]);
        s[2 * i + 1] = fma(p[v], value[v].even_odd, s[2 * i + 1]);
        q[v] = fma(slope.x * t[v], p[v], -q[v]);
      }
#pragma unroll
      for (int v = 0; v < Together; ++v) {
        s[2 * i + 2] = fma(q[v], value[v].odd_even, s[2 * i + 2]);
        s[2 * i + 3] = fma(q[v], value[v].odd_odd, s[2 * i + 3]);
        p[v] = fma(slope.y * t[v], q[v], -p[v]);
      }
    }
    const double sum = sum_lanes(s);
    own[2 * k + lane] += sum;
  }
}

// Block per line. Each warp takes tiles of places and keeps sums[warp][k][parity of y].
template <class Pixel, bool kExact>
__global__ void __launch_bounds__(kWarp* kMostWarps)
    legendre_sums_kernel(LineArrays in, LegendreArrays legendre, const Pixel* image, int first_line,
                         std::size_t values, LineStrides strides, double* out) {
  extern __shared__ __align__(16) double sums[];
  const GpuLine line = in.lines[first_line + static_cast<int>(blockIdx.x)];
  const int lane = static_cast<int>(threadIdx.x) % kWarp;
  const int warp = static_cast<int>(threadIdx.x) / kWarp;
  // The exact method needs the sums of one k more.
  const int terms = line.terms + (kExact ? kBlock : 0);
  double* own = sums + static_cast<std::size_t>(warp) * values;
  for (int i = lane; i < 2 * (terms + kBlock); i += kWarp) own[i] = 0.0;
  __syncwarp();
  for (int tile = line.first + warp * kTile; tile < line.places;
       tile += static_cast<int>(blockDim.x) * kTogether) {
    const int left = line.places - tile;
    if (left > 2 * kWarp) {
      sum_places<4, kExact>(in, legendre.slope, line, image, tile, terms, own);
    } else if (left > kWarp) {
      sum_places<2, kExact>(in, legendre.slope, line, image, tile, terms, own);
    } else {
      sum_places<1, kExact>(in, legendre.slope, line, image, tile, terms, own);
    }
  }
  __syncthreads();
  const auto at = [&](int k, int parity) { return over_warps(sums, values, 2 * k + parity); };
  double* const to = out + static_cast<std::size_t>(blockIdx.x) * strides.line;
  for (int i = static_cast<int>(threadIdx.x); i < 2 * line.terms;
       i += static_cast<int>(blockDim.x)) {
    const int k = i / 2;
    const int parity = i % 2;
    double value = 0.0;
    if constexpr (!kExact) {
      value = line.weight * legendre.factor[k] * at(k, parity);
    } else {
      const double weight = line.weight * line.half_chord;
      if (k > 0) {
        value = weight *
                (legendre.above[k] * at(k + 1, parity) - legendre.below[k] * at(k - 1, parity));
      } else {
        value = weight * legendre.factor[1] * at(1, parity);
        // The circle cuts pixel places - 1: only P_1 sees the edge that it makes.
        if (line.cut != 0) {
          const Folded last = fold(image, in.size, line.row, line.places - 1);
          value += weight * (parity == 0 ? last.even_even : last.even_odd);
        }
      }
    }
    to[static_cast<std::size_t>(k) * strides.term +
       static_cast<std::size_t>(parity) * strides.parity] = value;
  }
}

// Block (tile of nodes, columns of sums, panel): thread per k and parity of y. Tiles of the same
// columns run side by side and read them once.
__global__ void __launch_bounds__(kMergeThreads)
    merge_lines_kernel(const GpuPanel* panels, int first_line, const double* sums, std::size_t row,
                       const double* weights, double* carried, std::size_t nodes) {
  __shared__ double weight[kMergedLines][kMergedNodes];
  const GpuPanel panel = panels[blockIdx.z];
  const int thread = static_cast<int>(threadIdx.x);
  const int first_column = static_cast<int>(blockIdx.y) * kMergeThreads;
  const int node = static_cast<int>(blockIdx.x) * kMergedNodes;
  if (first_column >= 2 * panel.terms || node >= panel.nodes) return;
  const int column = min(first_column + thread, 2 * panel.terms - 1);
  const int count = min(kMergedNodes, panel.nodes - node);
  double sum[kMergedNodes] = {};
  for (int first = panel.first_line; first < panel.last_line; first += kMergedLines) {
    __syncthreads();
    for (int i = thread; i < kMergedLines * kMergedNodes; i += kMergeThreads) {
      const int line = first + i / kMergedNodes;
      const bool used = line < panel.last_line && i % kMergedNodes < count;
      weight[i / kMergedNodes][i % kMergedNodes] =
          used ? __ldg(weights + panel.first_weight +
                       static_cast<std::size_t>(line - panel.first_line) * panel.nodes + node +
                       i % kMergedNodes)
               : 0.0;
    }
    __syncthreads();
    const double* from = sums + static_cast<std::size_t>(first - first_line) * row + column;
    const int last = panel.last_line - first - 1;
#pragma unroll 8
    for (int line = 0; line < kMergedLines; ++line) {
      const double value = __ldg(from + static_cast<std::size_t>(min(line, last)) * row);
#pragma unroll
      for (int i = 0; i < kMergedNodes; ++i) sum[i] = fma(weight[line][i], value, sum[i]);
    }
  }
  if (first_column + thread >= 2 * panel.terms) return;
  double* to = carried + static_cast<std::size_t>(column) * nodes + panel.first_node + node;
#pragma unroll
  for (int i = 0; i < kMergedNodes; ++i) {
    if (i < count) to[i] = sum[i];
  }
}

// A node's polynomials at one k.
struct NodeState {
  double y = 0.0;
  double before = 0.0;
  double current = 0.0;
  double first_before = 0.0;
  double first_current = 0.0;
  int start = 0;
  bool shows = false;

  NodeState() = default;
  __device__ NodeState(const NodeArrays& in, int index, int k) {
    if (index >= in.count) return;
    const GpuNode node = in.nodes[index];
    if (k / kBlock >= node.blocks) return;
    shows = true;
    y = node.y;
    const std::size_t from = node.first_start + static_cast<std::size_t>(k / kBlock);
    start = static_cast<int>(in.starts_at[from]);
    const double* values = in.starts + from * 2 * kGroupBlock + node.slot * kBlock + k % kBlock;
    first_before = values[0];
    first_current = values[kGroupBlock];
  }

  /// To be called at every multiple of kStartSteps: until its start a node's values are 0.
  __device__ void start_at(int j) {
    if (j != start) return;
    before = first_before;
    current = first_current;
  }

  __device__ void step(double slope) {
    const double next = fma(slope * y, current, -before);
    before = current;
    current = next;
  }
};

// The lowest start of a warp's nodes, a large number where none shows.
template <int Count>
__device__ int lowest_start(const NodeState (&states)[Count]) {
  int lowest = 0x7fffffff;
  for (const NodeState& state : states) {
    if (state.shows) lowest = min(lowest, state.start);
  }
  for (int bit = 16; bit > 0; bit /= 2) {
    lowest = min(lowest, __shfl_xor_sync(0xffffffffU, lowest, bit));
  }
  return lowest;
}

// Block per k. Each warp takes tiles of nodes, its polynomials go from j to j + 1, and
// kStepsAtATime j are summed over the lanes at a time, to sums[warp][j].
template <int Together>
__global__ void __launch_bounds__(kWarp* kMostWarps)
    line_sums_kernel(NodeArrays in, BasisArrays basis, const double* carried, double* kappa) {
  extern __shared__ __align__(16) double slopes[];
  const int k = static_cast<int>(blockIdx.x);
  const int steps = basis.order + 1 - k;
  const int padded = (steps + kStepsAtATime - 1) / kStepsAtATime * kStepsAtATime;
  const int thread = static_cast<int>(threadIdx.x);
  const int threads = static_cast<int>(blockDim.x);
  const int lane = thread % kWarp;
  double* sums = slopes + padded;
  double* own = sums + static_cast<std::size_t>(thread / kWarp) * padded;
  for (int i = thread; i < padded; i += threads) {
    slopes[i] = i < steps ? basis.slope[basis.rows[k] + static_cast<std::size_t>(i)] : 0.0;
  }
  for (int i = lane; i < padded; i += kWarp) own[i] = 0.0;
  __syncthreads();
  const double* even = carried + static_cast<std::size_t>(2 * k) * in.count;
  const double* odd = even + in.count;
  for (int tile = thread / kWarp * kWarp * Together; tile < in.count; tile += threads * Together) {
    NodeState states[Together];
    double value[2][Together];
#pragma unroll
    for (int v = 0; v < Together; ++v) {
      const int node = tile + v * kWarp + lane;
      states[v] = NodeState(in, node, k);
      value[0][v] = states[v].shows ? even[node] : 0.0;
      value[1][v] = states[v].shows ? odd[node] : 0.0;
    }
    const int lowest = lowest_start(states);
    for (int j = lowest / kStepsAtATime * kStepsAtATime; j < steps; j += kStepsAtATime) {
      double s[kStepsAtATime];
#pragma unroll
      for (double& sum : s) sum = 0.0;
#pragma unroll
      for (int i = 0; i < kStepsAtATime; i += 2) {
        if (i % kSteps == 0) {
#pragma unroll
          for (NodeState& state : states) state.start_at(j + i);
        }
        const double2 slope = *reinterpret_cast<const double2*>(slopes + j + i);
#pragma unroll
        for (int v = 0; v < Together; ++v) {
          s[i] = fma(states[v].current, value[0][v], s[i]);
          states[v].step(slope.x);
        }
#pragma unroll
        for (int v = 0; v < Together; ++v) {
          s[i + 1] = fma(states[v].current, value[1][v], s[i + 1]);
          states[v].step(slope.y);
        }
      }
      const double sum = sum_lanes(s);
      if (holds_sum<kStepsAtATime>(lane)) own[j + summed_value<kStepsAtATime>(lane)] += sum;
    }
  }
  __syncthreads();
  const double* factor = basis.factor + basis.rows[k];
  for (int j = thread; j < steps; j += threads) {
    kappa[degree_row(k + j, k % 2) + static_cast<std::size_t>(k / 2)] =
        factor[j] * over_warps(sums, static_cast<std::size_t>(padded), j);
  }
}

// Block (k, tile of nodes): thread per kValues nodes.
__global__ void __launch_bounds__(kValueThreads)
    line_values_kernel(NodeArrays in, BasisArrays basis, const double* factor, const double* kappa,
                       int terms, double2* carried) {
  __shared__ double2 both[kValueChunk];  // slope and value of a j
  const int k = static_cast<int>(blockIdx.x);
  const int steps = basis.order + 1 - k;
  const int thread = static_cast<int>(threadIdx.x);
  const int lane = thread % kWarp;
  const int first =
      static_cast<int>(blockIdx.y * kValueThreads + threadIdx.x - lane) * kValues + lane;
  NodeState states[kValues] = {{in, first, k}, {in, first + kWarp, k}};
  const int lowest = lowest_start(states);
  double even[kValues] = {};
  double odd[kValues] = {};
  const std::size_t row = basis.rows[k];
  for (int chunk = 0; chunk < steps; chunk += kValueChunk) {
    const int mine = chunk + thread;
    __syncthreads();
    both[thread] = mine < steps ? double2{basis.slope[row + mine], kappa[row + mine]} : double2{};
    __syncthreads();
    const int last = min(chunk + kValueChunk, steps);
    for (int j = max(chunk, lowest); j < last; j += kSteps) {
#pragma unroll
      for (NodeState& state : states) state.start_at(j);
#pragma unroll
      for (int i = 0; i < kSteps; i += 2) {
        const double2 now = both[j - chunk + i];
        const double2 next = both[j - chunk + i + 1];
#pragma unroll
        for (int v = 0; v < kValues; ++v) {
          even[v] = fma(states[v].current, now.y, even[v]);
          states[v].step(now.x);
          odd[v] = fma(states[v].current, next.y, odd[v]);
          states[v].step(next.x);
        }
      }
    }
  }
#pragma unroll
  for (int v = 0; v < kValues; ++v) {
    const int node = first + v * kWarp;
    if (node >= in.count) continue;
    carried[static_cast<std::size_t>(node) * terms + k] = {factor[k] * even[v], factor[k] * odd[v]};
  }
}

// Block (line, tile of columns): thread per kValues pairs of columns.
__global__ void __launch_bounds__(kValueThreads)
    legendre_values_kernel(LineArrays in, const double* slope, const double2* carried, int terms,
                           double* image) {
  __shared__ double2 carries[kValueChunk];
  __shared__ alignas(16) double slopes[kValueChunk];
  const GpuLine line = in.lines[blockIdx.x];
  const int columns = in.columns[line.row];
  const int thread = static_cast<int>(threadIdx.x);
  const int tile = static_cast<int>(blockIdx.y) * kValueThreads * kValues;
  if (tile >= columns) return;
  const int first = tile + thread;
  const double inverse = 1.0 / line.half_chord;
  double t[kValues];
  double p[kValues];
  double q[kValues];
  Folded value[kValues];
#pragma unroll
  for (int v = 0; v < kValues; ++v) {
    const int column = first + v * kValueThreads;
    t[v] = column < columns ? fmin(1.0, in.x[column] * inverse) : 0.0;
    p[v] = 1.0;
    q[v] = 0.0;
    value[v] = {};
  }
  const double2* sums = carried + static_cast<std::size_t>(blockIdx.x) * terms;
  for (int chunk = 0; chunk < line.terms; chunk += kValueChunk) {
    __syncthreads();
    if (chunk + thread < line.terms) {
      carries[thread] = sums[chunk + thread];
      slopes[thread] = slope[chunk + thread];
    }
    __syncthreads();
    const int last = min(kValueChunk, line.terms - chunk);
#pragma unroll 4
    for (int k = 0; k < last; k += 2) {
      const double2 even = carries[k];
      const double2 odd = carries[k + 1];
      const double2 step = *reinterpret_cast<const double2*>(slopes + k);
#pragma unroll
      for (int v = 0; v < kValues; ++v) {
        value[v].even_even = fma(p[v], even.x, value[v].even_even);
        value[v].even_odd = fma(p[v], even.y, value[v].even_odd);
        q[v] = fma(step.x * t[v], p[v], -q[v]);
        value[v].odd_even = fma(q[v], odd.x, value[v].odd_even);
        value[v].odd_odd = fma(q[v], odd.y, value[v].odd_odd);
        p[v] = fma(step.y * t[v], q[v], -p[v]);
      }
    }
  }
#pragma unroll
  for (int v = 0; v < kValues; ++v) {
    const int column = first + v * kValueThreads;
    if (column >= columns) continue;
    const Mirrors at(in.size, line.row, column);
    const double even = value[v].even_even;
    const double even_odd = value[v].even_odd;
    const double odd_even = value[v].odd_even;
    const double odd = value[v].odd_odd;
    image[at.a] = (even + even_odd) + (odd_even + odd);
    image[at.b] = (even + even_odd) - (odd_even + odd);
    image[at.c] = (even - even_odd) + (odd_even - odd);
    image[at.d] = (even - even_odd) - (odd_even - odd);
  }
}

unsigned blocks_of(std::size_t count, std::size_t each) {
  return static_cast<unsigned>((count + each - 1) / each);
}

template <class Kernel>
void allow(Kernel kernel, std::size_t bytes) {
  CUDA_CHECK(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                  static_cast<int>(bytes)));
}

}  // namespace

void allow_sum_bytes(std::size_t bytes) {
  allow(legendre_sums_kernel<unsigned char, false>, bytes);
  allow(legendre_sums_kernel<unsigned char, true>, bytes);
  allow(legendre_sums_kernel<float, false>, bytes);
  allow(legendre_sums_kernel<float, true>, bytes);
  allow(legendre_sums_kernel<double, false>, bytes);
  allow(legendre_sums_kernel<double, true>, bytes);
  allow(line_sums_kernel<2>, bytes);
  allow(line_sums_kernel<4>, bytes);
}

template <class Pixel>
void legendre_sums(const LineArrays& lines, const LegendreArrays& legendre, const Pixel* image,
                   int first, int count, int warps, int terms, const LineStrides& strides,
                   double* out, const Stream& stream) {
  if (count == 0) return;
  const auto blocks = static_cast<unsigned>(count);
  const auto threads = static_cast<unsigned>(warps * kWarp);
  const std::size_t values = line_sum_values(terms);
  const std::size_t bytes = sum_bytes(warps, values);
  if (lines.weight == nullptr) {
    legendre_sums_kernel<Pixel, true><<<blocks, threads, bytes, stream.get()>>>(
        lines, legendre, image, first, values, strides, out);
  } else {
    legendre_sums_kernel<Pixel, false><<<blocks, threads, bytes, stream.get()>>>(
        lines, legendre, image, first, values, strides, out);
  }
  CUDA_CHECK_LAUNCH("legendre_sums_kernel");
}

template void legendre_sums(const LineArrays&, const LegendreArrays&, const unsigned char*, int,
                            int, int, int, const LineStrides&, double*, const Stream&);
template void legendre_sums(const LineArrays&, const LegendreArrays&, const float*, int, int, int,
                            int, const LineStrides&, double*, const Stream&);
template void legendre_sums(const LineArrays&, const LegendreArrays&, const double*, int, int, int,
                            int, const LineStrides&, double*, const Stream&);

void merge_lines(const GpuPanel* panels, int count, int most_nodes, int first_line, int terms,
                 const double* sums, std::size_t row, const double* weights, double* carried,
                 std::size_t nodes, const Stream& stream) {
  const dim3 blocks(blocks_of(static_cast<std::size_t>(most_nodes), kMergedNodes),
                    blocks_of(2 * static_cast<std::size_t>(terms), kMergeThreads),
                    static_cast<unsigned>(count));
  merge_lines_kernel<<<blocks, kMergeThreads, 0, stream.get()>>>(panels, first_line, sums, row,
                                                                 weights, carried, nodes);
  CUDA_CHECK_LAUNCH("merge_lines_kernel");
}

void line_sums(const NodeArrays& nodes, const BasisArrays& basis, const double* carried, int warps,
               double* kappa, const Stream& stream) {
  const auto blocks = static_cast<unsigned>(basis.order) + 1;
  const auto threads = static_cast<unsigned>(warps * kWarp);
  const std::size_t bytes = sum_bytes(warps + 1, node_sum_values(basis.order));
  // Few nodes are spread over more warps, many share the sums over the lanes.
  if (nodes.count <= kFewNodes) {
    line_sums_kernel<2><<<blocks, threads, bytes, stream.get()>>>(nodes, basis, carried, kappa);
  } else {
    line_sums_kernel<4><<<blocks, threads, bytes, stream.get()>>>(nodes, basis, carried, kappa);
  }
  CUDA_CHECK_LAUNCH("line_sums_kernel");
}

void line_values(const NodeArrays& nodes, const BasisArrays& basis, const double* factor,
                 const double* kappa, int terms, double* carried, const Stream& stream) {
  if (nodes.count == 0) return;
  const dim3 blocks(static_cast<unsigned>(basis.order) + 1,
                    blocks_of(static_cast<std::size_t>(nodes.count), kValueThreads * kValues));
  line_values_kernel<<<blocks, kValueThreads, 0, stream.get()>>>(
      nodes, basis, factor, kappa, terms, reinterpret_cast<double2*>(carried));
  CUDA_CHECK_LAUNCH("line_values_kernel");
}

void legendre_values(const LineArrays& lines, const double* slope, int count, int pairs,
                     const double* carried, int terms, double* image, const Stream& stream) {
  if (count == 0) return;
  const dim3 blocks(static_cast<unsigned>(count),
                    blocks_of(static_cast<std::size_t>(pairs), kValueThreads * kValues));
  legendre_values_kernel<<<blocks, kValueThreads, 0, stream.get()>>>(
      lines, slope, reinterpret_cast<const double2*>(carried), terms, image);
  CUDA_CHECK_LAUNCH("legendre_values_kernel");
}

}  // namespace leafglyph::gpu
