#include "features/plan/algorithm.h"

#include <cstddef>

#include "features/base/errors.h"
#include "features/base/names.h"

namespace leafglyph {
namespace {

constexpr Names<Algorithm, 6> kAlgorithms = {"algorithm",
                                             {{{Algorithm::kSeparable, "separable"},
                                               {Algorithm::kFolded, "folded"},
                                               {Algorithm::kPolar, "polar"},
                                               {Algorithm::kRings, "rings"},
                                               {Algorithm::kPixelSums, "pixel-sums"},
                                               {Algorithm::kAxes, "axes"}}}};

constexpr std::size_t kMostBasisBytes = std::size_t{512} << 20;

bool basis_is_too_large(const MomentSpec& spec, const ArraySize& size) {
  const std::size_t octant = size.elements() / 10;  // pi / 32 of the square
  // 2 factors a moment and octant pixel for even m, 4 for odd m
  const std::size_t factors = 3 * moment_count(spec, size) * octant;
  return factors * sizeof(double) > kMostBasisBytes;
}

}  // namespace

std::string_view algorithm_name(Algorithm algorithm) { return name_of(kAlgorithms, algorithm); }

Algorithm forward_algorithm(const MomentSpec& spec, const ArraySize& size, Backend backend) {
  if (!is_inscribed_textbook(spec.convention)) return Algorithm::kPixelSums;
  if (!is_circular(spec.family)) return Algorithm::kAxes;
  const bool adaptive = spec.method == Method::kAdaptive;
  if (spec.family == Family::kZernike && !adaptive) {
    // By tools/bench/bench_algorithms, 24 x 24 to 512 x 512 pixels, order 8 to 2000: up to 14 times
    // as fast as the others on the CPU, 15 % slower in one corner (24 x 24 pixels in float); on a
    // GPU 1.3 to 2.8 times, but for batches of low orders, where folded products are ten times as
    // fast.
    const bool folded = backend == Backend::kCuda && spec.method != Method::kExact &&
                        !basis_is_too_large(spec, size);
    return folded ? Algorithm::kFolded : Algorithm::kSeparable;
  }
  // A stored basis has one order for n and m.
  if (adaptive || spec.angular_order || basis_is_too_large(spec, size)) {
    return spec.family == Family::kBesselFourier ? Algorithm::kRings : Algorithm::kPolar;
  }
  return Algorithm::kFolded;
}

Algorithm backward_algorithm(const MomentSpec& spec) {
  if (!is_inscribed_textbook(spec.convention)) {
    throw UsageError("moments of convention " + describe(spec.convention) +
                     " give no images back; those of the textbook on the inscribed circle do");
  }
  if (!is_circular(spec.family)) return Algorithm::kAxes;
  if (spec.family == Family::kBesselFourier) return Algorithm::kRings;
  return spec.family == Family::kZernike ? Algorithm::kSeparable : Algorithm::kPolar;
}

}  // namespace leafglyph
