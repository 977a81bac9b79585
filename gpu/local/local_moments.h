// Zernike moments about every pixel on a GPU.
#pragma once

#include <memory>

#include "features/local/local_moments.h"
#include "gpu/cuda/gpu_device.h"

namespace leafglyph::gpu {

/// The sums of features/local on a GPU, in double. Throws what LocalMoments throws.
std::unique_ptr<LocalMoments> make_local_moments(const LocalSpec& spec, int width, int height,
                                                 const GpuDevice& gpu);

}  // namespace leafglyph::gpu
