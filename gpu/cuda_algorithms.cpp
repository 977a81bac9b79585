#include "gpu/cuda_algorithms.h"

#include <array>

#include "gpu/ball/ball_transform.h"
#include "gpu/bessel_fourier/ring_transform.h"
#include "gpu/folded/folded_forward.h"
#include "gpu/jacobi/axis_transform.h"
#include "gpu/separable/separable_transform.h"
#include "gpu/zernike/polar_transform.h"

namespace leafglyph::gpu {

std::span<const CudaAlgorithm* const> cuda_algorithms() {
  static constexpr std::array<const CudaAlgorithm*, 7> kAlgorithms = {
      &kAxisBatch, &kAxes, &kBall, &kFolded, &kSeparable, &kRings, &kPolar};
  return kAlgorithms;
}

}  // namespace leafglyph::gpu
