#include "gpu/cuda/cuda_raii.h"
#include "gpu/cuda/gpu_device.h"

namespace leafglyph::gpu {
namespace {

// Never launched. A GPU has its attributes exactly if this build contains code for the GPU.
__global__ void probe() {}

std::string version_text(int version) {
  return std::to_string(version / 1000) + "." + std::to_string(version % 1000 / 10);
}

// Why the driver does not support this build; empty if it does.
std::string driver_problem() {
  int driver = 0;
  if (cudaDriverGetVersion(&driver) != cudaSuccess || driver == 0) {
    return "no NVIDIA driver was found on this machine";
  }
  // A driver supports every runtime of its own major version.
  if (driver / 1000 < CUDART_VERSION / 1000) {
    return "the NVIDIA driver supports CUDA " + version_text(driver) + ", this build needs " +
           version_text(CUDART_VERSION / 1000 * 1000);
  }
  return {};
}

}  // namespace

GpuInventory find_gpus() {
  GpuInventory found;
  found.reason = driver_problem();
  if (!found.reason.empty()) return found;
  int count = 0;
  const cudaError_t counted = cudaGetDeviceCount(&count);
  if (counted != cudaSuccess || count == 0) {
    static_cast<void>(cudaGetLastError());
    found.reason = std::string("no NVIDIA GPU can be used: ") +
                   cudaGetErrorString(counted == cudaSuccess ? cudaErrorNoDevice : counted);
    return found;
  }
  int before = 0;
  static_cast<void>(cudaGetDevice(&before));
  for (int index = 0; index < count; ++index) {
    cudaDeviceProp properties{};
    cudaFuncAttributes attributes{};
    cudaError_t status = cudaGetDeviceProperties(&properties, index);
    if (status == cudaSuccess) status = cudaSetDevice(index);
    if (status == cudaSuccess) status = cudaFuncGetAttributes(&attributes, probe);
    if (status != cudaSuccess) {
      static_cast<void>(cudaGetLastError());
      found.reason = "GPU " + std::to_string(index) + " (" + properties.name +
                     ", compute capability " + std::to_string(properties.major) + "." +
                     std::to_string(properties.minor) +
                     ") cannot be used by this build: " + cudaGetErrorString(status);
      continue;
    }
    found.devices.push_back({index, properties.name, properties.major, properties.minor,
                             properties.multiProcessorCount, properties.totalGlobalMem});
  }
  static_cast<void>(cudaSetDevice(before));
  if (!found.devices.empty()) found.reason.clear();
  return found;
}

int gpu_of_memory(const void* address) {
  cudaPointerAttributes attributes{};
  CUDA_CHECK(cudaPointerGetAttributes(&attributes, address));
  return attributes.type == cudaMemoryTypeDevice ? attributes.device : -1;
}

}  // namespace leafglyph::gpu
