// The transform of features/zernike/ridge_forward.h on a GPU.
#pragma once

#include <memory>

#include "features/plan/transform.h"
#include "gpu/cuda/gpu_device.h"

namespace leafglyph::gpu {

/// In double on one GPU, without atomics. Memory: about 256 T^2 bytes. Throws Error when the GPU's
/// memory, or its shared memory for orders of several thousand, does not suffice.
std::shared_ptr<ForwardTransform> make_ridge_forward(const MomentSpec& spec, int image_size,
                                                     const GpuDevice& gpu);

}  // namespace leafglyph::gpu
