#include "gpu/separable/recurrence_device.cuh"

namespace leafglyph::gpu {
namespace {

constexpr int kSteps = static_cast<int>(kStartSteps);
static_assert(kSteps == 8);
// Number of j that are summed over the lanes at a time.
constexpr int kStepsAtATime = 16;
static_assert(kStepsAtATime % kSteps == 0);
// Lines whose weights are held in shared memory, and nodes that a thread adds to while it reads
// these lines.
constexpr int kMergedLines = 32;
constexpr int kMergedNodes = 16;
constexpr int kMergeThreads = 128;

// Combines the sums of a panel's lines at its nodes: carried[column][node] is the sum over the
// lines of weight[line][node] times sums[line][column]. Block (tile of nodes, columns of sums,
// panel), one thread per k and parity of y. Tiles of the same columns run side by side, so the
// columns are read from memory once.
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

// The polynomials of a node at one k.
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

  /// Call at every multiple of kStartSteps. The values of a node are 0 until its start.
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

// The lowest start among a warp's nodes; a large number if none is in use.
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

// Sums across the lines: kappa of degree k + j from the values of k at the nodes and the
// polynomials of degree j, computed on the fly by a three-term recurrence. One block per k. Each
// warp processes tiles of nodes and advances their polynomials from j to j + 1. The sums over the
// lanes are taken for kStepsAtATime values of j at a time and added to sums[warp][j].
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

// The transpose of line_sums_kernel: values at the nodes from kappa, as the sum over j of kappa
// times the polynomial of degree j, computed on the fly by a recurrence. Block (k, tile of nodes),
// one thread per kValues nodes. Shared memory holds slopes and kappa for kValueChunk values of j at
// a time.
__global__ void __launch_bounds__(kValueThreads)
    line_values_kernel(NodeArrays in, BasisArrays basis, const double* factor, const double* kappa,
                       int terms, double2* carried) {
  __shared__ double2 both[kValueChunk];  // slope and value for each j
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

}  // namespace

void load_node_sums() {
  allow_shared_memory(line_sums_kernel<2>);
  allow_shared_memory(line_sums_kernel<4>);
}

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
  // Few nodes are spread over more warps; many nodes share the sums over the lanes.
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

}  // namespace leafglyph::gpu
