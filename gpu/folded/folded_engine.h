// The GPU engine for batches: the same folded products as the CPU engine, on one or more GPUs.
#pragma once

#include <memory>
#include <vector>

#include "features/engine/moment_engine.h"
#include "gpu/devices.h"

namespace leafglyph {

/// The GPU engine for spec, size and precision; a batch is shared among `gpus` (at least one, from
/// select_gpus). Throws UsageError as make_moment_engine, and Error when the tables do not fit the
/// GPU's memory (saying how much they need and what there is).
std::unique_ptr<MomentEngine> make_gpu_moment_engine(const MomentSpec& spec, int image_size,
                                                     Precision precision,
                                                     const std::vector<GpuDevice>& gpus);

}  // namespace leafglyph
