#include <algorithm>
#include <numbers>

#include "features/base/errors.h"
#include "gpu/published/published.h"
#include "gpu/published/samples.h"

namespace leafglyph::gpu::published {
namespace {

constexpr int kThreads = 128;

struct Pixel {
  double x;
  double y;
  double value;
};

// Radial rows of one part of the disk: row r of pixel p at (r * (order + 2) + m) * pixels + p.
struct Rows {
  double* values;
  int order;
  int pixels;
  __device__ double& at(int row, int m, int p) const {
    return values[(static_cast<std::size_t>(row) * (order + 2) + m) * pixels + p];
  }
};

// Zernike: R_nm = rho (R_{n-1,|m-1|} + R_{n-1,m+1}) - R_{n-2,m}, rows n mod 3.
__device__ double zernike_value(const Rows& rows, int n, int m, int p, double rho) {
  if (n == m) return n == 0 ? 1.0 : rho * rows.at((n + 2) % 3, n - 1, p);
  const int before = (n + 2) % 3;
  const double above = m + 1 <= n - 1 ? rows.at(before, m + 1, p) : 0.0;
  return rho * (rows.at(before, abs(m - 1), p) + above) - rows.at((n + 1) % 3, m, p);
}

// Adds the block's terms of a moment in shared memory and then to the moment.
__device__ void add_block(double re, double im, double* moment) {
  __shared__ double real_part[kThreads];
  __shared__ double imaginary_part[kThreads];
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
    atomicAdd(moment, real_part[0]);
    atomicAdd(moment + 1, imaginary_part[0]);
  }
  __syncthreads();
}

// f e^{-j m theta} for m = 0, 1, 2, ...
struct Phase {
  double re;
  double im;
  double cosine;
  double sine;
  __device__ void next() {
    const double turned = re * cosine + im * sine;
    im = im * cosine - re * sine;
    re = turned;
  }
};

__device__ Phase start_phase(const Pixel& pixel, double area) {
  const double rho = hypot(pixel.x, pixel.y);
  const double cosine = rho > 0.0 ? pixel.x / rho : 1.0;
  const double sine = rho > 0.0 ? pixel.y / rho : 0.0;
  return {pixel.value * area / std::numbers::pi, 0.0, cosine, sine};
}

__global__ void deng_zernike(const Pixel* pixels, Rows rows, double area, double* sums) {
  const int p = static_cast<int>(blockIdx.x * kThreads + threadIdx.x);
  const bool inside = p < rows.pixels;
  const Pixel pixel = inside ? pixels[p] : Pixel{0.0, 0.0, 0.0};
  const double rho = hypot(pixel.x, pixel.y);
  double* moment = sums;
  for (int n = 0; n <= rows.order; ++n) {
    Phase phase = start_phase(pixel, area);
    for (int m = 0; m <= n; ++m, phase.next()) {
      if ((n - m) % 2 != 0) continue;
      double value = 0.0;
      if (inside) {
        value = zernike_value(rows, n, m, p, rho);
        rows.at(n % 3, m, p) = value;
      }
      add_block((n + 1) * value * phase.re, (n + 1) * value * phase.im, moment);
      moment += 2;
    }
  }
}

// Pseudo-Zernike: K_nm = rho (R_{n-1,m-1} + R_{n-1,m}) - K_{n-1,m}, K_n0 = 2 rho R_{n-1,0} -
// K_{n-1,0}, R_nm = K_nm + K_{n,m+1} - R_{n-1,m}, R_nn = K_nn = rho^n. K in row 2 is overwritten in
// place; R of order n in row n mod 2.
__global__ void deng_pseudo_zernike(const Pixel* pixels, Rows rows, double area, double* sums) {
  const int p = static_cast<int>(blockIdx.x * kThreads + threadIdx.x);
  const bool inside = p < rows.pixels;
  const Pixel pixel = inside ? pixels[p] : Pixel{0.0, 0.0, 0.0};
  const double rho = hypot(pixel.x, pixel.y);
  double* moment = sums;
  for (int n = 0; n <= rows.order; ++n) {
    const int now = n % 2;
    const int before = 1 - now;
    if (inside) {
      for (int m = 0; m < n; ++m) {
        const double left = m == 0 ? rows.at(before, 0, p) : rows.at(before, m - 1, p);
        rows.at(2, m, p) = rho * (left + rows.at(before, m, p)) - rows.at(2, m, p);
      }
      rows.at(2, n, p) = n == 0 ? 1.0 : rho * rows.at(before, n - 1, p);
    }
    Phase phase = start_phase(pixel, area);
    for (int m = 0; m <= n; ++m, phase.next()) {
      double value = 0.0;
      if (inside) {
        value = m == n ? rows.at(2, n, p)
                       : rows.at(2, m, p) + rows.at(2, m + 1, p) - rows.at(before, m, p);
        rows.at(now, m, p) = value;
      }
      add_block((n + 1) * value * phase.re, (n + 1) * value * phase.im, moment);
      moment += 2;
    }
  }
}

std::vector<Pixel> disk_pixels(std::span<const double> image, int size) {
  const DiskGrid grid(size, Mask::kCentre, 1);
  std::vector<Pixel> pixels;
  for (int j = 0; j < size; ++j) {
    for (int i = 0; i < size; ++i) {
      if (!grid.mask().at(j, i)) continue;
      pixels.push_back({subpixel_centre(i, 0, 1, size), -subpixel_centre(j, 0, 1, size),
                        image[static_cast<std::size_t>(j) * static_cast<std::size_t>(size) +
                              static_cast<std::size_t>(i)]});
    }
  }
  return pixels;
}

}  // namespace

Result deng_moments(Family family, int order, std::span<const double> image, int size,
                    std::size_t scratch_bytes) {
  const std::size_t row_bytes = 3 * static_cast<std::size_t>(order + 2) * sizeof(double);
  const std::size_t part = scratch_bytes / row_bytes;
  if (part == 0) {
    throw UsageError(std::to_string(scratch_bytes) +
                     " bytes hold the rows of no pixel; one takes " + std::to_string(row_bytes));
  }
  const Stream stream;
  const auto pixels = disk_pixels(image, size);
  const auto on_gpu = copy_to_device(std::span<const Pixel>(pixels));
  DeviceBuffer<double> rows(std::min(part, pixels.size()) * 3 *
                            static_cast<std::size_t>(order + 2));
  DeviceBuffer<double> sums(2 * moment_count(family, order));
  CUDA_CHECK(cudaMemsetAsync(sums.data(), 0, sums.bytes(), stream.get()));
  const double area = 4.0 / (static_cast<double>(size) * size);
  Result result;
  result.seconds = timed(stream, [&] {
    for (std::size_t first = 0; first < pixels.size(); first += part) {
      const auto count = static_cast<int>(std::min(part, pixels.size() - first));
      const Rows scratch{rows.data(), order, count};
      const auto blocks = static_cast<unsigned>((count + kThreads - 1) / kThreads);
      const auto kernel = family == Family::kZernike ? deng_zernike : deng_pseudo_zernike;
      kernel<<<blocks, kThreads, 0, stream.get()>>>(on_gpu.data() + first, scratch, area,
                                                    sums.data());
      CUDA_CHECK_LAUNCH("deng");
    }
  });
  result.moments.resize(sums.size() / 2);
  CUDA_CHECK(cudaMemcpy(result.moments.data(), sums.data(), sums.bytes(), cudaMemcpyDeviceToHost));
  return result;
}

}  // namespace leafglyph::gpu::published
