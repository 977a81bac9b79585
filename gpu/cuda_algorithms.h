// The registry of algorithms for GPUs.
#pragma once

#include <span>

#include "features/plan/algorithm.h"
#include "gpu/cuda/gpu_device.h"

namespace leafglyph::gpu {

using CudaAlgorithm = Algorithm<GpuDevice>;

/// In order of preference: the first that supports a request is used. Empty in a build without
/// CUDA.
std::span<const CudaAlgorithm* const> cuda_algorithms();

}  // namespace leafglyph::gpu
