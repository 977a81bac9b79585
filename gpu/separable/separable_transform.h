// Zernike moments, and images from them, by separation of variables on one GPU
// (features/separable/separable_transform.h).
#pragma once

#include <memory>

#include "features/plan/algorithm.h"
#include "gpu/cuda/gpu_device.h"

namespace leafglyph::gpu {

/// Zernike moments in double by every method except the adaptive one, for both masks and any order,
/// image by image. Throws UsageError for another spec, and Error if the GPU's memory does not
/// suffice.
std::shared_ptr<ForwardTransform> make_separable_forward(const MomentSpec& spec, int image_size,
                                                         const GpuDevice& gpu);

/// Images from Zernike moments in double, at the centres of the pixels that count.
std::shared_ptr<BackwardTransform> make_separable_backward(const MomentSpec& spec, int image_size,
                                                           const GpuDevice& gpu);

extern const Algorithm<GpuDevice> kSeparable;

}  // namespace leafglyph::gpu
