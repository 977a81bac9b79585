// The literature's CUDA kernels for moments of one image or volume, written anew from their
// descriptions, for side-by-side benchmarks and tests only.
#pragma once

#include <complex>
#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "features/moments/moment_spec.h"
#include "features/plan/transform.h"

namespace leafglyph::gpu::published {

/// GPU seconds of one step.
struct Step {
  std::string name;
  double seconds = 0.0;
};

/// Moments in storage order and the GPU time of the kernels that made them, copies left out.
struct Result {
  std::vector<std::complex<double>> moments;
  double seconds = 0.0;
  std::vector<Step> steps = {};  ///< where kernels are timed one by one
  std::size_t bytes = 0;         ///< of GPU memory for samples, tables and terms
};

/// What a kernel takes of a multiprocessor of the current GPU.
struct KernelUse {
  std::string name;
  int threads = 0;    ///< a block
  int registers = 0;  ///< a thread
  std::size_t shared_bytes = 0;
  double occupancy = 0.0;  ///< 0..1, of full multiprocessors
};

/// Zernike moments, one kernel launch a repetition m, radial polynomials by Kintner's recurrence
/// upwards in n, in double. Strategies S1 to S5: one thread per sample of the disk in S1 to S3, per
/// sample of a quadrant of the four folded images in S4, per sample of an octant of the eight in
/// S5.
enum class KintnerStrategy {
  kStoreAndReduce,  ///< S1: threads store their terms, a second kernel reduces them in parallel
  kAtomic,          ///< S2: threads add with atomics; coefficients in global memory
  kAtomicConstant,  ///< S3: as S2, coefficients in constant memory, hardware sine and cosine
  kFourfold,        ///< S4: as S3 with four-fold symmetry
  kEightfold,       ///< S5: as S3 with eight-fold symmetry
};
std::string_view kintner_strategy_name(KintnerStrategy strategy);  ///< "S1" to "S5"
/// Moments to `order` of one size x size image (rows from the top) at k x k sub-pixel centres.
/// Hardware sine and cosine are float instructions: S3, S4 and S5 carry errors near 1e-6.
Result kintner_moments(KintnerStrategy strategy, int order, int k, std::span<const double> image,
                       int size);
std::vector<KernelUse> kintner_kernels();

/// Factorial sums with the factorials in constant memory: orders to kLargestFactorialOrder.
inline constexpr int kLargestFactorialOrder = 34;
enum class FactorialMethod {
  kBaseline,  ///< N x N threads, the definition where rho <= 1, factorials worked out in each
  kDirect,  ///< re-layout into eight arrays by its condition, octant images by m mod 4, the map of
            ///< the moment, and its reduction
  kLookup,  ///< the same, re-layout by a table of addresses
};
/// The moments of order n and repetitions first, first + 2, ..., last, one after another; the image
/// is re-laid out once, and its time is steps[0]. Throws UsageError for an odd size, an order above
/// kLargestFactorialOrder, or repetitions that are none of n.
Result factorial_moments(FactorialMethod method, int n, int first, int last,
                         std::span<const double> image, int size);
std::vector<KernelUse> factorial_kernels();
/// The launch of the map for one image.
struct Launch {
  int blocks = 0;
  int threads = 0;
  double occupancy = 0.0;  ///< of the multiprocessor with the most blocks, 0..1
};
Launch factorial_launch(int size);

/// Deng's recursion on the octant: tables of rho^k and e^{-j k theta} of each sample, a thread a
/// sample that stores the terms of all moments, and a block a moment that adds them up; the samples
/// in parts for which `scratch_bytes` suffice (0: what is free). Zernike or pseudo-Zernike, in
/// float or double.
Result deng_moments(Family family, Precision precision, int order, int k,
                    std::span<const double> image, int size, std::size_t scratch_bytes);
/// Bytes of tables and terms of one sample.
std::size_t deng_sample_bytes(Family family, Precision precision, int order);
std::vector<KernelUse> deng_kernels();

/// Bessel-Fourier moments by five kernels: radius, angle, J_1, e^{-j m theta}, and the tiled
/// product over the samples of an octant, for -order <= m <= order. `back`: the image from them,
/// too, by the reconstruction kernel, into `reconstruction` (size x size; empty: not wanted).
Result bessel_fourier_moments(Precision precision, int order, int k, std::span<const double> image,
                              int size, std::span<double> reconstruction = {});
std::vector<KernelUse> bessel_fourier_kernels();

/// Jacobi moments of a volume of size^3 (size^2: depth 1), n, m, o <= order each for itself, in
/// float, by kernels for the polynomials (k sub-regions an axis), their transpose, and tiled
/// products of a matrix with a cuboid, three for the moments and three back. Coefficients of
/// orthonormal polynomials; moment (n, m, o) at (o * (order + 1) + m) * (order + 1) + n of
/// `values`.
struct JacobiResult {
  std::vector<float> values;
  std::vector<float> volume;  ///< reconstructed from those with n + m + o <= order
  double seconds = 0.0;       ///< of both directions
  std::vector<Step> steps;
};
JacobiResult jacobi_moments(const JacobiWeight& weight, int order, int k,
                            std::span<const float> volume, int size, int depth);
std::vector<KernelUse> jacobi_kernels();

}  // namespace leafglyph::gpu::published
