#include <array>

#include "gpu/cuda/architectures.h"
#include "gpu/cuda/cuda_raii.h"
#include "gpu/cuda/driver.h"
#include "gpu/cuda/gpu_device.h"
#include "gpu/cuda/visible_gpus.h"

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

// Reads what is asked here alone: cudaGetDeviceProperties reads a hundred attributes, some of them
// slowly, and plans are made often.
cudaError_t describe(GpuDevice& gpu) {
  static const auto get_device = driver_function<CUresult (*)(CUdevice*, int)>("cuDeviceGet", 2000);
  static const auto get_name =
      driver_function<CUresult (*)(char*, int, CUdevice)>("cuDeviceGetName", 2000);
  static const auto get_memory =
      driver_function<CUresult (*)(std::size_t*, CUdevice)>("cuDeviceTotalMem", 3020);
  if (get_device == nullptr || get_name == nullptr || get_memory == nullptr) {
    return cudaErrorSymbolNotFound;
  }
  std::array<char, 256> name{};
  CUdevice handle = 0;
  if (get_device(&handle, gpu.index) != CUDA_SUCCESS ||
      get_name(name.data(), static_cast<int>(name.size()), handle) != CUDA_SUCCESS ||
      get_memory(&gpu.memory_bytes, handle) != CUDA_SUCCESS) {
    return cudaErrorDevicesUnavailable;
  }
  gpu.name = name.data();
  const auto read = [&gpu](cudaDeviceAttr attribute, int& value) {
    return cudaDeviceGetAttribute(&value, attribute, gpu.index);
  };
  cudaError_t status = read(cudaDevAttrComputeCapabilityMajor, gpu.compute_major);
  if (status == cudaSuccess) status = read(cudaDevAttrComputeCapabilityMinor, gpu.compute_minor);
  if (status == cudaSuccess) status = read(cudaDevAttrMultiProcessorCount, gpu.multiprocessors);
  return status;
}

std::string problem_text(const GpuDevice& gpu, cudaError_t status) {
  return "GPU " + std::to_string(gpu.number) + " (" + gpu.name + ", compute capability " +
         std::to_string(gpu.compute_major) + "." + std::to_string(gpu.compute_minor) +
         ") cannot be used by this build: " + cudaGetErrorString(status);
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
  for (int index = 0; index < count; ++index) {
    GpuDevice gpu;
    gpu.index = index;
    gpu.number = first_visible_gpu() + index;
    cudaError_t status = describe(gpu);
    if (status == cudaSuccess &&
        !runs_on(LEAFGLYPH_CUDA_ARCHITECTURES, gpu.compute_major, gpu.compute_minor)) {
      status = cudaErrorNoKernelImageForDevice;
    }
    if (status == cudaSuccess) {
      found.devices.push_back(gpu);
    } else {
      static_cast<void>(cudaGetLastError());
      found.reason = problem_text(gpu, status);
    }
  }
  if (!found.devices.empty()) found.reason.clear();
  return found;
}

std::string problem_of(const GpuDevice& gpu) {
  cudaFuncAttributes attributes{};
  int before = 0;
  static_cast<void>(cudaGetDevice(&before));
  cudaError_t status = cudaSetDevice(gpu.index);
  if (status == cudaSuccess) status = cudaFuncGetAttributes(&attributes, probe);
  if (status != cudaSuccess) static_cast<void>(cudaGetLastError());
  if (before != gpu.index && has_context(before)) static_cast<void>(cudaSetDevice(before));
  return status == cudaSuccess ? std::string() : problem_text(gpu, status);
}

int gpu_of_memory(const void* address) {
  cudaPointerAttributes attributes{};
  CUDA_CHECK(cudaPointerGetAttributes(&attributes, address));
  return attributes.type == cudaMemoryTypeDevice ? attributes.device : -1;
}

}  // namespace leafglyph::gpu
