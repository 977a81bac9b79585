#include "features/distance/pairwise_kernels.h"

namespace leafglyph {

extern const PairwiseKernels kPairwise_x86_64;
extern const PairwiseKernels kPairwise_avx2;
extern const PairwiseKernels kPairwise_avx512;

const PairwiseKernels& pairwise_kernels() {
  if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") &&
      __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512bw")) {
    return kPairwise_avx512;
  }
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) return kPairwise_avx2;
  return kPairwise_x86_64;
}

}  // namespace leafglyph
