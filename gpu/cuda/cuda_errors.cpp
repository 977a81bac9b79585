#include "gpu/cuda/cuda_raii.h"

namespace leafglyph::gpu {
namespace {

std::string mebibytes(std::size_t bytes) { return std::to_string(bytes >> 20) + " MiB"; }

const char* advice(cudaError_t status) {
  switch (status) {
    case cudaErrorMemoryAllocation:
      return "; free GPU memory or use smaller batches or --device cpu";
    case cudaErrorDevicesUnavailable:
      return "; another process may hold the GPU";
    case cudaErrorECCUncorrectable:
    case cudaErrorHardwareStackError:
    case cudaErrorUnknown:
      return "; the GPU may have failed or been removed: results of this run are not complete";
    default:
      return "; results of this run are not complete";
  }
}

}  // namespace

void throw_cuda_error(cudaError_t status, const char* what) {
  throw Error(std::string("the GPU call ") + what + " failed: " + cudaGetErrorString(status) +
              advice(status));
}

void throw_gpu_memory_error(std::size_t bytes) {
  std::size_t free = 0;
  std::size_t total = 0;
  std::string message = mebibytes(bytes) + " of GPU memory were needed at once";
  if (cudaMemGetInfo(&free, &total) == cudaSuccess) {
    message += ", but " + mebibytes(free) + " of " + mebibytes(total) + " are free";
  }
  throw Error(message + advice(cudaErrorMemoryAllocation));
}

int largest_shared_memory() {
  int device = 0;
  int bytes = 0;
  CUDA_CHECK(cudaGetDevice(&device));
  CUDA_CHECK(cudaDeviceGetAttribute(&bytes, cudaDevAttrMaxSharedMemoryPerBlockOptin, device));
  return bytes;
}

void allow_shared_memory(const void* kernel) {
  cudaFuncAttributes attributes{};
  CUDA_CHECK(cudaFuncGetAttributes(&attributes, kernel));
  const int most = largest_shared_memory() - static_cast<int>(attributes.sharedSizeBytes);
  if (attributes.maxDynamicSharedSizeBytes >= most) return;
  CUDA_CHECK(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, most));
}

}  // namespace leafglyph::gpu
