// The exact Zernike moments of features/zernike/ridge_engine.h on a GPU.
#pragma once

#include <memory>

#include "features/engine/moment_engine.h"
#include "gpu/devices.h"

namespace leafglyph {

/// The ridge transform in double on one GPU, without atomics. Memory: about 256 T^2 bytes. Errors
/// as make_exact_moment_engine, and Error when the GPU's memory, or its shared memory for orders of
/// several thousand, does not suffice.
std::unique_ptr<MomentEngine> make_exact_gpu_engine(const MomentSpec& spec, int image_size,
                                                    const GpuDevice& gpu);

}  // namespace leafglyph
