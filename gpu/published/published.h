// The literature's CUDA kernels for Zernike moments of one image, written anew from their
// descriptions, for side-by-side benchmarks and tests only. All compute in double, k = 1.
#pragma once

#include <complex>
#include <span>
#include <string_view>
#include <vector>

#include "features/moments/moment_spec.h"

namespace leafglyph::gpu::published {

/// Moments in storage order and the GPU time of the kernels that made them, copies left out.
struct Result {
  std::vector<std::complex<double>> moments;
  double seconds = 0.0;
};

/// One kernel launch a repetition m, radial polynomials by Kintner's recurrence upwards in n. In
/// all of them a thread works for the mirror images of its sample, too: eight, or four in (d). The
/// literature's (a) to (c) have a thread for each sample of the disk, eight times the work. They
/// differ in how products reach their sum:
enum class KintnerVariant {
  kStoreAndReduce,  ///< (a) every thread stores its terms, a second kernel reduces them in parallel
  kAtomic,          ///< (b) every thread adds its terms with atomics; coefficients in global memory
  kAtomicConstant,  ///< (c) as (b), coefficients in constant memory, hardware sine and cosine
  kFourfold,        ///< (d) as (c), a thread a sample of a quadrant of four recomposed images
  kEightfold,       ///< (e) as (c), a thread a sample of an octant of eight recomposed images
};
std::string_view kintner_variant_name(KintnerVariant variant);

/// Zernike moments to `order` of one size x size image (rows from the top). Hardware sine and
/// cosine are float instructions: variants (c), (d), (e) carry errors near 1e-6.
Result kintner_moments(KintnerVariant variant, int order, std::span<const double> image, int size);

/// The image re-laid out as eight arrays of octant samples, a thread a sample, radial polynomials
/// as factorial sums with the factorials in constant memory: orders to kLargestFactorialOrder.
inline constexpr int kLargestFactorialOrder = 34;
/// The single moment (n, m).
Result factorial_moment(int n, int m, std::span<const double> image, int size);
/// The moments of order n alone, by m.
Result factorial_order(int n, std::span<const double> image, int size);

/// Deng's recursion, a thread a pixel, blocks reduced in shared memory, the disk cut into parts
/// whose rows of radial values fit `scratch_bytes` of GPU memory. Zernike or pseudo-Zernike.
Result deng_moments(Family family, int order, std::span<const double> image, int size,
                    std::size_t scratch_bytes);

}  // namespace leafglyph::gpu::published
