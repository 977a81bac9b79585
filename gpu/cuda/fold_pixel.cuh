// Folds one pixel on the GPU.
#pragma once

namespace leafglyph::gpu {

/// Computes the eight folded sums of a pixel from its mirror images, in the order of FoldOutputs
/// (features/kernels/fold_kernels.h).
template <class T>
__device__ void fold_pixel(const T (&f)[8], T (&sums)[8]) {
  const T plus18 = f[0] + f[7];
  const T minus18 = f[0] - f[7];
  const T plus45 = f[3] + f[4];
  const T minus45 = f[3] - f[4];
  const T plus27 = f[1] + f[6];
  const T minus27 = f[1] - f[6];
  const T plus36 = f[2] + f[5];
  const T minus36 = f[2] - f[5];
  sums[0] = (plus18 + plus45) + (plus27 + plus36);
  sums[1] = (minus18 - minus45) - (minus27 - minus36);
  sums[2] = (plus18 + plus45) - (plus27 + plus36);
  sums[3] = (minus18 - minus45) + (minus27 - minus36);
  sums[4] = plus18 - plus45;
  sums[5] = plus27 - plus36;
  sums[6] = minus18 + minus45;
  sums[7] = minus27 + minus36;
}

}  // namespace leafglyph::gpu
