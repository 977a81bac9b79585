// Batches shared among several GPUs.
#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "features/plan/transform.h"
#include "gpu/cuda/gpu_device.h"

namespace leafglyph::gpu {

/// One transform a GPU. Each takes parts of a batch until none is left: large
/// ones first, smaller ones towards the end, so that GPUs of different speed end together. A batch
/// in the memory of a GPU is done there; UsageError when it lies in that of none of `gpus`.
/// `make` throws what it likes; the first failure is thrown on.
std::shared_ptr<ForwardTransform> share_forward(
    const std::vector<GpuDevice>& gpus,
    const std::function<std::shared_ptr<ForwardTransform>(const GpuDevice&)>& make);

/// The same for images from moments.
std::shared_ptr<BackwardTransform> share_backward(
    const std::vector<GpuDevice>& gpus,
    const std::function<std::shared_ptr<BackwardTransform>(const GpuDevice&)>& make);

}  // namespace leafglyph::gpu
