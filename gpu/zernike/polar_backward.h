// The transform of features/zernike/polar_backward.h on a GPU.
#pragma once

#include <memory>

#include "features/plan/transform.h"
#include "gpu/cuda/gpu_device.h"

namespace leafglyph::gpu {

/// In double on one GPU. Throws Error when the GPU's memory does not suffice.
std::shared_ptr<BackwardTransform> make_polar_backward(const MomentSpec& spec, int image_size,
                                                       const GpuDevice& gpu);

}  // namespace leafglyph::gpu
