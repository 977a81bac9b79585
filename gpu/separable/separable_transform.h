// Zernike moments and images from them by separation of variables on one GPU
// (features/separable/separable_transform.h).
#pragma once

#include <memory>

#include "features/plan/algorithm.h"
#include "gpu/cuda/gpu_device.h"

namespace leafglyph::gpu {

/// Zernike moments under every method but the adaptive one, both masks, any order, image by image
/// in double. Throws UsageError for another spec, Error when the GPU's memory does not suffice.
std::shared_ptr<ForwardTransform> make_separable_forward(const MomentSpec& spec, int image_size,
                                                         const GpuDevice& gpu);

/// Images from Zernike moments at the centres of the pixels that count, in double.
std::shared_ptr<BackwardTransform> make_separable_backward(const MomentSpec& spec, int image_size,
                                                           const GpuDevice& gpu);

extern const Algorithm<GpuDevice> kSeparable;

}  // namespace leafglyph::gpu
