// The registry of GPUs.
#pragma once

#include <span>

#include "features/plan/algorithm.h"
#include "gpu/cuda/gpu_device.h"

namespace leafglyph::gpu {

using CudaAlgorithm = Algorithm<GpuDevice>;

/// The first row that serves is taken; none in a build without CUDA.
std::span<const CudaAlgorithm* const> cuda_algorithms();

}  // namespace leafglyph::gpu
