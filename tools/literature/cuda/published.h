// The literature's CUDA kernels for moments of one image or volume, implemented from their
// descriptions. For side-by-side benchmarks and tests only.
#pragma once

#include <complex>
#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "features/moments/moment_spec.h"
#include "features/plan/transform.h"
#include "gpu/cuda/gpu_device.h"
#include "tools/literature/cpu/sample_tables.h"

namespace leafglyph::gpu::published {

/// GPU seconds of one step.
struct Step {
  std::string name;
  double seconds = 0.0;
};

/// Moments in storage order, and the GPU time of the kernels that computed them, without copies.
struct Result {
  std::vector<std::complex<double>> moments;
  double seconds = 0.0;
  std::vector<Step> steps = {};  ///< if the kernels are timed separately
  std::size_t bytes = 0;         ///< GPU memory for samples, tables and terms
  /// Seconds of the copies of a step's arrays between the memory of the host and of the GPU, if its
  /// publication measures them. Not part of `seconds`.
  std::vector<Step> transfers = {};
};

/// The resources that a kernel uses on a multiprocessor of the current GPU.
struct KernelUse {
  std::string name;
  int threads = 0;    ///< per block
  int registers = 0;  ///< per thread
  std::size_t shared_bytes = 0;
  double occupancy = 0.0;  ///< resident share of the multiprocessor's threads, 0..1
};

/// Strategies S1 to S5 for Zernike moments in double. Each repetition m has its own kernel launch,
/// and the radial polynomials come from Kintner's recurrence upwards in n. S1 to S3 use one thread
/// per sample of the disk, S4 one per sample of a quadrant (four folded images), S5 one per sample
/// of an octant (eight folded images).
enum class KintnerStrategy {
  kStoreAndReduce,  ///< S1: threads store their terms, and each moment has its own reduction
  kCopies,          ///< S1, whose terms also go to ordinary memory of the host, moment by moment
  kAllocations,     ///< S1 with arrays of each moment's own, made and freed again
  kAtomic,          ///< S2: threads add with atomics; coefficients in global memory
  kAtomicConstant,  ///< S3: as S2, coefficients in constant memory, hardware sine and cosine
  kFourfold,        ///< S4: as S3 with four-fold symmetry
  kEightfold,       ///< S5: as S3 with eight-fold symmetry
};
/// "S1", "S1:copies", "S1:allocations", "S2" to "S5".
std::string_view kintner_strategy_name(KintnerStrategy strategy);
/// Moments up to `order` of one size x size image (rows from the top) at k x k sub-pixel centres.
/// Sums are in storage order, real and imaginary parts apart, as printed. Hardware sine and cosine
/// are float instructions, so S3, S4 and S5 have errors near 1e-6. Throws UsageError for an order
/// whose coefficients do not fit in constant memory.
Result kintner_moments(KintnerStrategy strategy, int order, int k, std::span<const double> image,
                       int size);
std::vector<KernelUse> kintner_kernels();

/// The highest order of the factorial sums, whose factorials are in constant memory.
inline constexpr int kLargestFactorialOrder = 34;
enum class FactorialMethod {
  kBaseline,   ///< N x N threads apply the definition where rho <= 1; each computes its factorials
  kSymmetric,  ///< as the baseline, by threads of the octant that read eight pixels each (Hwang)
  kDirect,  ///< re-layout into eight arrays by the octant's condition, then octant images by m mod
            ///< 4, the map of the moment with factorials from constant memory, and its reduction
  kLookup,  ///< as kDirect, with the re-layout by a table of addresses: the proposed method, B
  kRelayout,  ///< as kLookup, but each thread computes its factorials: A
};
/// The moments of order n and repetitions first, first + 2, ..., last, one after another. The
/// last three re-lay out the image once, which is steps[0]. Throws UsageError for a size that is
/// odd or below 2, an order outside 0..kLargestFactorialOrder, and repetitions that order n does
/// not have.
Result factorial_moments(FactorialMethod method, int n, int first, int last,
                         std::span<const double> image, int size);
/// The same by kLookup on several GPUs at once, each of which re-lays out and sums an equal part of
/// the octant's places; the host adds the sums. `seconds` are those of the slowest GPU.
Result factorial_moments_on(std::span<const GpuDevice> gpus, int n, int first, int last,
                            std::span<const double> image, int size);
std::vector<KernelUse> factorial_kernels();
/// Zernike moments up to `order` by the q-recursive method (Chong): each order n has its own kernel
/// launch, in which one thread per sample of the disk stores the terms of all repetitions, from m =
/// n downwards; each moment has its own reduction. Throws UsageError for a negative order.
Result q_recursive_moments(int order, std::span<const double> image, int size);
KernelUse q_recursive_kernel();

/// All Zernike moments up to `order` by one launch (Zhao, Kuang, Zhu, Liang, Xuan, Combined kernel
/// for fast GPU computation of Zernike moments, J. Real-Time Image Processing 2020, rebuilt from
/// its abstract: octants as in FactorialMethod::kLookup, and stored coefficients of the radial
/// polynomials). A block sums the terms of one moment and a part of the octant; a second launch
/// sums the parts. steps[0] is the re-layout. Throws UsageError for a size that is odd or below 2
/// and for an order outside 0..kLargestFactorialOrder.
Result combined_moments(int order, std::span<const double> image, int size);
KernelUse combined_kernel();

/// The launch configuration of the octant map for one image.
struct Launch {
  int blocks = 0;
  int threads = 0;
  double occupancy = 0.0;  ///< on the multiprocessor with the most blocks, 0..1
};
Launch factorial_launch(int size);

/// The Origin kernel of the character thesis.
struct OriginResult {
  leafglyph::published::PolarTables tables;
  double seconds = 0.0;
};
OriginResult origin_tables(int size);

/// Zernike or pseudo-Zernike moments by Deng's recurrence on the octant, in float or double. Tables
/// hold rho^k and e^{-j k theta} for each sample, one thread each (Rho, Exp). One thread per sample
/// stores the terms of all moments, and one block per real or imaginary part adds them up. The
/// samples are processed in parts that fit in `scratch_bytes` (0: 90 % of the free GPU memory).
/// Throws UsageError if not even one sample fits, or if order < 1.
Result deng_moments(Family family, Precision precision, int order, int k,
                    std::span<const double> image, int size, std::size_t scratch_bytes);
/// Bytes of the tables and terms for one sample.
std::size_t deng_sample_bytes(Family family, Precision precision, int order);
std::vector<KernelUse> deng_kernels();

/// Bessel-Fourier moments by five kernels: radius, angle, J_1, e^{-j m theta}, and the tiled
/// product over the samples of an octant. The kernels cover -order <= m <= order. If
/// `reconstruction` is not empty (size x size), the reconstruction kernel writes the image rebuilt
/// from the moments into it. The samples are processed in parts that fit in `scratch_bytes` (0:
/// four fifths of the free GPU memory). Transfers are those of the arrays that a kernel reads and
/// writes, as in print, where every table goes through the host; of the image's own tables there
/// are steps of their own. Throws UsageError for an order below 1, or if the zeros of J_1 do not
/// fit in constant memory.
Result bessel_fourier_moments(Precision precision, int order, int k, std::span<const double> image,
                              int size, std::span<double> reconstruction = {},
                              std::size_t scratch_bytes = 0);
std::vector<KernelUse> bessel_fourier_kernels();

/// Where the Jacobi kernels take a sub-region's polynomials and weight: in its middle, as Wang's
/// Eq. 34 and its reconstruction have it, or at its right edge, as line 8 of its Snippet 1.
enum class SampleAt { kMiddle, kRightEdge };
/// Jacobi moments of a volume of size x size x depth voxels, in float, for each of n, m, o up to
/// `order`. depth is size, or 1 for an image, which has o = 0 only. The kernels evaluate the
/// polynomials (k sub-regions per axis), transpose them, and multiply a matrix with a cuboid in
/// tiles: three products for the moments and three for the way back (two each for an image). The
/// moments are coefficients of orthonormal polynomials; moment (n, m, o) is at
/// (o * (order + 1) + m) * (order + 1) + n of `values`. Throws UsageError for a negative order and
/// for k outside 1..64.
struct JacobiResult {
  std::vector<float> values;
  std::vector<float> volume;  ///< reconstructed from the moments with n + m + o <= order
  double seconds = 0.0;       ///< for both directions
  std::vector<Step> steps;
};
JacobiResult jacobi_moments(const JacobiWeight& weight, int order, int k,
                            std::span<const float> volume, int size, int depth,
                            SampleAt at = SampleAt::kMiddle);
std::vector<KernelUse> jacobi_kernels();

}  // namespace leafglyph::gpu::published
