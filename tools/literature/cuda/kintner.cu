#include <cmath>
#include <numbers>

#include "features/base/errors.h"
#include "tools/literature/cuda/published.h"
#include "tools/literature/cuda/reduction.h"
#include "tools/literature/cuda/samples.h"

namespace leafglyph::gpu::published {
namespace {

constexpr int kThreads = 256;

// The coefficients of Kintner's recurrence for one m, divided by K1:
// R_n = (slope rho^2 + shift) R_{n-2} + back R_{n-4}.
struct Coefficients {
  double slope;
  double shift;
  double back;
};
constexpr int kMostCoefficients = 2048;  // 48 of 64 KiB of constant memory: orders up to 4095
__constant__ Coefficients constant_coefficients[kMostCoefficients];

// For n = m, m + 2, ... up to `order`.
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

// The factors of cos m theta and sin m theta in a sample's term:
// (real_cos cos + real_sin sin) - j (imag_sin sin + imag_cos cos). Only eight-fold symmetry with
// odd m has all four.
struct Terms {
  double real_cos;
  double real_sin;
  double imag_sin;
  double imag_cos;
};

// Where a sample's terms come from: the value of its pixel, or precomputed combinations of the
// values of its mirror images.
struct WholeSource {
  const double* values;
  __device__ Terms terms(int p, int) const { return {values[p], 0.0, values[p], 0.0}; }
};

struct FourSource {  // combinations for even cos, even sin, odd cos, odd sin
  const double* images;
  int samples;
  __device__ Terms terms(int p, int m) const {
    const double* image = images + static_cast<std::size_t>(m % 2 * 2) * samples;
    return {image[p], 0.0, image[samples + p], 0.0};
  }
};

struct EightSource {  // one combination for each of the eight factors
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

// How terms are summed: stored for a second kernel, or added atomically.
struct Store {
  // For the i-th order of sample p: the real part at (2 i) * samples + p, the imaginary part at
  // (2 i + 1) * samples + p.
  double* terms;
  int samples;
  __device__ void add(int i, int, int p, double re, double im) const {
    terms[static_cast<std::size_t>(2 * i) * samples + p] = re;
    terms[static_cast<std::size_t>(2 * i + 1) * samples + p] = im;
  }
};

// Where the moments of m and n = m, m + 2, ... are in storage order.
__host__ __device__ int position_of(int n, int m) { return (n + 1) / 2 * ((n + 2) / 2) + m / 2; }

// Atomic addition of doubles needs compute capability 6.0 or above. Sums of one m are far apart, so
// that different parts of the L2 cache add to them.
struct AtomicSum {
  double* real;
  double* imaginary;
  __device__ void add(int i, int m, int, double re, double im) const {
    const int position = position_of(m + 2 * i, m);
    atomicAdd(real + position, re);
    atomicAdd(imaginary + position, im);
  }
};

template <bool Hardware>
__device__ void sine_cosine(double angle, double& sine, double& cosine) {
  if constexpr (Hardware) {
    // The hardware instructions are only accurate in [-pi, pi].
    const double turns = angle / (2.0 * std::numbers::pi);
    const auto reduced = static_cast<float>((turns - rint(turns)) * 2.0 * std::numbers::pi);
    sine = __sinf(reduced);
    cosine = __cosf(reduced);
  } else {
    sincos(angle, &sine, &cosine);
  }
}

// One thread per sample. Passes (n + 1) / pi R_nm f e^{-j m theta} times the sub-pixel area to
// `sum`, for one m and n = m, m + 2, ... R_nm comes from Kintner's recurrence upwards in n, from
// R_mm = rho^m. `Constant` takes the coefficients from constant memory and uses hardware sine and
// cosine.
template <bool Constant, class Source, class Sum>
__global__ void kintner(const DiskSample* samples, int count, int m, int orders,
                        const Coefficients* global_coefficients, double area, Source source,
                        Sum sum) {
  const int p = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (p >= count) return;
  const DiskSample sample = samples[p];
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
    sum.add(i, m, p, (n + 1) * radial * re, (n + 1) * radial * im);
  }
}

// The data on the GPU that every strategy needs. Sums are in storage order.
struct Problem {
  int order;
  double area;  // of a sub-pixel
  DeviceBuffer<DiskSample> samples;
  DeviceBuffer<Coefficients> coefficients;
  DeviceBuffer<double> real;
  DeviceBuffer<double> imaginary;

  int orders(int m) const { return (order - m) / 2 + 1; }
};

unsigned blocks_for(int count) { return static_cast<unsigned>((count + kThreads - 1) / kThreads); }

// Adds up the stored terms of one moment, real and then imaginary parts, as S1 and its two variants
// do.
class TermSums {
 public:
  TermSums(KintnerStrategy strategy, int count, const Stream& stream)
      : strategy_(strategy), count_(count), stream_(stream) {
    if (strategy == KintnerStrategy::kCopies) host_.resize(2 * static_cast<std::size_t>(count));
  }

  void add_up(const double* terms, double* real, double* imaginary) {
    if (strategy_ != KintnerStrategy::kAllocations) {
      reduce(terms, real, imaginary, reduction_);
      if (strategy_ == KintnerStrategy::kCopies) copy(terms, host_.data(), cudaMemcpyDeviceToHost);
      return;
    }
    DeviceBuffer<double> own(2 * static_cast<std::size_t>(count_));
    Reduction reduction;
    copy(terms, own.data(), cudaMemcpyDeviceToDevice);
    reduce(own.data(), real, imaginary, reduction);
  }

 private:
  void copy(const double* from, double* to, cudaMemcpyKind kind) const {
    CUDA_CHECK(cudaMemcpyAsync(to, from, 2 * static_cast<std::size_t>(count_) * sizeof(double),
                               kind, stream_.get()));
  }
  void reduce(const double* terms, double* real, double* imaginary, Reduction& reduction) const {
    reduction.add_up(terms, count_, 1.0, real, stream_);
    reduction.add_up(terms + count_, count_, 1.0, imaginary, stream_);
  }

  KintnerStrategy strategy_;
  int count_;
  const Stream& stream_;
  Reduction reduction_;
  std::vector<double> host_;
};

// S1: a kernel per m, and two reductions per moment.
double store_and_reduce(KintnerStrategy strategy, Problem& problem, const WholeSource& source,
                        const Stream& stream) {
  const int count = static_cast<int>(problem.samples.size());
  DeviceBuffer<double> terms(static_cast<std::size_t>(2 * problem.orders(0)) *
                             problem.samples.size());
  TermSums sums(strategy, count, stream);
  return timed(stream, [&] {
    const Coefficients* list = problem.coefficients.data();
    for (int m = 0; m <= problem.order; ++m) {
      const int orders = problem.orders(m);
      kintner<false><<<blocks_for(count), kThreads, 0, stream.get()>>>(
          problem.samples.data(), count, m, orders, list, problem.area, source,
          Store{terms.data(), count});
      CUDA_CHECK_LAUNCH("kintner");
      for (int i = 0; i < orders; ++i) {
        const int position = position_of(m + 2 * i, m);
        sums.add_up(terms.data() + static_cast<std::size_t>(2 * i) * count,
                    problem.real.data() + position, problem.imaginary.data() + position);
      }
      list += orders;
    }
  });
}

// S2 to S5: a kernel per m.
template <bool Constant, class Source>
double add_atomically(Problem& problem, const Source& source, const Stream& stream) {
  const int count = static_cast<int>(problem.samples.size());
  for (DeviceBuffer<double>* sums : {&problem.real, &problem.imaginary}) {
    CUDA_CHECK(cudaMemsetAsync(sums->data(), 0, sums->bytes(), stream.get()));
  }
  return timed(stream, [&] {
    const Coefficients* list = problem.coefficients.data();
    for (int m = 0; m <= problem.order; ++m) {
      const int orders = problem.orders(m);
      if constexpr (Constant) {
        CUDA_CHECK(cudaMemcpyToSymbolAsync(constant_coefficients, list,
                                           static_cast<std::size_t>(orders) * sizeof(Coefficients),
                                           0, cudaMemcpyDeviceToDevice, stream.get()));
      }
      kintner<Constant><<<blocks_for(count), kThreads, 0, stream.get()>>>(
          problem.samples.data(), count, m, orders, list, problem.area, source,
          AtomicSum{problem.real.data(), problem.imaginary.data()});
      CUDA_CHECK_LAUNCH("kintner");
      list += orders;
    }
  });
}

std::vector<std::complex<double>> moments_of(const Problem& problem) {
  std::vector<double> real(problem.real.size());
  std::vector<double> imaginary(problem.imaginary.size());
  CUDA_CHECK(
      cudaMemcpy(real.data(), problem.real.data(), problem.real.bytes(), cudaMemcpyDeviceToHost));
  CUDA_CHECK(cudaMemcpy(imaginary.data(), problem.imaginary.data(), problem.imaginary.bytes(),
                        cudaMemcpyDeviceToHost));
  std::vector<std::complex<double>> moments;
  for (std::size_t i = 0; i < real.size(); ++i) moments.emplace_back(real[i], imaginary[i]);
  return moments;
}

}  // namespace

std::string_view kintner_strategy_name(KintnerStrategy strategy) {
  switch (strategy) {
    case KintnerStrategy::kStoreAndReduce:
      return "S1";
    case KintnerStrategy::kCopies:
      return "S1:copies";
    case KintnerStrategy::kAllocations:
      return "S1:allocations";
    case KintnerStrategy::kAtomic:
      return "S2";
    case KintnerStrategy::kAtomicConstant:
      return "S3";
    case KintnerStrategy::kFourfold:
      return "S4";
    case KintnerStrategy::kEightfold:
      return "S5";
  }
  return "";
}

Result kintner_moments(KintnerStrategy strategy, int order, int k, std::span<const double> image,
                       int size) {
  if (order / 2 + 1 > kMostCoefficients) {
    throw UsageError("order " + std::to_string(order) + "; constant memory supports orders to " +
                     std::to_string(2 * kMostCoefficients - 1));
  }
  const Stream stream;
  const double side = static_cast<double>(size) * k;
  Problem problem{order, 4.0 / (side * side), {}, {}, {}, {}};
  std::vector<Coefficients> coefficients;
  for (int m = 0; m <= order; ++m) {
    const auto list = kintner_coefficients(m, order);
    coefficients.insert(coefficients.end(), list.begin(), list.end());
  }
  problem.coefficients = to_device(coefficients);
  problem.real = DeviceBuffer<double>(coefficients.size());
  problem.imaginary = DeviceBuffer<double>(coefficients.size());
  Result result;
  if (strategy == KintnerStrategy::kFourfold || strategy == KintnerStrategy::kEightfold) {
    const bool four = strategy == KintnerStrategy::kFourfold;
    const FoldedDisk disk = four ? fold_quadrant(image, size, k) : fold_octant(image, size, k);
    const int samples = static_cast<int>(disk.samples.size());
    problem.samples = to_device(disk.samples);
    const auto images = to_device(disk.images);
    result.bytes = problem.samples.bytes() + images.bytes();
    result.seconds =
        four ? add_atomically<true>(problem, FourSource{images.data(), samples}, stream)
             : add_atomically<true>(problem, EightSource{images.data(), samples}, stream);
  } else {
    const WholeDisk disk = whole_disk(image, size, k);
    problem.samples = to_device(disk.samples);
    const auto values = to_device(disk.values);
    const bool store =
        strategy != KintnerStrategy::kAtomic && strategy != KintnerStrategy::kAtomicConstant;
    result.bytes = problem.samples.bytes() + values.bytes() +
                   (store ? static_cast<std::size_t>(order / 2 + 1) * 2 * values.bytes() : 0);
    const WholeSource source{values.data()};
    result.seconds = store ? store_and_reduce(strategy, problem, source, stream)
                     : strategy == KintnerStrategy::kAtomic
                         ? add_atomically<false>(problem, source, stream)
                         : add_atomically<true>(problem, source, stream);
  }
  result.moments = moments_of(problem);
  return result;
}

std::vector<KernelUse> kintner_kernels() {
  return {use_of("S1 kintner, stores", kintner<false, WholeSource, Store>, kThreads),
          reduction_use("S1 reduce"),
          use_of("S2 kintner, atomics", kintner<false, WholeSource, AtomicSum>, kThreads),
          use_of("S3 kintner, constant memory", kintner<true, WholeSource, AtomicSum>, kThreads),
          use_of("S4 kintner, four-fold", kintner<true, FourSource, AtomicSum>, kThreads),
          use_of("S5 kintner, eight-fold", kintner<true, EightSource, AtomicSum>, kThreads)};
}

}  // namespace leafglyph::gpu::published
