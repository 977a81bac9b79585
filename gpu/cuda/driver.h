// Functions of the CUDA driver, without linking to it: programs start where there is none. Only for
// the files of gpu/cuda.
#pragma once

#include <cuda.h>
#include <cuda_runtime_api.h>

namespace leafglyph::gpu {

/// The function of that name as of a version of CUDA (7000 for 7.0); null if there is none.
template <class Function>
Function driver_function(const char* name, unsigned version) {
  void* found = nullptr;
  cudaDriverEntryPointQueryResult result{};
  const cudaError_t status =
      cudaGetDriverEntryPointByVersion(name, &found, version, cudaEnableDefault, &result);
  return status == cudaSuccess && result == cudaDriverEntryPointSuccess
             ? reinterpret_cast<Function>(found)
             : nullptr;
}

}  // namespace leafglyph::gpu
