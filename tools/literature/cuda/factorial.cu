#include <algorithm>
#include <array>
#include <numbers>

#include "features/base/errors.h"
#include "gpu/gpu_workers.h"
#include "tools/literature/cuda/octant_layout.h"
#include "tools/literature/cuda/published.h"
#include "tools/literature/cuda/reduction.h"
#include "tools/literature/cuda/samples.h"

namespace leafglyph::gpu::published {
namespace {

constexpr int kThreads = 128;

__constant__ double constant_factorials[kLargestFactorialOrder + 1];

void upload_factorials() {
  std::array<double, kLargestFactorialOrder + 1> factorials{};
  factorials[0] = 1.0;
  for (std::size_t i = 1; i < factorials.size(); ++i) {
    factorials[i] = factorials[i - 1] * static_cast<double>(i);
  }
  CUDA_CHECK(cudaMemcpyToSymbol(constant_factorials, factorials.data(), sizeof(factorials)));
}

__device__ double worked_out(int i) {
  double product = 1.0;
  for (int j = 2; j <= i; ++j) product *= j;
  return product;
}

// R_nm(rho) = sum over s of (-1)^s (n-s)! / (s! ((n+m)/2-s)! ((n-m)/2-s)!) rho^(n-2s). `Constant`
// takes the factorials from constant memory; otherwise every thread multiplies them out.
template <bool Constant>
__device__ double radial_sum(int n, int m, double rho) {
  const auto factorial = [](int i) {
    if constexpr (Constant) {
      return constant_factorials[i];
    } else {
      return worked_out(i);
    }
  };
  double sum = 0.0;
  for (int s = 0; s <= (n - m) / 2; ++s) {
    const double term = factorial(n - s) /
                        (factorial(s) * factorial((n + m) / 2 - s) * factorial((n - m) / 2 - s)) *
                        pow(rho, n - 2 * s);
    sum += s % 2 == 0 ? term : -term;
  }
  return sum;
}

// The baseline: thread i + k N computes the term of the pixel in column i and row k, if rho <= 1.
__global__ void baseline_map(const double* image, int size, int n, int m, double* zr, double* zi) {
  const int thread = static_cast<int>(blockIdx.x * kThreads + threadIdx.x);
  if (thread >= size * size) return;
  const double x = (2.0 * (thread % size) + 1.0 - size) / size;
  const double y = (size - 1.0 - 2.0 * (thread / size)) / size;
  const double rho = hypot(x, y);
  double re = 0.0;
  double im = 0.0;
  if (rho <= 1.0) {
    double sine = 0.0;
    double cosine = 0.0;
    sincos(m * atan2(y, x), &sine, &cosine);
    const double value = image[thread] * radial_sum<false>(n, m, rho);
    re = value * cosine;
    im = -value * sine;
  }
  zr[thread] = re;
  zi[thread] = im;
}

// The number of the pixel that is mirror image q of column u, row v (upwards) of the upper right
// quadrant.
__device__ int mirrored(int q, int u, int v, int size) {
  const int half = size / 2;
  const int right[8] = {u, v, -1 - v, -1 - u, -1 - u, -1 - v, v, u};
  const int up[8] = {v, u, u, v, -1 - v, -1 - u, -1 - u, -1 - v};
  return (half - 1 - up[q]) * size + half + right[q];
}

// Hwang's symmetry without a re-layout: one thread per pixel of the upper right quadrant. Those in
// its lower octant read the mirror images of their pixel where they are in the image, decide which
// of them count, and compute their term.
__global__ void symmetric_map(const double* image, int size, int n, int m, double* zr, double* zi) {
  const int u = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  const int v = static_cast<int>(blockIdx.y * blockDim.y + threadIdx.y);
  const int half = size / 2;
  if (u >= half || v >= half) return;
  const double x = (2.0 * u + 1.0) / size;
  const double y = (2.0 * v + 1.0) / size;
  const double rho = hypot(x, y);
  double re = 0.0;
  double im = 0.0;
  if (v <= u && rho <= 1.0) {
    double f[8];
    for (int q = 0; q < 8; ++q) {
      const bool again = u == v && (q == 1 || q == 2 || q == 5 || q == 6);
      f[q] = again ? 0.0 : image[mirrored(q, u, v, size)];
    }
    double sine = 0.0;
    double cosine = 0.0;
    sincos(m * atan2(y, x), &sine, &cosine);
    const double radial = radial_sum<false>(n, m, rho);
    re = radial * real_part(f, m % 4, cosine, sine);
    im = -radial * imaginary_part(f, m % 4, cosine, sine);
  }
  zr[v * half + u] = re;
  zi[v * half + u] = im;
}

// One thread per pixel of the upper right quadrant. Those in its lower octant copy the eight mirror
// images of their pixel to their place in the arrays. A diagonal pixel has only four distinct
// images; the arrays get 0 for the others.
__global__ void relayout_direct(const double* image, int size, const int* row_starts, int count,
                                double* h) {
  const int u = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  const int v = static_cast<int>(blockIdx.y * blockDim.y + threadIdx.y);
  if (u >= size / 2 || v > u) return;
  const int start = row_starts[v];
  const int place = start + u - v;
  if (place >= row_starts[v + 1]) return;  // outside the disk
  for (int q = 0; q < 8; ++q) {
    const bool again = u == v && (q == 1 || q == 2 || q == 5 || q == 6);
    h[q * count + place] = again ? 0.0 : image[mirrored(q, u, v, size)];
  }
}

// The octant images g^r and g^i for a repetition with m mod 4 = Residue.
template <int Residue>
__global__ void octant_images(const double* h, const double* theta, int count, int m, double* gr,
                              double* gi) {
  const int p = static_cast<int>(blockIdx.x * kThreads + threadIdx.x);
  if (p >= count) return;
  double f[8];
  for (int q = 0; q < 8; ++q) f[q] = h[q * count + p];
  double sine = 0.0;
  double cosine = 0.0;
  sincos(m * theta[p], &sine, &cosine);
  gr[p] = real_part(f, Residue, cosine, sine);
  gi[p] = imaginary_part(f, Residue, cosine, sine);
}

// `Constant` as in radial_sum.
template <bool Constant>
__global__ void octant_map(const double* gr, const double* gi, const double* rho, int count, int n,
                           int m, double* zr, double* zi) {
  const int p = static_cast<int>(blockIdx.x * kThreads + threadIdx.x);
  if (p >= count) return;
  const double radial = radial_sum<Constant>(n, m, rho[p]);
  zr[p] = radial * gr[p];
  zi[p] = -radial * gi[p];
}

constexpr dim3 kQuadrantThreads(16, 16);

dim3 quadrant_blocks(int size) {
  const auto side = static_cast<unsigned>((size / 2 + 15) / 16);
  return {side, side};
}

unsigned blocks_for(int count) { return static_cast<unsigned>((count + kThreads - 1) / kThreads); }

// GPU memory for one image, and the reduction that all methods share.
class Moments {
 public:
  Moments(int mapped, std::span<const double> image)
      : mapped_(mapped),
        image_(copy_to_device(image)),
        zr_(static_cast<std::size_t>(mapped)),
        zi_(static_cast<std::size_t>(mapped)) {}

  const double* image() const { return image_.data(); }
  double* zr() { return zr_.data(); }
  double* zi() { return zi_.data(); }
  const Stream& stream() const { return stream_; }
  cudaStream_t queue() const { return stream_.get(); }
  std::size_t bytes() const { return image_.bytes() + zr_.bytes() + zi_.bytes(); }

  // Sums the maps zr and zi into sums[0] and sums[1], times `scale`.
  void add_up(double scale, double* sums) {
    reduction_.add_up(zr_.data(), mapped_, scale, sums, stream_);
    reduction_.add_up(zi_.data(), mapped_, scale, sums + 1, stream_);
  }

 private:
  int mapped_;
  Stream stream_;
  DeviceBuffer<double> image_;
  DeviceBuffer<double> zr_;
  DeviceBuffer<double> zi_;
  Reduction reduction_;
};

Result collect(const DeviceBuffer<double>& sums, std::vector<Step> steps, std::size_t bytes) {
  Result result;
  result.steps = std::move(steps);
  result.seconds = total_of(result.steps);
  result.bytes = bytes;
  result.moments.resize(sums.size() / 2);
  CUDA_CHECK(cudaMemcpy(result.moments.data(), sums.data(), sums.bytes(), cudaMemcpyDeviceToHost));
  return result;
}

double scale_of(int n, int size) {
  return (n + 1) / std::numbers::pi * 4.0 / (static_cast<double>(size) * size);
}

// The methods that map the image as it is: of all pixels, or of the lower octant.
Result without_relayout(bool symmetric, int n, int first, int count_of_m,
                        std::span<const double> image, int size) {
  const int half = size / 2;
  Moments moments(symmetric ? half * half : size * size, image);
  DeviceBuffer<double> sums(2 * static_cast<std::size_t>(count_of_m));
  std::vector<Step> steps;
  add_step(steps, "moments", moments.stream(), [&] {
    for (int i = 0; i < count_of_m; ++i) {
      const int m = first + 2 * i;
      if (symmetric) {
        symmetric_map<<<quadrant_blocks(size), kQuadrantThreads, 0, moments.queue()>>>(
            moments.image(), size, n, m, moments.zr(), moments.zi());
      } else {
        baseline_map<<<blocks_for(size * size), kThreads, 0, moments.queue()>>>(
            moments.image(), size, n, m, moments.zr(), moments.zi());
      }
      CUDA_CHECK_LAUNCH("map");
      moments.add_up(scale_of(n, size), sums.data() + 2 * i);
    }
  });
  return collect(sums, steps, moments.bytes());
}

void launch_octant_images(const Moments& moments, const double* h, const double* theta, int count,
                          int m, double* gr, double* gi) {
  const unsigned blocks = blocks_for(count);
  switch (m % 4) {
    case 0:
      octant_images<0><<<blocks, kThreads, 0, moments.queue()>>>(h, theta, count, m, gr, gi);
      break;
    case 1:
      octant_images<1><<<blocks, kThreads, 0, moments.queue()>>>(h, theta, count, m, gr, gi);
      break;
    case 2:
      octant_images<2><<<blocks, kThreads, 0, moments.queue()>>>(h, theta, count, m, gr, gi);
      break;
    default:
      octant_images<3><<<blocks, kThreads, 0, moments.queue()>>>(h, theta, count, m, gr, gi);
  }
  CUDA_CHECK_LAUNCH("octant_images");
}

// One of `parts` equal parts of the places in the arrays, for relayout_lookup.
OctantLayout part_of(const OctantLayout& whole, std::size_t part, std::size_t parts) {
  const std::size_t all = whole.rho.size();
  const auto from = static_cast<std::ptrdiff_t>(all * part / parts);
  const auto to = static_cast<std::ptrdiff_t>(all * (part + 1) / parts);
  OctantLayout layout;
  layout.rho.assign(whole.rho.begin() + from, whole.rho.begin() + to);
  layout.theta.assign(whole.theta.begin() + from, whole.theta.begin() + to);
  for (std::size_t q = 0; q < 8; ++q) {
    const auto addresses = whole.addresses.begin() + static_cast<std::ptrdiff_t>(q * all);
    layout.addresses.insert(layout.addresses.end(), addresses + from, addresses + to);
  }
  return layout;
}

Result with_relayout(FactorialMethod method, const OctantLayout& layout, int n, int first,
                     int count_of_m, std::span<const double> image, int size) {
  upload_factorials();
  const int count = static_cast<int>(layout.rho.size());
  const auto row_starts = to_device(layout.row_starts);
  const auto addresses = to_device(layout.addresses);
  const auto rho = to_device(layout.rho);
  const auto theta = to_device(layout.theta);
  DeviceBuffer<double> h(8 * layout.rho.size());
  DeviceBuffer<double> g(2 * layout.rho.size());
  double* gi = g.data() + layout.rho.size();
  Moments moments(count, image);
  DeviceBuffer<double> sums(2 * static_cast<std::size_t>(count_of_m));
  std::vector<Step> steps;
  add_step(steps, "re-layout", moments.stream(), [&] {
    if (method != FactorialMethod::kDirect) {
      relayout(moments.image(), addresses.data(), count, h.data(), moments.stream());
    } else {
      relayout_direct<<<quadrant_blocks(size), kQuadrantThreads, 0, moments.queue()>>>(
          moments.image(), size, row_starts.data(), count, h.data());
      CUDA_CHECK_LAUNCH("relayout");
    }
  });
  add_step(steps, "moments", moments.stream(), [&] {
    for (int i = 0; i < count_of_m; ++i) {
      const int m = first + 2 * i;
      launch_octant_images(moments, h.data(), theta.data(), count, m, g.data(), gi);
      if (method == FactorialMethod::kRelayout) {
        octant_map<false><<<blocks_for(count), kThreads, 0, moments.queue()>>>(
            g.data(), gi, rho.data(), count, n, m, moments.zr(), moments.zi());
      } else {
        octant_map<true><<<blocks_for(count), kThreads, 0, moments.queue()>>>(
            g.data(), gi, rho.data(), count, n, m, moments.zr(), moments.zi());
      }
      CUDA_CHECK_LAUNCH("octant_map");
      moments.add_up(scale_of(n, size), sums.data() + 2 * i);
    }
  });
  return collect(sums, steps, moments.bytes() + h.bytes() + g.bytes() + addresses.bytes());
}

// Throws UsageError for moments or sizes that the methods do not support.
void check_factorial(int n, int first, int last, int size) {
  if (n < 0 || n > kLargestFactorialOrder) {
    throw UsageError("order " + std::to_string(n) + "; the factorial table supports orders 0 to " +
                     std::to_string(kLargestFactorialOrder));
  }
  if (size < 2 || size % 2 != 0) {
    throw UsageError("size " + std::to_string(size) + " is odd; the re-layout supports even sizes");
  }
  if (first < 0 || last < first || last > n || (n - first) % 2 != 0 || (n - last) % 2 != 0) {
    throw UsageError("repetitions " + std::to_string(first) + " to " + std::to_string(last) +
                     " are none of order " + std::to_string(n));
  }
}

}  // namespace

Result factorial_moments(FactorialMethod method, int n, int first, int last,
                         std::span<const double> image, int size) {
  check_factorial(n, first, last, size);
  const int count_of_m = (last - first) / 2 + 1;
  if (method == FactorialMethod::kBaseline || method == FactorialMethod::kSymmetric) {
    return without_relayout(method == FactorialMethod::kSymmetric, n, first, count_of_m, image,
                            size);
  }
  return with_relayout(method, octant_layout(size), n, first, count_of_m, image, size);
}

Result factorial_moments_on(std::span<const GpuDevice> gpus, int n, int first, int last,
                            std::span<const double> image, int size) {
  check_factorial(n, first, last, size);
  const OctantLayout whole = octant_layout(size);
  std::vector<Result> results(gpus.size());
  GpuWorkers workers;
  workers.on_each(
      gpus.size(),
      [&](std::size_t g) {
        const DeviceScope scope(gpus[g].index);
        results[g] = with_relayout(FactorialMethod::kLookup, part_of(whole, g, gpus.size()), n,
                                   first, (last - first) / 2 + 1, image, size);
      },
      [] {});
  Result all = results.front();
  for (std::size_t g = 1; g < results.size(); ++g) {
    all.seconds = std::max(all.seconds, results[g].seconds);
    all.bytes += results[g].bytes;
    for (std::size_t i = 0; i < all.moments.size(); ++i) all.moments[i] += results[g].moments[i];
  }
  return all;
}

std::vector<KernelUse> factorial_kernels() {
  return {use_of("baseline map", baseline_map, kThreads),
          use_of("symmetric map", symmetric_map, kQuadrantThreads.x * kQuadrantThreads.y),
          use_of("re-layout, direct", relayout_direct, kQuadrantThreads.x * kQuadrantThreads.y),
          relayout_use("re-layout, lookup"),
          use_of("octant images", octant_images<1>, kThreads),
          use_of("octant map, A", octant_map<false>, kThreads),
          use_of("octant map", octant_map<true>, kThreads),
          reduction_use("reduce")};
}

Launch factorial_launch(int size) {
  int device = 0;
  int multiprocessors = 0;
  int most = 0;
  CUDA_CHECK(cudaGetDevice(&device));
  CUDA_CHECK(cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, device));
  CUDA_CHECK(cudaDeviceGetAttribute(&most, cudaDevAttrMaxThreadsPerMultiProcessor, device));
  const auto samples = static_cast<int>(octant_samples(size, 1).samples.size());
  const auto blocks = static_cast<int>(blocks_for(samples));
  const int resident = std::min(most, (blocks + multiprocessors - 1) / multiprocessors * kThreads);
  return {blocks, kThreads, static_cast<double>(resident) / most};
}

}  // namespace leafglyph::gpu::published
