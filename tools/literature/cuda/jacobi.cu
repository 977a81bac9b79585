#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "features/base/errors.h"
#include "features/moments/jacobi_polynomials.h"
#include "tools/literature/cuda/published.h"
#include "tools/literature/cuda/samples.h"

namespace leafglyph::gpu::published {
namespace {

constexpr int kTile = 8;  // rows, columns and slices per tile: 512 threads
constexpr int kThreads = 32;

// The recurrence p_{n+1} = ((x - a_n) p_n - b_n p_{n-1}) / b_{n+1} of the orthonormal polynomials,
// with arrays on the GPU.
struct Recurrence {
  float first;         // p_0
  const float* shift;  // a_n
  const float* step;   // b_n
};

// table[n * length + i] is the sum of p_n times the weight and the width over the k sub-regions of
// pixel i, or p_n at the pixel's centre if `sampled` (with k = 1). The place of a sub-region is
// `halves` halves of its width from its left edge. One thread per pixel. Shared
// memory holds p_{n-1}, p_n, the weight and the position of every sub-region, at h * kThreads + t
// for sub-region h of thread t.
__global__ void polynomial_kernel(Recurrence recurrence, int order, int length, int k, float alpha,
                                  float beta, float halves, bool sampled, float* table) {
  extern __shared__ float shared[];
  float* before = shared;
  float* now = shared + k * kThreads;
  float* weight = shared + 2 * k * kThreads;
  float* place = shared + 3 * k * kThreads;
  const int t = static_cast<int>(threadIdx.x);
  const int i = static_cast<int>(blockIdx.x) * kThreads + t;
  if (i >= length) return;
  for (int h = 0; h < k; ++h) {
    const float x =
        ((2.0F * i - length) * k + 2.0F * h + halves) / (static_cast<float>(k) * length);
    place[h * kThreads + t] = x;
    weight[h * kThreads + t] =
        sampled ? 1.0F : __powf(1.0F - x, alpha) * __powf(1.0F + x, beta) * 2.0F / (length * k);
    before[h * kThreads + t] = 0.0F;
    now[h * kThreads + t] = recurrence.first;
  }
  for (int n = 0; n <= order; ++n) {
    float sum = 0.0F;
    for (int h = 0; h < k; ++h) {
      const int at = h * kThreads + t;
      sum += now[at] * weight[at];
      const float next = ((place[at] - recurrence.shift[n]) * now[at] -
                          (n > 0 ? recurrence.step[n] : 0.0F) * before[at]) /
                         recurrence.step[n + 1];
      before[at] = now[at];
      now[at] = next;
    }
    table[static_cast<std::size_t>(n) * length + i] = sum;
  }
}

__global__ void transpose_kernel(const float* from, int rows, int columns, float* to) {
  __shared__ float tile[16][17];
  const int x = static_cast<int>(blockIdx.x) * 16;
  const int y = static_cast<int>(blockIdx.y) * 16;
  const int tx = static_cast<int>(threadIdx.x);
  const int ty = static_cast<int>(threadIdx.y);
  if (x + tx < columns && y + ty < rows) {
    tile[ty][tx] = from[static_cast<std::size_t>(y + ty) * columns + x + tx];
  }
  __syncthreads();
  if (y + tx < rows && x + ty < columns) {
    to[static_cast<std::size_t>(x + ty) * rows + y + tx] = tile[tx][ty];
  }
}

// A cuboid: element (z, y, x) at (z * height + y) * width + x.
struct Cuboid {
  int width;
  int height;
  int depth;
  __host__ __device__ std::size_t at(int z, int y, int x) const {
    return (static_cast<std::size_t>(z) * height + y) * width + x;
  }
  std::size_t elements() const { return static_cast<std::size_t>(width) * height * depth; }
};

// The axis of the cuboid that is multiplied by a matrix.
enum class Along { kY, kZ };

// result = matrix (rows x length) times the cuboid along y or z; that axis gets the length `rows`.
// One thread per element of the result, with tiles of both factors in shared memory. threadIdx.x
// runs along x, which is contiguous in memory.
template <Along Axis>
__global__ void matrix_cuboid_kernel(const float* matrix, int rows, const float* from, Cuboid shape,
                                     float* result) {
  __shared__ float tile_matrix[kTile][kTile];
  __shared__ float tile_cuboid[kTile][kTile][kTile];
  const int tx = static_cast<int>(threadIdx.x);
  const int ty = static_cast<int>(threadIdx.y);
  const int tz = static_cast<int>(threadIdx.z);
  const int x = static_cast<int>(blockIdx.x) * kTile + tx;
  const int row = static_cast<int>(blockIdx.y) * kTile + ty;
  const int other = static_cast<int>(blockIdx.z) * kTile + tz;
  const int length = Axis == Along::kY ? shape.height : shape.depth;
  const int others = Axis == Along::kY ? shape.depth : shape.height;
  float sum = 0.0F;
  for (int start = 0; start < length; start += kTile) {
    if (tz == 0) {
      tile_matrix[ty][tx] = row < rows && start + tx < length
                                ? matrix[static_cast<std::size_t>(row) * length + start + tx]
                                : 0.0F;
    }
    const int i = start + ty;
    const bool inside = i < length && x < shape.width && other < others;
    tile_cuboid[tz][ty][tx] =
        inside ? from[Axis == Along::kY ? shape.at(other, i, x) : shape.at(i, other, x)] : 0.0F;
    __syncthreads();
#pragma unroll
    for (int j = 0; j < kTile; ++j) sum += tile_matrix[ty][j] * tile_cuboid[tz][j][tx];
    __syncthreads();
  }
  if (row >= rows || x >= shape.width || other >= others) return;
  Cuboid made = shape;
  if constexpr (Axis == Along::kY) {
    made.height = rows;
    result[made.at(other, row, x)] = sum;
  } else {
    made.depth = rows;
    result[made.at(row, other, x)] = sum;
  }
}

// result = the cuboid times a matrix (width x columns) along x, which gets the length `columns`.
// Tiled as matrix_cuboid_kernel.
__global__ void cuboid_matrix_kernel(const float* from, Cuboid shape, const float* matrix,
                                     int columns, float* result) {
  __shared__ float tile_matrix[kTile][kTile];
  __shared__ float tile_cuboid[kTile][kTile][kTile];
  const int tx = static_cast<int>(threadIdx.x);
  const int ty = static_cast<int>(threadIdx.y);
  const int tz = static_cast<int>(threadIdx.z);
  const int column = static_cast<int>(blockIdx.x) * kTile + tx;
  const int y = static_cast<int>(blockIdx.y) * kTile + ty;
  const int z = static_cast<int>(blockIdx.z) * kTile + tz;
  float sum = 0.0F;
  for (int start = 0; start < shape.width; start += kTile) {
    if (tz == 0) {
      tile_matrix[ty][tx] = start + ty < shape.width && column < columns
                                ? matrix[static_cast<std::size_t>(start + ty) * columns + column]
                                : 0.0F;
    }
    const bool inside = start + tx < shape.width && y < shape.height && z < shape.depth;
    tile_cuboid[tz][ty][tx] = inside ? from[shape.at(z, y, start + tx)] : 0.0F;
    __syncthreads();
#pragma unroll
    for (int j = 0; j < kTile; ++j) sum += tile_cuboid[tz][ty][j] * tile_matrix[j][tx];
    __syncthreads();
  }
  if (column >= columns || y >= shape.height || z >= shape.depth) return;
  Cuboid made = shape;
  made.width = columns;
  result[made.at(z, y, column)] = sum;
}

__global__ void keep_to_order(float* moments, int side, int slices, int order) {
  const int n = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  const int m = static_cast<int>(blockIdx.y);
  const int o = static_cast<int>(blockIdx.z);
  if (n < side && o < slices && n + m + o > order) {
    moments[(static_cast<std::size_t>(o) * side + m) * side + n] = 0.0F;
  }
}

unsigned up(int count, int part) { return static_cast<unsigned>((count + part - 1) / part); }

const dim3 kBlock(kTile, kTile, kTile);

template <Along Axis>
void multiply(const float* matrix, int rows, const float* from, const Cuboid& shape, float* result,
              const Stream& stream) {
  const int others = Axis == Along::kY ? shape.depth : shape.height;
  matrix_cuboid_kernel<Axis><<<dim3(up(shape.width, kTile), up(rows, kTile), up(others, kTile)),
                               kBlock, 0, stream.get()>>>(matrix, rows, from, shape, result);
  CUDA_CHECK_LAUNCH("matrix_cuboid_kernel");
}

void multiply_x(const float* from, const Cuboid& shape, const float* matrix, int columns,
                float* result, const Stream& stream) {
  cuboid_matrix_kernel<<<dim3(up(columns, kTile), up(shape.height, kTile), up(shape.depth, kTile)),
                         kBlock, 0, stream.get()>>>(from, shape, matrix, columns, result);
  CUDA_CHECK_LAUNCH("cuboid_matrix_kernel");
}

void transpose(const float* from, int rows, int columns, float* to, const Stream& stream) {
  transpose_kernel<<<dim3(up(columns, 16), up(rows, 16)), dim3(16, 16), 0, stream.get()>>>(
      from, rows, columns, to);
  CUDA_CHECK_LAUNCH("transpose_kernel");
}

// The coefficients of Recurrence, on the host.
struct HostRecurrence {
  float first = 0.0F;
  std::vector<float> shift;
  std::vector<float> step;
};

// For alpha = a and beta = b: p_0 is 1 / sqrt(the integral of the weight),
//   a_n = (b^2 - a^2) / (s (s + 2)), s = 2 n + a + b
//   b_m^2 = 4 m (m + a) (m + b) (m + a + b) / (t^2 (t + 1) (t - 1)), t = 2 m + a + b, and b_0 = 0.
HostRecurrence recurrence_of(const JacobiWeight& weight, int order) {
  const double a = weight.alpha;
  const double b = weight.beta;
  HostRecurrence recurrence;
  const double total = std::exp((a + b + 1.0) * std::log(2.0) + std::lgamma(a + 1.0) +
                                std::lgamma(b + 1.0) - std::lgamma(a + b + 2.0));
  recurrence.first = static_cast<float>(1.0 / std::sqrt(total));
  recurrence.step.push_back(0.0F);
  for (int n = 0; n <= order; ++n) {
    const double s = 2.0 * n + a + b;
    const double shift = n == 0 ? (b - a) / (a + b + 2.0) : (b * b - a * a) / (s * (s + 2.0));
    recurrence.shift.push_back(static_cast<float>(shift));
    const double m = n + 1.0;
    const double t = 2.0 * m + a + b;
    // At m = 1 the factors m + a + b and t - 1 are equal and may be 0.
    const double square =
        m == 1.0 ? 4.0 * (1.0 + a) * (1.0 + b) / (t * t * (t + 1.0))
                 : 4.0 * m * (m + a) * (m + b) * (m + a + b) / (t * t * (t + 1.0) * (t - 1.0));
    recurrence.step.push_back(static_cast<float>(std::sqrt(square)));
  }
  return recurrence;
}

}  // namespace

JacobiResult jacobi_moments(const JacobiWeight& weight, int order, int k,
                            std::span<const float> volume, int size, int depth, SampleAt at) {
  validate(weight);
  if (order < 0 || k < 1 || k > 64) {
    throw UsageError("order " + std::to_string(order) + ", k = " + std::to_string(k) +
                     "; use 0 or more, and 1 to 64");
  }
  const HostRecurrence host = recurrence_of(weight, order);
  const auto shift = to_device(host.shift);
  const auto step = to_device(host.step);
  const int rows = order + 1;
  const int layers = depth > 1 ? rows : 1;
  const Cuboid whole{size, size, depth};
  const Cuboid moments{rows, rows, layers};
  const auto table_size = static_cast<std::size_t>(rows) * static_cast<std::size_t>(size);
  DeviceBuffer<float> integrals(table_size);
  DeviceBuffer<float> values(table_size);
  DeviceBuffer<float> integrals_by_pixel(table_size);
  DeviceBuffer<float> values_by_pixel(table_size);
  const std::size_t largest = std::max({whole.elements(), Cuboid{rows, size, depth}.elements(),
                                        Cuboid{rows, rows, depth}.elements(), moments.elements()});
  DeviceBuffer<float> one(largest);
  DeviceBuffer<float> other(largest);
  const Stream stream;
  copy_to_device(volume, one.data());
  JacobiResult result;
  add_step(result.steps, "polynomials", stream, [&] {
    const Recurrence recurrence{host.first, shift.data(), step.data()};
    const auto shared = [](int points) {
      return 4 * static_cast<std::size_t>(points) * kThreads * sizeof(float);
    };
    polynomial_kernel<<<up(size, kThreads), kThreads, shared(k), stream.get()>>>(
        recurrence, order, size, k, static_cast<float>(weight.alpha),
        static_cast<float>(weight.beta), at == SampleAt::kMiddle ? 1.0F : 2.0F, false,
        integrals.data());
    CUDA_CHECK_LAUNCH("polynomial_kernel");
    polynomial_kernel<<<up(size, kThreads), kThreads, shared(1), stream.get()>>>(
        recurrence, order, size, 1, 0.0F, 0.0F, 1.0F, true, values.data());
    CUDA_CHECK_LAUNCH("polynomial_kernel");
  });
  add_step(result.steps, "transpose", stream, [&] {
    transpose(integrals.data(), rows, size, integrals_by_pixel.data(), stream);
    transpose(values.data(), rows, size, values_by_pixel.data(), stream);
  });
  float* from = one.data();
  float* to = other.data();
  add_step(result.steps, "moments", stream, [&] {
    multiply_x(from, whole, integrals_by_pixel.data(), rows, to, stream);
    std::swap(from, to);
    multiply<Along::kY>(integrals.data(), rows, from, {rows, size, depth}, to, stream);
    std::swap(from, to);
    if (depth == 1) return;
    multiply<Along::kZ>(integrals.data(), rows, from, {rows, rows, depth}, to, stream);
    std::swap(from, to);
  });
  result.values.resize(moments.elements());
  CUDA_CHECK(cudaMemcpy(result.values.data(), from, moments.elements() * sizeof(float),
                        cudaMemcpyDeviceToHost));
  add_step(result.steps, "volume", stream, [&] {
    keep_to_order<<<dim3(up(rows, kThreads), static_cast<unsigned>(rows),
                         static_cast<unsigned>(layers)),
                    kThreads, 0, stream.get()>>>(from, rows, layers, order);
    CUDA_CHECK_LAUNCH("keep_to_order");
    if (depth > 1) {
      multiply<Along::kZ>(values_by_pixel.data(), depth, from, moments, to, stream);
      std::swap(from, to);
    }
    multiply<Along::kY>(values_by_pixel.data(), size, from, {rows, rows, depth}, to, stream);
    std::swap(from, to);
    multiply_x(from, {rows, size, depth}, values.data(), size, to, stream);
    std::swap(from, to);
  });
  result.volume.resize(whole.elements());
  CUDA_CHECK(cudaMemcpy(result.volume.data(), from, whole.elements() * sizeof(float),
                        cudaMemcpyDeviceToHost));
  result.seconds = total_of(result.steps);
  return result;
}

std::vector<KernelUse> jacobi_kernels() {
  return {use_of("polynomials", polynomial_kernel, kThreads),
          use_of("transpose", transpose_kernel, 256),
          use_of("matrix by cuboid", matrix_cuboid_kernel<Along::kY>, kTile * kTile * kTile),
          use_of("cuboid by matrix", cuboid_matrix_kernel, kTile * kTile * kTile)};
}

}  // namespace leafglyph::gpu::published
