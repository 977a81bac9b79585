// The reconstruction of features/engine/reconstructor.h on a GPU.
#pragma once

#include <memory>

#include "features/engine/reconstructor.h"
#include "gpu/devices.h"

namespace leafglyph {

/// Errors as make_cpu_reconstructor, and Error when the GPU's memory does not suffice.
std::unique_ptr<Reconstructor> make_gpu_reconstructor(const MomentSpec& spec, int image_size,
                                                      const GpuDevice& gpu);

}  // namespace leafglyph
