// The transform of features/ball/ball_transform.h on a GPU.
#pragma once

#include <memory>

#include "features/plan/algorithm.h"
#include "gpu/cuda/gpu_device.h"

namespace leafglyph::gpu {

/// Volumes in groups, in double or float. The upload of a group overlaps with the sums of the one
/// before, from page-locked memory without the host.
std::shared_ptr<TwoWayTransform> make_ball_transform(const MomentSpec& spec, const ArraySize& size,
                                                     Precision precision, const GpuDevice& gpu);

extern const Algorithm<GpuDevice> kBall;

}  // namespace leafglyph::gpu
