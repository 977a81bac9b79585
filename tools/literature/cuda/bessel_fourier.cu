#include <algorithm>
#include <cmath>

#include "features/base/errors.h"
#include "features/moments/radial.h"
#include "tools/literature/cuda/published.h"
#include "tools/literature/cuda/samples.h"

namespace leafglyph::gpu::published {
namespace {

constexpr int kTile = 16;  // orders, repetitions and samples per tile
constexpr int kThreads = 256;
constexpr int kMostZeros = 8192;  // doubles; they fill the 64 KiB of constant memory
__constant__ double constant_zeros[kMostZeros];

template <class T>
__global__ void radius_kernel(const T* x, const T* y, int samples, T* radius) {
  const int p = static_cast<int>(blockIdx.x * kThreads + threadIdx.x);
  if (p < samples) radius[p] = hypot(x[p], y[p]);
}

template <class T>
__global__ void arctan_kernel(const T* x, const T* y, int samples, T* angle) {
  const int p = static_cast<int>(blockIdx.x * kThreads + threadIdx.x);
  if (p < samples) angle[p] = atan2(y[p], x[p]);
}

// jv[n * samples + p] = J_1(lambda_{n+1} r_p)
template <class T>
__global__ void jv_kernel(const T* radius, int samples, T* jv) {
  const int p = static_cast<int>(blockIdx.x * kThreads + threadIdx.x);
  if (p >= samples) return;
  const int n = static_cast<int>(blockIdx.y);
  const T argument = static_cast<T>(constant_zeros[n]) * radius[p];
  if constexpr (sizeof(T) == 4) {
    jv[static_cast<std::size_t>(n) * samples + p] = j1f(argument);
  } else {
    jv[static_cast<std::size_t>(n) * samples + p] = j1(argument);
  }
}

template <class T>
struct PhaseFactor {
  T re;
  T im;
};

// phases[column * samples + p] = e^{-j m theta_p}, m = column - order
template <class T>
__global__ void exp_kernel(const T* angle, int samples, int order, PhaseFactor<T>* phases) {
  const int p = static_cast<int>(blockIdx.x * kThreads + threadIdx.x);
  if (p >= samples) return;
  const int m = static_cast<int>(blockIdx.y) - order;
  T sine;
  T cosine;
  if constexpr (sizeof(T) == 4) {
    sincosf(m * angle[p], &sine, &cosine);
  } else {
    sincos(m * angle[p], &sine, &cosine);
  }
  phases[static_cast<std::size_t>(blockIdx.y) * samples + p] = {cosine, -sine};
}

// g^r - j g^i, the factor of J_1 in a term of B_nm: the sum of f e^{-j m theta} over the eight
// mirror images `f` of a sample, by m mod 4. `phase` is e^{-j m theta} of the sample itself.
template <class T>
__device__ PhaseFactor<T> folded(const T (&f)[8], PhaseFactor<T> phase, int m) {
  const T cosine = phase.re;
  const T sine = -phase.im;
  const int residue = ((m % 4) + 4) % 4;
  if (residue == 0) {
    return {(f[0] + f[1] + f[2] + f[3] + f[4] + f[5] + f[6] + f[7]) * cosine,
            -(f[0] - f[1] + f[2] - f[3] + f[4] - f[5] + f[6] - f[7]) * sine};
  }
  if (residue == 2) {
    return {(f[0] - f[1] - f[2] + f[3] + f[4] - f[5] - f[6] + f[7]) * cosine,
            -(f[0] + f[1] - f[2] - f[3] + f[4] + f[5] - f[6] - f[7]) * sine};
  }
  const T sign = residue == 1 ? T(1) : T(-1);
  return {(f[0] - f[3] - f[4] + f[7]) * cosine + sign * (f[1] - f[2] - f[5] + f[6]) * sine,
          -((f[0] + f[3] - f[4] - f[7]) * sine + sign * (f[1] + f[2] - f[5] - f[6]) * cosine)};
}

// The tiled product: one thread adds to one B_nm without its norm the sum of J_1 (g^r - j g^i) over
// all samples. Shared memory holds tiles of kTile samples. B_nm is in row n - 1, column order + m
// of `bnm`.
template <class T>
__global__ void bnm_kernel(const T* jv, const PhaseFactor<T>* phases, const T* images, int samples,
                           int order, PhaseFactor<T>* bnm) {
  __shared__ T tile_jv[kTile][kTile];
  __shared__ PhaseFactor<T> tile_phases[kTile][kTile];
  __shared__ T tile_images[8][kTile];
  const int tx = static_cast<int>(threadIdx.x);
  const int ty = static_cast<int>(threadIdx.y);
  const int columns = 2 * order + 1;
  const int row = static_cast<int>(blockIdx.y) * kTile + ty;
  const int column = static_cast<int>(blockIdx.x) * kTile + tx;
  const int load_column = static_cast<int>(blockIdx.x) * kTile + ty;
  PhaseFactor<T> total{T(0), T(0)};
  for (int start = 0; start < samples; start += kTile) {
    const int p = start + tx;
    const bool inside = p < samples;
    tile_jv[ty][tx] =
        inside && row < order ? jv[static_cast<std::size_t>(row) * samples + p] : T(0);
    tile_phases[ty][tx] = inside && load_column < columns
                              ? phases[static_cast<std::size_t>(load_column) * samples + p]
                              : PhaseFactor<T>{T(0), T(0)};
    if (ty < 8) {
      tile_images[ty][tx] = inside ? images[static_cast<std::size_t>(ty) * samples + p] : T(0);
    }
    __syncthreads();
    for (int i = 0; i < kTile; ++i) {
      T f[8];
#pragma unroll
      for (int q = 0; q < 8; ++q) f[q] = tile_images[q][i];
      const PhaseFactor<T> term = folded(f, tile_phases[tx][i], column - order);
      total.re += tile_jv[ty][i] * term.re;
      total.im += tile_jv[ty][i] * term.im;
    }
    __syncthreads();
  }
  if (row < order && column < columns) {
    PhaseFactor<T>& sum = bnm[static_cast<std::size_t>(row) * columns + column];
    sum = {sum.re + total.re, sum.im + total.im};
  }
}

// sums[column * samples + p] = the real part of e^{j m theta} times the sum over n of
// B_nm J_1(lambda_n r), m = column - order. Their sum over m is the image. One thread per element,
// with tiles of J_1 and B_nm in shared memory.
template <class T>
__global__ void reconstruction_kernel(const T* jv, const PhaseFactor<T>* bnm,
                                      const PhaseFactor<T>* phases, int samples, int order,
                                      T* sums) {
  __shared__ T tile_jv[kTile][kTile];
  __shared__ PhaseFactor<T> tile_bnm[kTile][kTile];
  const int tx = static_cast<int>(threadIdx.x);
  const int ty = static_cast<int>(threadIdx.y);
  const int columns = 2 * order + 1;
  const int column = static_cast<int>(blockIdx.y) * kTile + ty;
  const int p = static_cast<int>(blockIdx.x) * kTile + tx;
  PhaseFactor<T> total{T(0), T(0)};
  for (int start = 0; start < order; start += kTile) {
    const int n = start + ty;
    tile_jv[ty][tx] =
        n < order && p < samples ? jv[static_cast<std::size_t>(n) * samples + p] : T(0);
    const int load_n = start + tx;
    tile_bnm[ty][tx] = load_n < order && column < columns
                           ? bnm[static_cast<std::size_t>(load_n) * columns + column]
                           : PhaseFactor<T>{T(0), T(0)};
    __syncthreads();
    for (int i = 0; i < kTile; ++i) {
      total.re += tile_bnm[ty][i].re * tile_jv[i][tx];
      total.im += tile_bnm[ty][i].im * tile_jv[i][tx];
    }
    __syncthreads();
  }
  if (column < columns && p < samples) {
    const PhaseFactor<T> phase = phases[static_cast<std::size_t>(column) * samples + p];
    sums[static_cast<std::size_t>(column) * samples + p] =
        total.re * phase.re + total.im * phase.im;
  }
}

template <class T>
__global__ void sum_columns(const T* sums, int samples, int columns, T* image) {
  const int p = static_cast<int>(blockIdx.x * kThreads + threadIdx.x);
  if (p >= samples) return;
  T total = T(0);
  for (int c = 0; c < columns; ++c) total += sums[static_cast<std::size_t>(c) * samples + p];
  image[p] = total;
}

unsigned up(int count, int part) { return static_cast<unsigned>((count + part - 1) / part); }

// Coordinates and tables of a set of samples, on the GPU.
template <class T>
struct Tables {
  int samples = 0;
  DeviceBuffer<T> x, y, radius, angle, jv;
  DeviceBuffer<PhaseFactor<T>> phases;
};

// The names of the steps that make tables.
struct TableSteps {
  const char* radius = "RADIUS";
  const char* angle = "ARCTAN";
  const char* jv = "JV";
  const char* phases = "EXP";
};
constexpr TableSteps kImageSteps = {"RADIUS of the image", "ARCTAN of the image", "JV of the image",
                                    "EXP of the image"};

// Makes the tables and adds the times to `steps`.
template <class T>
Tables<T> make_tables(std::span<const DiskSample> samples, int order, const Stream& stream,
                      const TableSteps& names, std::vector<Step>& steps) {
  std::vector<T> x;
  std::vector<T> y;
  for (const DiskSample& sample : samples) {
    x.push_back(static_cast<T>(sample.x));
    y.push_back(static_cast<T>(sample.y));
  }
  const std::size_t count = samples.size();
  const int columns = 2 * order + 1;
  Tables<T> tables{static_cast<int>(count),
                   to_device(x),
                   to_device(y),
                   DeviceBuffer<T>(count),
                   DeviceBuffer<T>(count),
                   DeviceBuffer<T>(count * static_cast<std::size_t>(order)),
                   DeviceBuffer<PhaseFactor<T>>(count * static_cast<std::size_t>(columns))};
  const unsigned blocks = up(tables.samples, kThreads);
  add_step(steps, names.radius, stream, [&] {
    radius_kernel<T><<<blocks, kThreads, 0, stream.get()>>>(tables.x.data(), tables.y.data(),
                                                            tables.samples, tables.radius.data());
    CUDA_CHECK_LAUNCH("radius_kernel");
  });
  add_step(steps, names.angle, stream, [&] {
    arctan_kernel<T><<<blocks, kThreads, 0, stream.get()>>>(tables.x.data(), tables.y.data(),
                                                            tables.samples, tables.angle.data());
    CUDA_CHECK_LAUNCH("arctan_kernel");
  });
  add_step(steps, names.jv, stream, [&] {
    jv_kernel<T><<<dim3(blocks, static_cast<unsigned>(order)), kThreads, 0, stream.get()>>>(
        tables.radius.data(), tables.samples, tables.jv.data());
    CUDA_CHECK_LAUNCH("jv_kernel");
  });
  add_step(steps, names.phases, stream, [&] {
    exp_kernel<T><<<dim3(blocks, static_cast<unsigned>(columns)), kThreads, 0, stream.get()>>>(
        tables.angle.data(), tables.samples, order, tables.phases.data());
    CUDA_CHECK_LAUNCH("exp_kernel");
  });
  return tables;
}

// The values of the eight mirror images of the samples first, ..., first + count - 1, times their
// weights and the area of a sub-pixel.
template <class T>
std::vector<T> values_of(const OctantSamples& octant, std::size_t first, std::size_t count,
                         double area, std::span<const double> image) {
  std::vector<T> values(8 * count);
  for (std::size_t q = 0; q < 8; ++q) {
    for (std::size_t p = 0; p < count; ++p) {
      values[q * count + p] =
          static_cast<T>(octant.samples[first + p].weight * area *
                         image[static_cast<std::size_t>(octant.pixels[first + p][q])]);
    }
  }
  return values;
}

// Samples whose tables and values fit in `scratch_bytes` (0: four fifths of the free memory).
template <class T>
std::size_t samples_at_once(int order, std::size_t scratch_bytes) {
  if (scratch_bytes == 0) {
    std::size_t free = 0;
    std::size_t total = 0;
    CUDA_CHECK(cudaMemGetInfo(&free, &total));
    scratch_bytes = free / 5 * 4;
  }
  // J_1 of each order, two numbers for each repetition, four of its place, eight mirror images
  const std::size_t numbers = 5 * static_cast<std::size_t>(order) + 2 + 4 + 8;
  return std::max<std::size_t>(1, scratch_bytes / (numbers * sizeof(T)));
}

// Adds the moments of all samples without their norms to `bnm`, which is zero, part by part.
template <class T>
void add_moments(const OctantSamples& octant, int order, double area, std::span<const double> image,
                 std::size_t most, const Stream& stream, DeviceBuffer<PhaseFactor<T>>& bnm,
                 Result& result) {
  const std::size_t count = octant.samples.size();
  const int columns = 2 * order + 1;
  std::size_t jv_bytes = 0;
  std::size_t phase_bytes = 0;
  for (std::size_t first = 0; first < count; first += most) {
    const std::size_t part = std::min(most, count - first);
    const auto values = to_device(values_of<T>(octant, first, part, area, image));
    const Tables<T> tables = make_tables<T>(std::span(octant.samples).subspan(first, part), order,
                                            stream, {}, result.steps);
    jv_bytes += tables.jv.bytes();
    phase_bytes += tables.phases.bytes();
    add_step(result.steps, "BNM", stream, [&] {
      bnm_kernel<T>
          <<<dim3(up(columns, kTile), up(order, kTile)), dim3(kTile, kTile), 0, stream.get()>>>(
              tables.jv.data(), tables.phases.data(), values.data(), tables.samples, order,
              bnm.data());
      CUDA_CHECK_LAUNCH("bnm_kernel");
    });
    result.bytes =
        std::max(result.bytes, tables.jv.bytes() + tables.phases.bytes() + values.bytes());
  }
  const std::size_t point = count * sizeof(T);  // one number per sample
  result.transfers = {{"JV", copied(point, jv_bytes)},
                      {"EXP", copied(point, phase_bytes)},
                      {"BNM", copied(jv_bytes + phase_bytes + 8 * count * sizeof(T), bnm.bytes())}};
}

template <class T>
Result run(int order, int k, std::span<const double> image, int size,
           std::span<double> reconstruction, std::size_t scratch_bytes) {
  const std::vector<double> zeros = bessel_j1_zeros(order);
  CUDA_CHECK(cudaMemcpyToSymbol(constant_zeros, zeros.data(), zeros.size() * sizeof(double)));
  const OctantSamples octant = octant_samples(size, k);
  const double side = static_cast<double>(size) * k;
  const Stream stream;
  Result result;
  const int columns = 2 * order + 1;
  DeviceBuffer<PhaseFactor<T>> bnm(static_cast<std::size_t>(order) *
                                   static_cast<std::size_t>(columns));
  CUDA_CHECK(cudaMemset(bnm.data(), 0, bnm.bytes()));
  add_moments<T>(octant, order, 4.0 / (side * side), image,
                 samples_at_once<T>(order, scratch_bytes), stream, bnm, result);
  std::vector<PhaseFactor<T>> sums(bnm.size());
  CUDA_CHECK(cudaMemcpy(sums.data(), bnm.data(), bnm.bytes(), cudaMemcpyDeviceToHost));
  for (int n = 1; n <= order; ++n) {
    const auto norm = static_cast<T>(bessel_fourier_norm(zeros[static_cast<std::size_t>(n) - 1]));
    for (int c = 0; c < columns; ++c) {
      auto& b = sums[static_cast<std::size_t>(n - 1) * static_cast<std::size_t>(columns) +
                     static_cast<std::size_t>(c)];
      b = {norm * b.re, norm * b.im};
    }
  }
  for (const auto& [n, m] : moment_indices(Family::kBesselFourier, order)) {
    const PhaseFactor<T>& b =
        sums[static_cast<std::size_t>(n - 1) * static_cast<std::size_t>(columns) +
             static_cast<std::size_t>(order + m)];
    result.moments.emplace_back(static_cast<double>(b.re), static_cast<double>(b.im));
  }
  if (!reconstruction.empty()) {
    copy_to_device(std::span<const PhaseFactor<T>>(sums), bnm.data());
    const WholeDisk disk = whole_disk(image, size, 1);
    const Tables<T> tables = make_tables<T>(disk.samples, order, stream, kImageSteps, result.steps);
    DeviceBuffer<T> parts(disk.samples.size() * static_cast<std::size_t>(columns));
    DeviceBuffer<T> pixels(disk.samples.size());
    result.transfers.push_back(
        {"RECONSTRUCTION",
         copied(tables.jv.bytes() + tables.phases.bytes() + bnm.bytes(), pixels.bytes())});
    add_step(result.steps, "RECONSTRUCTION", stream, [&] {
      reconstruction_kernel<T><<<dim3(up(tables.samples, kTile), up(columns, kTile)),
                                 dim3(kTile, kTile), 0, stream.get()>>>(
          tables.jv.data(), bnm.data(), tables.phases.data(), tables.samples, order, parts.data());
      CUDA_CHECK_LAUNCH("reconstruction_kernel");
      sum_columns<T><<<up(tables.samples, kThreads), kThreads, 0, stream.get()>>>(
          parts.data(), tables.samples, columns, pixels.data());
      CUDA_CHECK_LAUNCH("sum_columns");
    });
    std::vector<T> back(pixels.size());
    CUDA_CHECK(cudaMemcpy(back.data(), pixels.data(), pixels.bytes(), cudaMemcpyDeviceToHost));
    std::fill(reconstruction.begin(), reconstruction.end(), 0.0);
    for (std::size_t p = 0; p < back.size(); ++p) {
      const auto column = static_cast<std::size_t>((disk.samples[p].x * size + size) / 2);
      const auto row = static_cast<std::size_t>((size - disk.samples[p].y * size) / 2);
      reconstruction[row * static_cast<std::size_t>(size) + column] = static_cast<double>(back[p]);
    }
  }
  result.seconds = total_of(result.steps);
  return result;
}

}  // namespace

Result bessel_fourier_moments(Precision precision, int order, int k, std::span<const double> image,
                              int size, std::span<double> reconstruction,
                              std::size_t scratch_bytes) {
  if (order < 1 || order > kMostZeros) {
    throw UsageError("order " + std::to_string(order) + "; constant memory supports orders 1 to " +
                     std::to_string(kMostZeros));
  }
  return precision == Precision::kFloat
             ? run<float>(order, k, image, size, reconstruction, scratch_bytes)
             : run<double>(order, k, image, size, reconstruction, scratch_bytes);
}

std::vector<KernelUse> bessel_fourier_kernels() {
  return {use_of("RADIUS, float", radius_kernel<float>, kThreads),
          use_of("ARCTAN, float", arctan_kernel<float>, kThreads),
          use_of("JV, float", jv_kernel<float>, kThreads),
          use_of("EXP, float", exp_kernel<float>, kThreads),
          use_of("BNM, float", bnm_kernel<float>, kTile * kTile),
          use_of("BNM, double", bnm_kernel<double>, kTile * kTile),
          use_of("RECONSTRUCTION, float", reconstruction_kernel<float>, kTile * kTile)};
}

}  // namespace leafglyph::gpu::published
