// Legendre and Jacobi moments of batches of images on a GPU.
#pragma once

#include <memory>

#include "features/plan/transform.h"
#include "gpu/cuda/gpu_device.h"

namespace leafglyph::gpu {

/// Whether the batches' products serve the spec: images whose square of orders is small.
bool serves_batches(const MomentSpec& spec, const ArraySize& size);

/// Two products for a whole batch, by cuBLAS in double or float. serves_batches(spec, size).
std::shared_ptr<ForwardTransform> make_axis_batch(const MomentSpec& spec, const ArraySize& size,
                                                  Precision precision, const GpuDevice& gpu);

}  // namespace leafglyph::gpu
