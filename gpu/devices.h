// The GPUs of this machine, and the one place that decides which of them an engine uses.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "features/engine/moment_engine.h"

namespace leafglyph {

/// One GPU that this build can use.
struct GpuDevice {
  int index = 0;  ///< the i of cuda:i
  std::string name;
  int compute_major = 0;
  int compute_minor = 0;
  int multiprocessors = 0;
  std::size_t memory_bytes = 0;
};

/// What was found. `devices` is empty exactly when `reason` says why no GPU can be used (CUDA not
/// built in, no driver, driver too old, no GPU, no machine code for the GPU).
struct GpuInventory {
  std::vector<GpuDevice> devices;
  std::string reason;
};

/// Looks for usable GPUs. Never throws for want of one.
GpuInventory find_gpus();

/// The GPUs to run on: empty means the CPU. kCpu gives none; kAuto gives the first usable GPU, or
/// none with the reason in `reason`; kCuda gives the GPU of that index (every usable GPU for -1)
/// and throws Error when there is no such GPU.
std::vector<GpuDevice> select_gpus(const DeviceChoice& choice, std::string& reason);

}  // namespace leafglyph
