// Legendre and Jacobi moments of batches on one GPU.
#pragma once

#include <memory>

#include "features/engine/moment_engine.h"
#include "gpu/devices.h"

namespace leafglyph {

/// Two separable products for a whole batch, by cuBLAS in double (kExact) or float (kFast). Throws
/// UsageError for a family on the disk.
std::unique_ptr<MomentEngine> make_gpu_jacobi_engine(const MomentSpec& spec, int image_size,
                                                     Precision precision, const GpuDevice& gpu);

}  // namespace leafglyph
