// The GPUs of this machine that this build supports.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace leafglyph::gpu {

/// A GPU that this build supports.
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

/// The result of a search for GPUs. `devices` is empty exactly if `reason` says why no GPU can be
/// used (CUDA not built in, no driver, driver too old, no GPU, no machine code for the GPU).
struct GpuInventory {
  std::vector<GpuDevice> devices;
  std::string reason;
};

/// Searches for usable GPUs. Does not throw if there are none.
GpuInventory find_gpus();

/// The index of the GPU whose memory contains the address; -1 if it is not GPU memory.
int gpu_of_memory(const void* address);

}  // namespace leafglyph::gpu
