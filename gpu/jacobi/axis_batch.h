// Legendre and Jacobi moments of batches of images on a GPU.
#pragma once

#include "features/plan/algorithm.h"
#include "gpu/cuda/gpu_device.h"

namespace leafglyph::gpu {

/// Two products for a whole batch, by cuBLAS in double or float, of images whose square of orders
/// is small.
extern const Algorithm<GpuDevice> kAxisBatch;

}  // namespace leafglyph::gpu
