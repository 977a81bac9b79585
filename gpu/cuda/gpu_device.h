// The GPUs of this machine that this build can use.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace leafglyph::gpu {

/// One GPU that this build can use.
struct GpuDevice {
  int index = 0;  ///< the i of cuda:i
  std::string name;
  int compute_major = 0;
  int compute_minor = 0;
  int multiprocessors = 0;
  std::size_t memory_bytes = 0;
};

/// "GPU NVIDIA H200 (cuda:0)"
inline std::string gpu_text(const GpuDevice& gpu) {
  return "GPU " + gpu.name + " (cuda:" + std::to_string(gpu.index) + ")";
}

/// What was found. `devices` is empty exactly when `reason` says why no GPU can be used (CUDA not
/// built in, no driver, driver too old, no GPU, no machine code for the GPU).
struct GpuInventory {
  std::vector<GpuDevice> devices;
  std::string reason;
};

/// Looks for usable GPUs. Never throws for want of one.
GpuInventory find_gpus();

/// The index of the GPU in whose memory the address lies; -1 when it lies in none's.
int gpu_of_memory(const void* address);

}  // namespace leafglyph::gpu
