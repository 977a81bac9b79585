// Distributes batches among several GPUs.
#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "features/plan/transform.h"
#include "gpu/cuda/gpu_device.h"

namespace leafglyph::gpu {

/// Whether `gpus` GPUs that share the repetitions of an image are at least 1.3 times as fast as one
/// of them, which takes `image_seconds`.
bool share_pays(double image_seconds, std::size_t gpus);

/// One transform per GPU. GPUs of one name take equal parts of a batch. Others fetch parts until
/// none is left: large ones first, smaller ones towards the end, so that GPUs of different speeds
/// finish together. A batch in the memory of a GPU is computed on that GPU; throws UsageError if it
/// is not one of `gpus`. Of fewer images than GPUs, each is shared by its repetitions, if the
/// transforms are RepetitionTransforms and share_pays; otherwise one image runs on the first GPU.
/// `threads`: those that the host may use; `image_seconds`: what an image costs one GPU (cost_of).
/// Exceptions of `make` are passed on. The
/// first failure is rethrown.
std::shared_ptr<ForwardTransform> share_forward(
    const std::vector<GpuDevice>& gpus, int threads, double image_seconds,
    const std::function<std::shared_ptr<ForwardTransform>(const GpuDevice&)>& make);

/// The same for computing images from moments, of which each image runs on one GPU.
std::shared_ptr<BackwardTransform> share_backward(
    const std::vector<GpuDevice>& gpus, int threads,
    const std::function<std::shared_ptr<BackwardTransform>(const GpuDevice&)>& make);

}  // namespace leafglyph::gpu
