#include <numbers>

#include "features/base/errors.h"
#include "tools/literature/cuda/published.h"
#include "tools/literature/cuda/reduction.h"
#include "tools/literature/cuda/samples.h"

namespace leafglyph::gpu::published {
namespace {

constexpr int kThreads = 128;

// One thread per sample. For n and m = n, n - 2, ... the i-th repetition's terms of sample p are at
// (2 i) * count + p (real part) and (2 i + 1) * count + p. From m = n - 4 on R_nm comes from
// R_{n,m+4} and R_{n,m+2}; the recurrence divides by rho^2, so that the centre has its own values.
__global__ void q_recursive(const DiskSample* samples, const double* values, int count, int n,
                            double* terms) {
  const int p = static_cast<int>(blockIdx.x * kThreads + threadIdx.x);
  if (p >= count) return;
  const double rho = hypot(samples[p].x, samples[p].y);
  const double theta = atan2(samples[p].y, samples[p].x);
  const double value = values[p];
  double second = 0.0;  // R_{n,m+4}
  double first = 0.0;   // R_{n,m+2}
  for (int m = n, i = 0; m >= 0; m -= 2, ++i) {
    double radial;
    if (rho == 0.0) {
      radial = m > 0 ? 0.0 : (n % 4 == 0 ? 1.0 : -1.0);
    } else if (m == n) {
      radial = pow(rho, n);
    } else if (m == n - 2) {
      radial = n * first - (n - 1) * pow(rho, m);
    } else {
      const double a = n;
      const double b = m;
      const double h3 = -4.0 * (b + 2.0) * (b + 1.0) / ((a + b + 2.0) * (a - b));
      const double h2 = h3 * (a + b + 4.0) * (a - b - 2.0) / (4.0 * (b + 3.0)) + b + 2.0;
      const double h1 =
          (b + 4.0) * (b + 3.0) / 2.0 - (b + 4.0) * h2 + h3 * (a + b + 6.0) * (a - b - 4.0) / 8.0;
      radial = h1 * second + (h2 + h3 / (rho * rho)) * first;
    }
    second = first;
    first = radial;
    double sine = 0.0;
    double cosine = 0.0;
    sincos(m * theta, &sine, &cosine);
    terms[static_cast<std::size_t>(2 * i) * count + p] = value * radial * cosine;
    terms[static_cast<std::size_t>(2 * i + 1) * count + p] = -value * radial * sine;
  }
}

}  // namespace

Result q_recursive_moments(int order, std::span<const double> image, int size) {
  if (order < 0) throw UsageError("order " + std::to_string(order) + " is negative; use 0 or more");
  const WholeDisk disk = whole_disk(image, size, 1);
  const auto samples = to_device(disk.samples);
  const auto values = to_device(disk.values);
  const int count = static_cast<int>(disk.values.size());
  const auto blocks = static_cast<unsigned>((count + kThreads - 1) / kThreads);
  DeviceBuffer<double> terms(2 * (static_cast<std::size_t>(order) / 2 + 1) * disk.values.size());
  DeviceBuffer<double> sums(2 * moment_count(Family::kZernike, order));
  const Stream stream;
  Reduction reduction;
  Result result;
  result.bytes = samples.bytes() + values.bytes() + terms.bytes();
  result.seconds = timed(stream, [&] {
    for (int n = 0; n <= order; ++n) {
      q_recursive<<<blocks, kThreads, 0, stream.get()>>>(samples.data(), values.data(), count, n,
                                                         terms.data());
      CUDA_CHECK_LAUNCH("q_recursive");
      const double scale = (n + 1) / std::numbers::pi * 4.0 /
                           (static_cast<double>(size) * static_cast<double>(size));
      for (int m = n, i = 0; m >= 0; m -= 2, ++i) {
        double* sum = sums.data() + 2 * moment_position(Family::kZernike, n, m);
        const double* real = terms.data() + static_cast<std::size_t>(2 * i) * disk.values.size();
        reduction.add_up(real, count, scale, sum, stream);
        reduction.add_up(real + disk.values.size(), count, scale, sum + 1, stream);
      }
    }
  });
  result.moments.resize(sums.size() / 2);
  CUDA_CHECK(cudaMemcpy(result.moments.data(), sums.data(), sums.bytes(), cudaMemcpyDeviceToHost));
  return result;
}

KernelUse q_recursive_kernel() { return use_of("q-recursive", q_recursive, kThreads); }

}  // namespace leafglyph::gpu::published
