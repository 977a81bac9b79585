// Distributes batches among several GPUs.
#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "features/plan/transform.h"
#include "gpu/cuda/gpu_device.h"

namespace leafglyph::gpu {

/// Whether `gpus` GPUs that share the repetitions of an image are at least 1.3 times as fast as one
/// of them, which takes `image_seconds`, apart from copies, which all of them make.
bool share_pays(double image_seconds, std::size_t gpus);

/// One transform per GPU. Each fetches parts of a batch until none is left: large parts first,
/// smaller ones towards the end, so that GPUs of different speeds finish together. A batch in the
/// memory of a GPU is computed on that GPU; throws UsageError if it is not one of `gpus`. Of fewer
/// images than GPUs, each is shared by its repetitions, if the transforms are
/// RepetitionTransforms and share_pays; otherwise one image runs on the first GPU.
/// Exceptions of `make` are passed on. The first failure is rethrown.
std::shared_ptr<ForwardTransform> share_forward(
    const std::vector<GpuDevice>& gpus,
    const std::function<std::shared_ptr<ForwardTransform>(const GpuDevice&)>& make);

/// The same for computing images from moments.
std::shared_ptr<BackwardTransform> share_backward(
    const std::vector<GpuDevice>& gpus,
    const std::function<std::shared_ptr<BackwardTransform>(const GpuDevice&)>& make);

}  // namespace leafglyph::gpu
