// The GPUs of this machine that this build supports.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace leafglyph::gpu {

/// A GPU that this build supports by its compute capability.
struct GpuDevice {
  int index = 0;   ///< CUDA's number of it in this process
  int number = 0;  ///< the i of cuda:i (visible_gpus.h)
  std::string name;
  int compute_major = 0;
  int compute_minor = 0;
  int multiprocessors = 0;
  std::size_t memory_bytes = 0;
};

/// "GPU NVIDIA H200 (cuda:0)"
inline std::string gpu_text(const GpuDevice& gpu) {
  return "GPU " + gpu.name + " (cuda:" + std::to_string(gpu.number) + ")";
}

/// The result of a search for GPUs. `devices` is empty exactly if `reason` says why no GPU can be
/// used (CUDA not built in, no driver, driver too old, no GPU, no machine code for the GPU, a GPU
/// that fails or is in use).
struct GpuInventory {
  std::vector<GpuDevice> devices;
  std::string reason;
};

/// Searches for GPUs that this build supports, without using any: a context on each would take
/// tenths of a second. Does not throw if there are none.
GpuInventory find_gpus();

/// Why the GPU cannot be used; empty if it can. Makes a context on it.
std::string problem_of(const GpuDevice& gpu);

/// Whether this process has a context on that GPU.
bool has_context(int index);

/// The index of the GPU whose memory contains the address; -1 if it is not GPU memory.
int gpu_of_memory(const void* address);

}  // namespace leafglyph::gpu
