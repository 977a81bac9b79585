#include <algorithm>
#include <numbers>

#include "features/separable/rotation_kernels.h"
#include "gpu/separable/lane_sums.cuh"
#include "gpu/separable/recurrence_kernels.h"
#include "gpu/separable/rotation_kernels.h"

namespace leafglyph::gpu {
namespace {

constexpr int kWarp = 32;
static_assert(kRepetitionGroup == kWarp);
// Repetitions that a lane processes together. The transpose uses more, to share its sums over the
// lanes.
constexpr int kRepetitions = 2;
constexpr int kRepetitionTile = kWarp * kRepetitions;
constexpr int kBackRepetitions = 4;
constexpr int kBackTile = kWarp * kBackRepetitions;
static_assert(kBackTile == kWarpTile);
// Entries that are summed over the lanes at a time.
constexpr int kSteps = 16;
static_assert(kSteps == kRotationChunk);

// The eigenvector of one repetition in a degree. Indices beyond the last one use a copy of the
// last.
struct Eigenvector {
  double square = 0.0;
  int match = 0;
  int end = 0;

  Eigenvector() = default;
  __device__ Eigenvector(const RotationArrays& in, int n, int parity, int terms, int index) {
    const int used = min(index, terms - 1);
    const int first = parity == 0 ? n % 2 : 2 - n % 2;
    const double m = first + 2.0 * used;
    square = m * m;
    const int2 turning = in.turning[degree_row(n, parity) + static_cast<std::size_t>(used)];
    match = turning.x;
    end = turning.y;
  }
};

__device__ void step(double2 recurrence, double square, double& current, double& before) {
  const double next = fma(fma(recurrence.x, square, recurrence.y), current, -before);
  before = current;
  current = next;
}

__device__ int terms_of(int n, int parity) { return n < parity ? 0 : (n - parity) / 2 + 1; }

// Writes one part of (-j)^m (cosine part + j sine part). m and the parity determine whether it is
// the real or imaginary part of the moment, and its sign.
__device__ void write_part(double value, int parity, int m, double2& moment) {
  const int quarter = m % 4;
  const bool imaginary = (quarter + parity) % 2 != 0;
  const bool negative = parity == 0 ? quarter == 1 || quarter == 2 : quarter == 2 || quarter == 3;
  (imaginary ? moment.y : moment.x) = negative ? -value : value;
}

// Reads one part of j^m (re + j im): the real part for cosines, the imaginary part for sines.
__device__ double read_part(double2 moment, int parity, int m) {
  const int quarter = m % 4;
  const bool imaginary = (quarter + parity) % 2 != 0;
  const bool negative = parity == 0 ? quarter == 1 || quarter == 2 : quarter == 2 || quarter == 3;
  const double value = imaginary ? moment.y : moment.x;
  return negative ? -value : value;
}

// Moments of degree n from its line sums kappa_k: sum over k of w_k(m) kappa_k, where w(m) is an
// eigenvector of the rotation. It is computed by its three-term recurrence w_{i+1} = (slope_i m^2 +
// shift_i) w_i - w_{i-1} (as in features/separable/rotation_kernels.h), which is stable only
// towards the turning point: forwards from the first i, backwards from the end. Factors join both
// parts. Block (tiles of repetitions, degree, parity of k), one warp per kRepetitionTile
// repetitions, kRepetitions of them per thread.
__global__ void __launch_bounds__(kWarp* kMostWarps)
    rotate_kernel(RotationArrays in, int last_degree, const double* kappa, double2* moments) {
  extern __shared__ __align__(16) double2 recurrence[];  // followed by the values
  const int n = last_degree - static_cast<int>(blockIdx.y);
  const int parity = static_cast<int>(blockIdx.z);
  const int terms = terms_of(n, parity);
  const int threads = static_cast<int>(blockDim.x);
  const int lane = static_cast<int>(threadIdx.x) % kWarp;
  const int warp = static_cast<int>(threadIdx.x) / kWarp;
  const int first_of_block = static_cast<int>(blockIdx.x) * threads * kRepetitions;
  if (first_of_block >= terms) return;
  const std::size_t row = degree_row(n, parity);
  double* values = reinterpret_cast<double*>(recurrence + terms);
  for (int i = static_cast<int>(threadIdx.x); i < terms; i += threads) {
    recurrence[i] = in.recurrence[row + static_cast<std::size_t>(i)];
    values[i] = kappa[row + static_cast<std::size_t>(i)];
  }
  __syncthreads();
  const int first = first_of_block + warp * kRepetitionTile;
  if (first >= terms) return;
  Eigenvector vectors[kRepetitions];
#pragma unroll
  for (int v = 0; v < kRepetitions; ++v) {
    vectors[v] = Eigenvector(in, n, parity, terms, first + v * kWarp + lane);
  }
  // The turning point decreases as m increases.
  const int highest = __shfl_sync(0xffffffffU, vectors[0].match, 0);
  const int lowest = __shfl_sync(0xffffffffU, vectors[kRepetitions - 1].match, kWarp - 1);
  double forward[kRepetitions] = {};
  double backward[kRepetitions] = {};
  double w[kRepetitions];
  double before[kRepetitions];
#pragma unroll
  for (int v = 0; v < kRepetitions; ++v) {
    w[v] = 1.0;
    before[v] = 0.0;
  }
  int i = 0;
#pragma unroll 4
  for (; i <= lowest; ++i) {
    const double value = values[i];
    const double2 r = recurrence[i];
#pragma unroll
    for (int v = 0; v < kRepetitions; ++v) {
      forward[v] = fma(w[v], value, forward[v]);
      step(r, vectors[v].square, w[v], before[v]);
    }
  }
#pragma unroll 2
  for (; i <= highest; ++i) {
    const double value = values[i];
    const double2 r = recurrence[i];
#pragma unroll
    for (int v = 0; v < kRepetitions; ++v) {
      forward[v] = fma(i <= vectors[v].match ? w[v] : 0.0, value, forward[v]);
      step(r, vectors[v].square, w[v], before[v]);
    }
  }
#pragma unroll
  for (int v = 0; v < kRepetitions; ++v) {
    w[v] = kWalkStart;
    before[v] = 0.0;
  }
  // Where not all vectors have started, or not all still decay, each vector's own bounds are
  // checked.
  const auto some = [&](int down_to) {
    for (; i > down_to; --i) {
      const double value = values[i];
      const double2 r = recurrence[i];
#pragma unroll
      for (int v = 0; v < kRepetitions; ++v) {
        if (i > vectors[v].end) continue;
        backward[v] = fma(i > vectors[v].match ? w[v] : 0.0, value, backward[v]);
        step(r, vectors[v].square, w[v], before[v]);
      }
    }
  };
  int first_end = vectors[0].end;
  int last_end = vectors[0].end;
#pragma unroll
  for (const Eigenvector& vector : vectors) {
    first_end = max(first_end, vector.end);
    last_end = min(last_end, vector.end);
  }
  i = first_end;
  some(max(lowest, last_end));
#pragma unroll 4
  for (; i > highest; --i) {
    const double value = values[i];
    const double2 r = recurrence[i];
#pragma unroll
    for (int v = 0; v < kRepetitions; ++v) {
      backward[v] = fma(w[v], value, backward[v]);
      step(r, vectors[v].square, w[v], before[v]);
    }
  }
  some(lowest);
  const GpuDegree degree = in.degrees[n];
#pragma unroll
  for (int v = 0; v < kRepetitions; ++v) {
    const int index = first + v * kWarp + lane;
    if (index >= terms) continue;
    const double2 factor = in.factors[row + static_cast<std::size_t>(index)];
    const int m = (parity == 0 ? n % 2 : 2 - n % 2) + 2 * index;
    double2& moment = moments[degree.first + static_cast<std::size_t>(m / 2)];
    const double value = (m == 0 ? degree.norm_zero : degree.norm) *
                         fma(forward[v], factor.x, backward[v] * factor.y);
    write_part(value, parity, m, moment);
    if (m == 0) moment.y = 0.0;
  }
}

// The transpose of rotate_kernel: line coefficients kappa_i = sum over m of w_i(m) times the
// weighted moment of m. One block per degree and parity of k. Each warp processes tiles of
// repetitions and advances their vectors from i to i + 1. A chunk of i at a time is summed over the
// lanes and added to sums[warp][i].
__global__ void __launch_bounds__(kWarp* kMostWarps)
    rotate_back_kernel(RotationArrays in, const double2* weighted, const std::size_t* rows,
                       double* kappa) {
  extern __shared__ __align__(16) double2 recurrence[];  // followed by sums[warp][i]
  const int n = in.order - static_cast<int>(blockIdx.x);
  const int parity = static_cast<int>(blockIdx.y);
  const int terms = terms_of(n, parity);
  const int padded = (terms + kSteps - 1) / kSteps * kSteps;
  const int lane = static_cast<int>(threadIdx.x) % kWarp;
  const int warp = static_cast<int>(threadIdx.x) / kWarp;
  const int warps = static_cast<int>(blockDim.x) / kWarp;
  const std::size_t row = degree_row(n, parity);
  double* sums = reinterpret_cast<double*>(recurrence + padded);
  double* own = sums + static_cast<std::size_t>(warp) * padded;
  for (int i = lane; i < padded; i += kWarp) own[i] = 0.0;
  for (int i = static_cast<int>(threadIdx.x); i < padded; i += static_cast<int>(blockDim.x)) {
    recurrence[i] = i < terms ? in.recurrence[row + static_cast<std::size_t>(i)] : double2{};
  }
  __syncthreads();
  const GpuDegree degree = in.degrees[n];
  for (int tile = warp * kBackTile; tile < terms; tile += warps * kBackTile) {
    Eigenvector vectors[kBackRepetitions];
#pragma unroll
    for (int v = 0; v < kBackRepetitions; ++v) {
      vectors[v] = Eigenvector(in, n, parity, terms, tile + v * kWarp + lane);
    }
    double forward[kBackRepetitions] = {};
    double backward[kBackRepetitions] = {};
#pragma unroll
    for (int v = 0; v < kBackRepetitions; ++v) {
      const int index = tile + v * kWarp + lane;
      if (index >= terms) continue;
      const int m = (parity == 0 ? n % 2 : 2 - n % 2) + 2 * index;
      // V_nm = pi / (n + 1) norm (cosine part - j sine part) j^m
      const double norm = (m == 0 ? degree.norm_zero : degree.norm) * std::numbers::pi / (n + 1);
      const double value =
          norm * read_part(weighted[degree.first + static_cast<std::size_t>(m / 2)], parity, m);
      const double2 factor = in.factors[row + static_cast<std::size_t>(index)];
      forward[v] = value * factor.x;
      backward[v] = value * factor.y;
    }
    const int highest = __shfl_sync(0xffffffffU, vectors[0].match, 0);
    const int lowest = __shfl_sync(0xffffffffU, vectors[kBackRepetitions - 1].match, kWarp - 1);
    double w[kBackRepetitions];
    double before[kBackRepetitions];
    const auto restart = [&](double value) {
#pragma unroll
      for (int v = 0; v < kBackRepetitions; ++v) {
        w[v] = value;
        before[v] = 0.0;
      }
    };
    const auto add = [&](int chunk, double(&s)[kSteps]) {
      const double sum = sum_lanes(s);
      if (holds_sum<kSteps>(lane)) own[chunk + summed_value<kSteps>(lane)] += sum;
    };
    restart(1.0);
    for (int chunk = 0; chunk <= highest; chunk += kSteps) {
      double s[kSteps] = {};
#pragma unroll
      for (int j = 0; j < kSteps; ++j) {
        const double2 r = recurrence[chunk + j];
#pragma unroll
        for (int v = 0; v < kBackRepetitions; ++v) {
          s[j] = fma(chunk + j <= vectors[v].match ? w[v] : 0.0, forward[v], s[j]);
          step(r, vectors[v].square, w[v], before[v]);
        }
      }
      add(chunk, s);
    }
    restart(kWalkStart);
    int end = 0;
#pragma unroll
    for (const Eigenvector& vector : vectors) end = max(end, vector.end);
    for (int chunk = end / kSteps * kSteps; chunk + kSteps > lowest + 1; chunk -= kSteps) {
      double s[kSteps] = {};
#pragma unroll
      for (int j = kSteps - 1; j >= 0; --j) {
        const int i = chunk + j;
        const double2 r = recurrence[i];
#pragma unroll
        for (int v = 0; v < kBackRepetitions; ++v) {
          if (i > vectors[v].end) continue;
          s[j] = fma(i > vectors[v].match ? w[v] : 0.0, backward[v], s[j]);
          step(r, vectors[v].square, w[v], before[v]);
        }
      }
      add(chunk, s);
      if (chunk == 0) break;
    }
  }
  __syncthreads();
  for (int i = static_cast<int>(threadIdx.x); i < terms; i += static_cast<int>(blockDim.x)) {
    double sum = 0.0;
    for (int other = 0; other < warps; ++other) {
      sum += sums[static_cast<std::size_t>(other) * padded + i];
    }
    const int k = 2 * i + parity;
    kappa[rows[k] + static_cast<std::size_t>(n - k)] =
        in.scale[row + static_cast<std::size_t>(i)] * sum;
  }
}

}  // namespace

std::size_t rotation_bytes(int order) {
  return (static_cast<std::size_t>(order) / 2 + 1) * (sizeof(double2) + sizeof(double));
}

std::size_t rotation_back_bytes(int order, int warps) {
  const std::size_t padded = static_cast<std::size_t>(order) / 2 + 1 + kRotationChunk;
  return padded * sizeof(double2) + sum_bytes(warps, padded);
}

void load_rotation() {
  allow_shared_memory(rotate_kernel);
  allow_shared_memory(rotate_back_kernel);
}

void rotate(const RotationArrays& rotation, int first_degree, int last_degree, const double* kappa,
            double2* moments, const Stream& stream) {
  const int tiles = (last_degree / 2 + kRepetitionTile) / kRepetitionTile;
  const int warps = std::min(tiles, kMostWarps);
  const dim3 blocks(static_cast<unsigned>((tiles + warps - 1) / warps),
                    static_cast<unsigned>(last_degree - first_degree + 1), 2);
  rotate_kernel<<<blocks, static_cast<unsigned>(kWarp * warps), rotation_bytes(last_degree),
                  stream.get()>>>(rotation, last_degree, kappa, moments);
  CUDA_CHECK_LAUNCH("rotate_kernel");
}

void rotate_back(const RotationArrays& rotation, const double2* weighted, const std::size_t* rows,
                 int warps, double* kappa, const Stream& stream) {
  const dim3 blocks(static_cast<unsigned>(rotation.order) + 1, 2);
  rotate_back_kernel<<<blocks, static_cast<unsigned>(kWarp * warps),
                       rotation_back_bytes(rotation.order, warps), stream.get()>>>(
      rotation, weighted, rows, kappa);
  CUDA_CHECK_LAUNCH("rotate_back_kernel");
}

}  // namespace leafglyph::gpu
