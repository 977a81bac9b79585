// The transform of features/folded/folded_forward.h on a GPU.
#pragma once

#include <memory>

#include "features/plan/algorithm.h"
#include "gpu/cuda/gpu_device.h"

namespace leafglyph::gpu {

/// A transform on one GPU. Products are computed in double, or in pieces of half precision (kFloat:
/// relative l2 error of at most 1e-6). Batches may be in the GPU's memory. Throws Error if the
/// GPU's memory does not suffice.
std::shared_ptr<ForwardTransform> make_folded_forward(const MomentSpec& spec, int image_size,
                                                      Precision precision, const GpuDevice& gpu);

extern const Algorithm<GpuDevice> kFolded;

}  // namespace leafglyph::gpu
