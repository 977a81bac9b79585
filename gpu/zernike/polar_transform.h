// The transforms of features/zernike/polar_transform.h on a GPU.
#pragma once

#include <memory>

#include "features/plan/algorithm.h"
#include "features/plan/transform.h"
#include "gpu/cuda/gpu_device.h"

namespace leafglyph::gpu {

/// Transforms in double on one GPU, without a stored basis and without atomics, so that results are
/// reproducible. Memory: 36 bytes for each of at most 16 million points at a time, and partial sums
/// of 512 repetitions. Throws Error if the GPU's memory does not suffice.
std::shared_ptr<ForwardTransform> make_polar_forward(const MomentSpec& spec, int image_size,
                                                     const GpuDevice& gpu);

/// Both directions: moments by make_polar_forward and images by make_polar_backward.
extern const Algorithm<GpuDevice> kPolar;

/// Transforms in double on one GPU. Throws Error if the GPU's memory does not suffice.
std::shared_ptr<BackwardTransform> make_polar_backward(const MomentSpec& spec, int image_size,
                                                       const GpuDevice& gpu);

}  // namespace leafglyph::gpu
