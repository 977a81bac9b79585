// The engine of features/zernike/polar_engine.h on a GPU.
#pragma once

#include <memory>

#include "features/engine/moment_engine.h"
#include "gpu/devices.h"

namespace leafglyph {

/// The polar transform in double on one GPU, without a stored basis and without atomics: results do
/// not depend on the run. Memory: 36 bytes for each of at most 16 million points at a time, and
/// partial sums of 512 repetitions. Errors as make_direct_moment_engine, and Error when the GPU's
/// memory does not suffice.
std::unique_ptr<MomentEngine> make_direct_gpu_engine(const MomentSpec& spec, int image_size,
                                                     const GpuDevice& gpu);

}  // namespace leafglyph
