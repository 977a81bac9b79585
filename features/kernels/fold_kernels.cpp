#include "features/kernels/fold_kernels.h"

namespace leafglyph {

extern const CpuKernels kKernels_x86_64;
extern const CpuKernels kKernels_avx2;
extern const CpuKernels kKernels_avx512;

const CpuKernels& cpu_kernels() {
  if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") &&
      __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512bw")) {
    return kKernels_avx512;
  }
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) return kKernels_avx2;
  return kKernels_x86_64;
}

}  // namespace leafglyph
