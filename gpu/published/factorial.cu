#include <array>
#include <numbers>

#include "features/base/errors.h"
#include "gpu/published/published.h"
#include "gpu/published/samples.h"

namespace leafglyph::gpu::published {
namespace {

constexpr int kThreads = 256;

__constant__ double constant_factorials[kLargestFactorialOrder + 1];

void upload_factorials() {
  std::array<double, kLargestFactorialOrder + 1> factorials{};
  factorials[0] = 1.0;
  for (std::size_t i = 1; i < factorials.size(); ++i) {
    factorials[i] = factorials[i - 1] * static_cast<double>(i);
  }
  CUDA_CHECK(cudaMemcpyToSymbol(constant_factorials, factorials.data(), sizeof(factorials)));
}

// R_nm(rho) as the sum over s of (-1)^s (n-s)! / (s! ((n+m)/2-s)! ((n-m)/2-s)!) rho^(n-2s).
__device__ double radial_sum(int n, int m, double rho) {
  double sum = 0.0;
  for (int s = 0; s <= (n - m) / 2; ++s) {
    const double term = constant_factorials[n - s] /
                        (constant_factorials[s] * constant_factorials[(n + m) / 2 - s] *
                         constant_factorials[(n - m) / 2 - s]) *
                        pow(rho, n - 2 * s);
    sum += s % 2 == 0 ? term : -term;
  }
  return sum;
}

// Terms of the moments (n, m), m = first, first + 2, ..., of which blockIdx.y is the number,
// reduced in shared memory, a sum a block added with atomics. `arrays` holds the image at the eight
// mirror images of each sample: array q of sample p at q * count + p.
__global__ void factorial(const Sample* samples, int count, const double* arrays, int n, int first,
                          double area, double* sums) {
  const int m = first + 2 * static_cast<int>(blockIdx.y);
  const int p = static_cast<int>(blockIdx.x * kThreads + threadIdx.x);
  __shared__ double real_part[kThreads];
  __shared__ double imaginary_part[kThreads];
  double re = 0.0;
  double im = 0.0;
  if (p < count) {
    const Sample sample = samples[p];
    const double theta = atan2(sample.y, sample.x);
    const double right = std::numbers::pi / 2.0;
    const double angles[8] = {theta,
                              right - theta,
                              right + theta,
                              2.0 * right - theta,
                              2.0 * right + theta,
                              3.0 * right - theta,
                              3.0 * right + theta,
                              4.0 * right - theta};
    for (int q = 0; q < 8; ++q) {
      double sine = 0.0;
      double cosine = 0.0;
      sincos(m * angles[q], &sine, &cosine);
      const double value = arrays[static_cast<std::size_t>(q) * count + p];
      re += value * cosine;
      im -= value * sine;
    }
    const double scale = sample.weight * area * (n + 1) / std::numbers::pi *
                         radial_sum(n, m, hypot(sample.x, sample.y));
    re *= scale;
    im *= scale;
  }
  real_part[threadIdx.x] = re;
  imaginary_part[threadIdx.x] = im;
  __syncthreads();
  for (unsigned step = kThreads / 2; step > 0; step /= 2) {
    if (threadIdx.x < step) {
      real_part[threadIdx.x] += real_part[threadIdx.x + step];
      imaginary_part[threadIdx.x] += imaginary_part[threadIdx.x + step];
    }
    __syncthreads();
  }
  if (threadIdx.x == 0) {
    atomicAdd(sums + 2 * blockIdx.y, real_part[0]);
    atomicAdd(sums + 2 * blockIdx.y + 1, imaginary_part[0]);
  }
}

Result run(int n, int first, int count_of_m, std::span<const double> image, int size) {
  if (n < 0 || n > kLargestFactorialOrder) {
    throw UsageError("order " + std::to_string(n) + "; the factorial table serves orders 0 to " +
                     std::to_string(kLargestFactorialOrder));
  }
  const Stream stream;
  const DiskGrid grid(size, Mask::kCentre, 1);
  const auto samples = octant_samples(grid);
  std::vector<double> arrays;
  for (std::size_t q = 0; q < 8; ++q) {
    for (const OctantPixel& pixel : grid.octant()) {
      arrays.push_back(image[static_cast<std::size_t>(pixel.images[q])]);
    }
  }
  upload_factorials();
  const auto on_gpu = copy_to_device(std::span<const Sample>(samples));
  const auto arrays_on_gpu = copy_to_device(std::span<const double>(arrays));
  const auto moments = static_cast<std::size_t>(count_of_m);
  DeviceBuffer<double> sums(2 * moments);
  CUDA_CHECK(cudaMemsetAsync(sums.data(), 0, sums.bytes(), stream.get()));
  const int count = static_cast<int>(samples.size());
  const dim3 grid_size(static_cast<unsigned>((count + kThreads - 1) / kThreads),
                       static_cast<unsigned>(count_of_m));
  Result result;
  result.seconds = timed(stream, [&] {
    factorial<<<grid_size, kThreads, 0, stream.get()>>>(on_gpu.data(), count, arrays_on_gpu.data(),
                                                        n, first, 4.0 / (double(size) * size),
                                                        sums.data());
    CUDA_CHECK_LAUNCH("factorial");
  });
  result.moments.resize(moments);
  CUDA_CHECK(cudaMemcpy(result.moments.data(), sums.data(), sums.bytes(), cudaMemcpyDeviceToHost));
  return result;
}

}  // namespace

Result factorial_moment(int n, int m, std::span<const double> image, int size) {
  return run(n, m, 1, image, size);
}

Result factorial_order(int n, std::span<const double> image, int size) {
  return run(n, n % 2, n / 2 + 1, image, size);
}

}  // namespace leafglyph::gpu::published
