#include <algorithm>
#include <cmath>
#include <numbers>

#include "features/base/errors.h"
#include "tools/literature/cuda/published.h"
#include "tools/literature/cuda/samples.h"

namespace leafglyph::gpu::published {
namespace {

constexpr int kThreads = 128;

// A part of the samples and its scratch memory. Row r of sample p is at r * pixels + p.
template <class T>
struct Part {
  const T* rho;
  const T* theta;
  const T* images;  // the eight combinations of fold_octant, `all` elements apart
  std::size_t all;
  int pixels;
  int order;
  T* powers;   // rho^n
  T* cosines;  // of k theta
  T* sines;
  T* rows;   // three rows of order + 2 radial values
  T* terms;  // real part, then imaginary part of each moment

  __device__ T& at(T* table, int row, int p) const {
    return table[static_cast<std::size_t>(row) * pixels + p];
  }
  __device__ T& radial(int row, int m, int p) const { return at(rows, row * (order + 2) + m, p); }
};

// One thread per entry of the table.
template <class T>
__global__ void rho_kernel(Part<T> part) {
  const auto entry = static_cast<std::size_t>(blockIdx.x) * kThreads + threadIdx.x;
  const auto n = static_cast<int>(entry / part.pixels);
  if (n > part.order) return;
  part.powers[entry] = pow(part.rho[entry % part.pixels], static_cast<T>(n));
}

// One thread per entry of both tables.
template <class T>
__global__ void exp_kernel(Part<T> part) {
  const auto entry = static_cast<std::size_t>(blockIdx.x) * kThreads + threadIdx.x;
  const auto m = static_cast<int>(entry / part.pixels);
  if (m > part.order) return;
  const T angle = static_cast<T>(m) * part.theta[entry % part.pixels];
  if constexpr (sizeof(T) == 4) {
    sincosf(angle, part.sines + entry, part.cosines + entry);
  } else {
    sincos(angle, part.sines + entry, part.cosines + entry);
  }
}

// Stores (n + 1) R_nm times the sum of f e^{-j m theta} over a sample's mirror images.
template <class T>
struct Store {
  const Part<T>& part;
  int p;
  T images[8];

  __device__ Store(const Part<T>& of, int pixel) : part(of), p(pixel) {
    for (int c = 0; c < 8; ++c) images[c] = of.images[static_cast<std::size_t>(c) * of.all + p];
  }
  __device__ void operator()(std::size_t moment, int n, int m, T value) const {
    const T cosine = part.at(part.cosines, m, p);
    const T sine = part.at(part.sines, m, p);
    T re;
    T im;
    if (m % 4 == 0) {
      re = images[0] * cosine;
      im = -images[1] * sine;
    } else if (m % 4 == 2) {
      re = images[2] * cosine;
      im = -images[3] * sine;
    } else {
      const T sign = m % 4 == 1 ? T(1) : T(-1);
      re = images[4] * cosine + sign * images[5] * sine;
      im = -(images[6] * sine + sign * images[7] * cosine);
    }
    part.terms[2 * moment * part.pixels + p] = (n + 1) * value * re;
    part.terms[(2 * moment + 1) * part.pixels + p] = (n + 1) * value * im;
  }
};

// R_nm = rho (R_{n-1,|m-1|} + R_{n-1,m+1}) - R_{n-2,m}. Three rows, for n, n - 1 and n - 2, are
// indexed by n mod 3. One thread per sample.
template <class T>
__global__ void znm_kernel(Part<T> part) {
  const int p = static_cast<int>(blockIdx.x * kThreads + threadIdx.x);
  if (p >= part.pixels) return;
  const Store<T> store(part, p);
  const T rho = part.at(part.powers, 1, p);
  std::size_t moment = 0;
  for (int n = 0; n <= part.order; ++n) {
    for (int m = n % 2; m <= n; m += 2, ++moment) {
      const int before = (n + 2) % 3;
      const T value =
          m == n ? part.at(part.powers, n, p)
                 : rho * (part.radial(before, abs(m - 1), p) + part.radial(before, m + 1, p)) -
                       part.radial((n + 1) % 3, m, p);
      part.radial(n % 3, m, p) = value;
      store(moment, n, m, value);
    }
  }
}

// Pseudo-Zernike: A_nm = rho (R_{n-1,m-1} + R_{n-1,m}) - A_{n-1,m} (m = 0: 2 rho R_{n-1,0} -
// A_{n-1,0}), R_nm = A_nm + A_{n,m+1} - R_{n-1,m}, R_nn = A_nn = rho^n. Row 0 holds R and row 1
// holds A; both are overwritten in place from m = n downwards. One thread per sample.
template <class T>
__global__ void pznm_kernel(Part<T> part) {
  const int p = static_cast<int>(blockIdx.x * kThreads + threadIdx.x);
  if (p >= part.pixels) return;
  const Store<T> store(part, p);
  const T rho = part.at(part.powers, 1, p);
  for (int n = 0; n <= part.order; ++n) {
    const std::size_t first = static_cast<std::size_t>(n) * (n + 1) / 2;
    const T power = part.at(part.powers, n, p);
    part.radial(0, n, p) = power;
    part.radial(1, n, p) = power;
    store(first + n, n, n, power);
    for (int m = n - 1; m >= 0; --m) {
      const T left = part.radial(0, m == 0 ? 0 : m - 1, p);
      const T a = rho * (left + part.radial(0, m, p)) - part.radial(1, m, p);
      part.radial(1, m, p) = a;
      const T value = a + part.radial(1, m + 1, p) - part.radial(0, m, p);
      part.radial(0, m, p) = value;
      store(first + m, n, m, value);
    }
  }
}

// One block per real or imaginary part of a moment: adds its terms up in shared memory, and the
// result to `sums`.
template <class T>
__global__ void znm_sum_kernel(const T* terms, int pixels, double* sums) {
  __shared__ T parts[kThreads];
  T own = T(0);
  for (int p = static_cast<int>(threadIdx.x); p < pixels; p += kThreads) {
    own += terms[static_cast<std::size_t>(blockIdx.x) * pixels + p];
  }
  parts[threadIdx.x] = own;
  __syncthreads();
  for (unsigned step = kThreads / 2; step > 0; step /= 2) {
    if (threadIdx.x < step) parts[threadIdx.x] += parts[threadIdx.x + step];
    __syncthreads();
  }
  if (threadIdx.x == 0) sums[blockIdx.x] += static_cast<double>(parts[0]);
}

// How many values of T the tables and terms of one sample take.
std::size_t numbers_of(Family family, int order) {
  const auto rows = static_cast<std::size_t>(order) + 1;
  return 3 * rows + 3 * (rows + 1) + 2 * moment_count(family, order);
}

template <class T>
std::vector<T> converted(const std::vector<double>& values) {
  return {values.begin(), values.end()};
}

template <class T>
Result run(Family family, int order, int k, std::span<const double> image, int size,
           std::size_t scratch_bytes) {
  const FoldedDisk disk = fold_octant(image, size, k);
  const double side = static_cast<double>(size) * k;
  const double scale = 4.0 / (side * side) / std::numbers::pi;
  const std::size_t all = disk.samples.size();
  std::vector<T> rho;
  std::vector<T> theta;
  std::vector<T> images = converted<T>(disk.images);
  for (std::size_t p = 0; p < all; ++p) {
    rho.push_back(static_cast<T>(std::hypot(disk.samples[p].x, disk.samples[p].y)));
    theta.push_back(static_cast<T>(std::atan2(disk.samples[p].y, disk.samples[p].x)));
    for (std::size_t c = 0; c < 8; ++c) {
      images[c * all + p] *= static_cast<T>(disk.samples[p].weight * scale);
    }
  }
  const auto rho_on_gpu = to_device(rho);
  const auto theta_on_gpu = to_device(theta);
  const auto images_on_gpu = to_device(images);
  std::size_t available = scratch_bytes;
  if (available == 0) {
    std::size_t total = 0;
    CUDA_CHECK(cudaMemGetInfo(&available, &total));
    available = available / 10 * 9;
  }
  const std::size_t numbers = numbers_of(family, order);
  const std::size_t most = std::min(available / (numbers * sizeof(T)), all);
  if (most == 0) {
    throw UsageError(std::to_string(available) + " bytes hold the terms of no sample; one takes " +
                     std::to_string(numbers * sizeof(T)));
  }
  const auto rows = static_cast<std::size_t>(order) + 1;
  const std::size_t moments = moment_count(family, order);
  DeviceBuffer<T> scratch(most * numbers);
  DeviceBuffer<double> sums(2 * moments);
  const Stream stream;
  CUDA_CHECK(cudaMemsetAsync(sums.data(), 0, sums.bytes(), stream.get()));
  Result result;
  result.bytes = scratch.bytes();
  for (std::size_t first = 0; first < all; first += most) {
    const auto pixels = static_cast<int>(std::min(most, all - first));
    const auto n = static_cast<std::size_t>(pixels);
    T* at = scratch.data();
    const auto take = [&](std::size_t count) {
      T* taken = at;
      at += count * n;
      return taken;
    };
    Part<T> part{rho_on_gpu.data() + first,
                 theta_on_gpu.data() + first,
                 images_on_gpu.data() + first,
                 all,
                 pixels,
                 order,
                 nullptr,
                 nullptr,
                 nullptr,
                 nullptr,
                 nullptr};
    part.powers = take(rows);
    part.cosines = take(rows);
    part.sines = take(rows);
    part.rows = take(3 * (rows + 1));
    part.terms = take(2 * moments);
    const auto blocks = static_cast<unsigned>((pixels + kThreads - 1) / kThreads);
    const auto entries = static_cast<unsigned>((rows * n + kThreads - 1) / kThreads);
    add_step(result.steps, "Rho", stream, [&] {
      rho_kernel<T><<<entries, kThreads, 0, stream.get()>>>(part);
      CUDA_CHECK_LAUNCH("rho_kernel");
    });
    add_step(result.steps, "Exp", stream, [&] {
      exp_kernel<T><<<entries, kThreads, 0, stream.get()>>>(part);
      CUDA_CHECK_LAUNCH("exp_kernel");
    });
    add_step(result.steps, "Znm", stream, [&] {
      if (family == Family::kZernike) {
        znm_kernel<T><<<blocks, kThreads, 0, stream.get()>>>(part);
      } else {
        pznm_kernel<T><<<blocks, kThreads, 0, stream.get()>>>(part);
      }
      CUDA_CHECK_LAUNCH("znm_kernel");
    });
    add_step(result.steps, "Znm_Sum", stream, [&] {
      znm_sum_kernel<T><<<static_cast<unsigned>(2 * moments), kThreads, 0, stream.get()>>>(
          part.terms, pixels, sums.data());
      CUDA_CHECK_LAUNCH("znm_sum_kernel");
    });
  }
  result.seconds = total_of(result.steps);
  result.moments.resize(moments);
  CUDA_CHECK(cudaMemcpy(result.moments.data(), sums.data(), sums.bytes(), cudaMemcpyDeviceToHost));
  return result;
}

}  // namespace

Result deng_moments(Family family, Precision precision, int order, int k,
                    std::span<const double> image, int size, std::size_t scratch_bytes) {
  if (order < 1) throw UsageError("order " + std::to_string(order) + "; use 1 or more");
  return precision == Precision::kFloat ? run<float>(family, order, k, image, size, scratch_bytes)
                                        : run<double>(family, order, k, image, size, scratch_bytes);
}

std::size_t deng_sample_bytes(Family family, Precision precision, int order) {
  return numbers_of(family, order) *
         (precision == Precision::kFloat ? sizeof(float) : sizeof(double));
}

std::vector<KernelUse> deng_kernels() {
  return {use_of("Rho, float", rho_kernel<float>, kThreads),
          use_of("Exp, float", exp_kernel<float>, kThreads),
          use_of("Znm, float", znm_kernel<float>, kThreads),
          use_of("Znm, double", znm_kernel<double>, kThreads),
          use_of("Znm pseudo-Zernike, float", pznm_kernel<float>, kThreads),
          use_of("Znm_Sum, float", znm_sum_kernel<float>, kThreads)};
}

}  // namespace leafglyph::gpu::published
