#include "gpu/cuda/gpu_device.h"

namespace leafglyph::gpu {

std::string gpu_text(const GpuDevice& gpu) {
  return "GPU " + gpu.name + " (cuda:" + std::to_string(gpu.index) + ")";
}

}  // namespace leafglyph::gpu
