#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

#include "features/base/errors.h"
#include "gpu/published/published.h"
#include "gpu/published/samples.h"

namespace leafglyph::gpu::published {
namespace {

constexpr int kThreads = 256;

// Kintner's recurrence for one m, divided by K1: R_n = (slope rho^2 + shift) R_{n-2} + back
// R_{n-4}.
struct Coefficients {
  double slope;
  double shift;
  double back;
};
constexpr int kMostCoefficients = 2048;  // 48 KiB of the 64 KiB of constant memory: orders to 4095
__constant__ Coefficients constant_coefficients[kMostCoefficients];

std::vector<Coefficients> kintner_coefficients(int m, int order) {
  std::vector<Coefficients> list;
  for (int n = m; n <= order; n += 2) {
    if (n == m) {
      list.push_back({0.0, 0.0, 0.0});  // R_mm = rho^m
    } else if (n == m + 2) {
      list.push_back({m + 2.0, -(m + 1.0), 0.0});
    } else {
      const double a = n;
      const double b = m;
      const double k1 = (a + b) * (a - b) * (a - 2.0) / 2.0;
      const double k2 = 2.0 * a * (a - 1.0) * (a - 2.0);
      const double k3 = -b * b * (a - 1.0) - a * (a - 1.0) * (a - 2.0);
      const double k4 = -a * (a + b - 2.0) * (a - b - 2.0) / 2.0;
      list.push_back({k2 / k1, k3 / k1, k4 / k1});
    }
  }
  return list;
}

// The terms of a sample's real and imaginary part: (real_cos cos + real_sin sin) - j (imag_sin sin
// + imag_cos cos), by m mod 4 (eight-fold symmetry).
struct Terms {
  double real_cos;
  double real_sin;
  double imag_sin;
  double imag_cos;
};

__device__ Terms octant_terms(const double (&f)[8], int residue) {
  const double sign = residue == 1 ? 1.0 : -1.0;
  switch (residue) {
    case 0:
      return {f[0] + f[1] + f[2] + f[3] + f[4] + f[5] + f[6] + f[7], 0.0,
              f[0] - f[1] + f[2] - f[3] + f[4] - f[5] + f[6] - f[7], 0.0};
    case 2:
      return {f[0] - f[1] - f[2] + f[3] + f[4] - f[5] - f[6] + f[7], 0.0,
              f[0] + f[1] - f[2] - f[3] + f[4] + f[5] - f[6] - f[7], 0.0};
    default:
      return {f[0] - f[3] - f[4] + f[7], sign * (f[1] - f[2] - f[5] + f[6]),
              f[0] + f[3] - f[4] - f[7], sign * (f[1] + f[2] - f[5] - f[6])};
  }
}

// Sources of a sample's terms: eight pixels of the image, or values recomposed beforehand.
struct PixelSource {
  const double* image;
  const std::int32_t* numbers;  // of pixel p's mirror image q at q * samples + p
  int samples;
  __device__ Terms terms(int p, int m) const {
    double f[8];
#pragma unroll
    for (int q = 0; q < 8; ++q) f[q] = image[numbers[q * samples + p]];
    return octant_terms(f, m % 4);
  }
};

struct FourSource {  // the recomposed images even cos, even sin, odd cos, odd sin
  const double* images;
  int samples;
  __device__ Terms terms(int p, int m) const {
    const double* image = images + static_cast<std::size_t>(m % 2 * 2) * samples;
    return {image[p], 0.0, image[samples + p], 0.0};
  }
};

struct EightSource {  // one recomposed image for each of the eight factors
  const double* images;
  int samples;
  __device__ double at(int image, int p) const {
    return images[static_cast<std::size_t>(image) * samples + p];
  }
  __device__ Terms terms(int p, int m) const {
    const double sign = m % 4 == 1 ? 1.0 : -1.0;
    if (m % 4 == 0) return {at(0, p), 0.0, at(1, p), 0.0};
    if (m % 4 == 2) return {at(2, p), 0.0, at(3, p), 0.0};
    return {at(4, p), sign * at(5, p), at(6, p), sign * at(7, p)};
  }
};

// Ways of adding up: terms stored for a second kernel, or atomic sums.
struct Store {
  double* terms;  // real part of the i-th order of sample p at (2 i) * samples + p, then imaginary
  int samples;
  __device__ void add(int i, int p, double re, double im) const {
    terms[static_cast<std::size_t>(2 * i) * samples + p] = re;
    terms[static_cast<std::size_t>(2 * i + 1) * samples + p] = im;
  }
};

// Compute capability 6.0 and above add doubles atomically.
struct AtomicSum {
  double* sums;
  __device__ void add(int i, int, double re, double im) const {
    atomicAdd(sums + 2 * i, re);
    atomicAdd(sums + 2 * i + 1, im);
  }
};

template <bool Hardware>
__device__ void sine_cosine(double angle, double& sine, double& cosine) {
  if constexpr (Hardware) {
    // The instructions are accurate in [-pi, pi] alone.
    const double turns = angle / (2.0 * std::numbers::pi);
    const auto reduced = static_cast<float>((turns - rint(turns)) * 2.0 * std::numbers::pi);
    sine = __sinf(reduced);
    cosine = __cosf(reduced);
  } else {
    sincos(angle, &sine, &cosine);
  }
}

template <bool Constant, class Source, class Sum>
__global__ void kintner(const Sample* samples, int count, int m, int orders,
                        const Coefficients* global_coefficients, double area, Source source,
                        Sum sum) {
  const int p = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (p >= count) return;
  const Sample sample = samples[p];
  const Terms terms = source.terms(p, m);
  const double rho = hypot(sample.x, sample.y);
  double sine = 0.0;
  double cosine = 1.0;
  sine_cosine<Constant>(m * atan2(sample.y, sample.x), sine, cosine);
  const double scale = sample.weight * area / std::numbers::pi;
  const double re = scale * (terms.real_cos * cosine + terms.real_sin * sine);
  const double im = -scale * (terms.imag_sin * sine + terms.imag_cos * cosine);
  double before = 0.0;
  double radial = pow(rho, m);
  for (int i = 0; i < orders; ++i) {
    if (i > 0) {
      const Coefficients& k = Constant ? constant_coefficients[i] : global_coefficients[i];
      const double next = (k.slope * rho * rho + k.shift) * radial + k.back * before;
      before = radial;
      radial = next;
    }
    const int n = m + 2 * i;
    sum.add(i, p, (n + 1) * radial * re, (n + 1) * radial * im);
  }
}

// One sum a block, halving the number of terms step by step.
__global__ void reduce(const double* terms, int samples, double* sums) {
  __shared__ double part[kThreads];
  double own = 0.0;
  for (int p = static_cast<int>(threadIdx.x); p < samples; p += kThreads) {
    own += terms[static_cast<std::size_t>(blockIdx.x) * samples + p];
  }
  part[threadIdx.x] = own;
  __syncthreads();
  for (unsigned step = kThreads / 2; step > 0; step /= 2) {
    if (threadIdx.x < step) part[threadIdx.x] += part[threadIdx.x + step];
    __syncthreads();
  }
  if (threadIdx.x == 0) sums[blockIdx.x] = part[0];
}

// What every variant needs on the GPU.
struct Problem {
  int order;
  int size;
  DeviceBuffer<Sample> samples;
  DeviceBuffer<Coefficients> coefficients;
  DeviceBuffer<double> sums;
};

// The sums of every m, in the layout of `sums`: for each m its orders' real and imaginary parts.
template <bool Constant, class Source>
double run_all(Problem& problem, const Source& source, bool store, const Stream& stream) {
  const int count = static_cast<int>(problem.samples.size());
  const unsigned blocks = static_cast<unsigned>((count + kThreads - 1) / kThreads);
  const double area = 4.0 / (static_cast<double>(problem.size) * problem.size);
  DeviceBuffer<double> terms(store ? static_cast<std::size_t>(problem.order / 2 + 1) * 2 * count
                                   : 0);
  CUDA_CHECK(cudaMemsetAsync(problem.sums.data(), 0, problem.sums.bytes(), stream.get()));
  return timed(stream, [&] {
    std::size_t offset = 0;
    for (int m = 0; m <= problem.order; ++m) {
      const auto orders = static_cast<int>((problem.order - m) / 2 + 1);
      const Coefficients* list = problem.coefficients.data() + offset;
      double* sums = problem.sums.data() + 2 * offset;
      if constexpr (Constant) {
        CUDA_CHECK(cudaMemcpyToSymbolAsync(constant_coefficients, list,
                                           static_cast<std::size_t>(orders) * sizeof(Coefficients),
                                           0, cudaMemcpyDeviceToDevice, stream.get()));
      }
      if (store) {
        kintner<Constant><<<blocks, kThreads, 0, stream.get()>>>(problem.samples.data(), count, m,
                                                                 orders, list, area, source,
                                                                 Store{terms.data(), count});
        CUDA_CHECK_LAUNCH("kintner");
        reduce<<<static_cast<unsigned>(2 * orders), kThreads, 0, stream.get()>>>(terms.data(),
                                                                                 count, sums);
      } else {
        kintner<Constant><<<blocks, kThreads, 0, stream.get()>>>(
            problem.samples.data(), count, m, orders, list, area, source, AtomicSum{sums});
      }
      CUDA_CHECK_LAUNCH("kintner");
      offset += static_cast<std::size_t>(orders);
    }
  });
}

std::vector<std::complex<double>> in_storage_order(const Problem& problem) {
  std::vector<double> sums(problem.sums.size());
  CUDA_CHECK(
      cudaMemcpy(sums.data(), problem.sums.data(), problem.sums.bytes(), cudaMemcpyDeviceToHost));
  std::vector<std::complex<double>> moments(moment_count(Family::kZernike, problem.order));
  std::size_t at = 0;
  for (int m = 0; m <= problem.order; ++m) {
    for (int n = m; n <= problem.order; n += 2, ++at) {
      moments[moment_position(Family::kZernike, n, m)] = {sums[2 * at], sums[2 * at + 1]};
    }
  }
  return moments;
}

// Samples of the quadrant x >= 0, y >= 0 and the four recomposed images on them.
struct Quadrant {
  std::vector<Sample> samples;
  std::vector<double> images;
};

Quadrant recompose_quadrant(const DiskGrid& grid, std::span<const double> image) {
  const int size = grid.size();
  Quadrant quadrant;
  std::array<std::vector<double>, 4> images;
  for (int j = 0; j < (size + 1) / 2; ++j) {
    for (int i = size / 2; i < size; ++i) {
      if (!grid.mask().at(j, i)) continue;
      const auto at = [&](int row, int column) {
        return image[static_cast<std::size_t>(row) * static_cast<std::size_t>(size) +
                     static_cast<std::size_t>(column)];
      };
      const int down = size - 1 - j;
      const int left = size - 1 - i;
      const double f1 = at(j, i);
      const double f2 = at(j, left);     // pi - theta
      const double f3 = at(down, left);  // pi + theta
      const double f4 = at(down, i);     // -theta
      const bool on_x = down == j;
      const bool on_y = left == i;
      quadrant.samples.push_back({subpixel_centre(i, 0, 1, size), -subpixel_centre(j, 0, 1, size),
                                  (on_x ? 0.5 : 1.0) * (on_y ? 0.5 : 1.0)});
      images[0].push_back(f1 + f2 + f3 + f4);
      images[1].push_back(f1 - f2 + f3 - f4);
      images[2].push_back(f1 - f2 - f3 + f4);
      images[3].push_back(f1 + f2 - f3 - f4);
    }
  }
  for (const auto& part : images) {
    quadrant.images.insert(quadrant.images.end(), part.begin(), part.end());
  }
  return quadrant;
}

std::vector<double> recompose_octant(const DiskGrid& grid, std::span<const double> image) {
  constexpr int kSigns[8][8] = {{1, 1, 1, 1, 1, 1, 1, 1},     {1, -1, 1, -1, 1, -1, 1, -1},
                                {1, -1, -1, 1, 1, -1, -1, 1}, {1, 1, -1, -1, 1, 1, -1, -1},
                                {1, 0, 0, -1, -1, 0, 0, 1},   {0, 1, -1, 0, 0, -1, 1, 0},
                                {1, 0, 0, 1, -1, 0, 0, -1},   {0, 1, 1, 0, 0, -1, -1, 0}};
  std::vector<double> images;
  for (const auto& signs : kSigns) {
    for (const OctantPixel& pixel : grid.octant()) {
      double sum = 0.0;
      for (std::size_t q = 0; q < 8; ++q) {
        sum += signs[q] * image[static_cast<std::size_t>(pixel.images[q])];
      }
      images.push_back(sum);
    }
  }
  return images;
}

std::vector<std::int32_t> octant_numbers(const DiskGrid& grid) {
  std::vector<std::int32_t> numbers;
  for (std::size_t q = 0; q < 8; ++q) {
    for (const OctantPixel& pixel : grid.octant()) numbers.push_back(pixel.images[q]);
  }
  return numbers;
}

template <class T>
DeviceBuffer<T> to_device(const std::vector<T>& values) {
  return copy_to_device(std::span<const T>(values));
}

}  // namespace

std::string_view kintner_variant_name(KintnerVariant variant) {
  switch (variant) {
    case KintnerVariant::kStoreAndReduce:
      return "stores and parallel reduction";
    case KintnerVariant::kAtomic:
      return "atomic adds";
    case KintnerVariant::kAtomicConstant:
      return "atomic adds, constant memory, hardware sine";
    case KintnerVariant::kFourfold:
      return "the same, four-fold recomposed";
    case KintnerVariant::kEightfold:
      return "the same, eight-fold recomposed";
  }
  return "";
}

Result kintner_moments(KintnerVariant variant, int order, std::span<const double> image, int size) {
  if (order / 2 + 1 > kMostCoefficients) {
    throw UsageError("order " + std::to_string(order) + "; constant memory serves orders to " +
                     std::to_string(2 * kMostCoefficients - 1));
  }
  const Stream stream;
  const DiskGrid grid(size, Mask::kCentre, 1);
  Problem problem{order, size, to_device(octant_samples(grid)), {}, {}};
  std::vector<Coefficients> coefficients;
  for (int m = 0; m <= order; ++m) {
    const auto list = kintner_coefficients(m, order);
    coefficients.insert(coefficients.end(), list.begin(), list.end());
  }
  problem.coefficients = to_device(coefficients);
  problem.sums = DeviceBuffer<double>(2 * coefficients.size());
  const int samples = static_cast<int>(problem.samples.size());
  Result result;
  if (variant == KintnerVariant::kFourfold) {
    const Quadrant quadrant = recompose_quadrant(grid, image);
    problem.samples = to_device(quadrant.samples);
    const auto images = to_device(quadrant.images);
    result.seconds =
        run_all<true>(problem, FourSource{images.data(), static_cast<int>(quadrant.samples.size())},
                      false, stream);
  } else if (variant == KintnerVariant::kEightfold) {
    const auto images = to_device(recompose_octant(grid, image));
    result.seconds = run_all<true>(problem, EightSource{images.data(), samples}, false, stream);
  } else {
    const auto pixels = copy_to_device(image);
    const auto numbers = to_device(octant_numbers(grid));
    const PixelSource source{pixels.data(), numbers.data(), samples};
    result.seconds =
        variant == KintnerVariant::kAtomicConstant
            ? run_all<true>(problem, source, false, stream)
            : run_all<false>(problem, source, variant == KintnerVariant::kStoreAndReduce, stream);
  }
  result.moments = in_storage_order(problem);
  return result;
}

}  // namespace leafglyph::gpu::published
