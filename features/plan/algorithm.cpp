#include "features/plan/algorithm.h"

#include <cstddef>

namespace leafglyph {
namespace {

constexpr std::size_t kMaxBasisBytes = std::size_t{512} << 20;

bool basis_is_too_large(const MomentSpec& spec, const ArraySize& size) {
  const std::size_t octant = size.elements() / 10;  // pi / 32 of the square
  // 2 factors a moment and octant pixel for even m, 4 for odd m
  const std::size_t factors = 3 * moment_count(spec, size) * octant;
  return factors * sizeof(double) > kMaxBasisBytes;
}

}  // namespace

std::string_view algorithm_name(Algorithm algorithm) {
  switch (algorithm) {
    case Algorithm::kFolded:
      return "folded";
    case Algorithm::kPolar:
      return "polar";
    case Algorithm::kRidge:
      return "ridge";
    case Algorithm::kRings:
      return "rings";
    case Algorithm::kSeparable:
      break;
  }
  return "separable";
}

Algorithm forward_algorithm(const MomentSpec& spec, const ArraySize& size) {
  if (!is_circular(spec.family)) return Algorithm::kSeparable;
  if (spec.method == Method::kExact) return Algorithm::kRidge;
  // A stored basis has one order for n and m.
  if (spec.method == Method::kAdaptive || spec.angular_order || basis_is_too_large(spec, size)) {
    return spec.family == Family::kBesselFourier ? Algorithm::kRings : Algorithm::kPolar;
  }
  return Algorithm::kFolded;
}

Algorithm backward_algorithm(Family family) {
  if (!is_circular(family)) return Algorithm::kSeparable;
  return family == Family::kBesselFourier ? Algorithm::kRings : Algorithm::kPolar;
}

}  // namespace leafglyph
