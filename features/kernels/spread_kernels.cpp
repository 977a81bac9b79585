#include "features/kernels/spread_kernels.h"

#include <cmath>

#include "features/kernels/polynomial_fit.h"

namespace leafglyph {

extern const TransformKernels kTransforms_x86_64;
extern const TransformKernels kTransforms_avx2;
extern const TransformKernels kTransforms_avx512;

ArcsineSeries::ArcsineSeries() {
  const auto fitted = fit_polynomial(
      [](long double offset) {
        const long double z = 0.125L + offset;
        const long double root = std::sqrt(z);
        return root > 0 ? std::asin(root) / root : 1.0L;
      },
      kTerms - 1, 0.125L);
  for (int d = 0; d < kTerms; ++d) coefficient[d] = fitted[static_cast<std::size_t>(d)];
}

const TransformKernels& transform_kernels() {
  if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq")) {
    return kTransforms_avx512;
  }
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) return kTransforms_avx2;
  return kTransforms_x86_64;
}

}  // namespace leafglyph
