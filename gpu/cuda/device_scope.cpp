#include "gpu/cuda/cuda_raii.h"
#include "gpu/cuda/driver.h"
#include "gpu/cuda/gpu_device.h"

namespace leafglyph::gpu {
bool has_context(int device) {
  static const auto get_device = driver_function<CUresult (*)(CUdevice*, int)>("cuDeviceGet", 2000);
  static const auto get_state =
      driver_function<CUresult (*)(CUdevice, unsigned*, int*)>("cuDevicePrimaryCtxGetState", 7000);
  if (get_device == nullptr || get_state == nullptr) return true;
  CUdevice handle = 0;
  unsigned flags = 0;
  int active = 0;
  return get_device(&handle, device) != CUDA_SUCCESS ||
         get_state(handle, &flags, &active) != CUDA_SUCCESS || active != 0;
}

DeviceScope::DeviceScope(int device) {
  CUDA_CHECK(cudaGetDevice(&before_));
  is_other_ = device != before_;
  if (is_other_) CUDA_CHECK(cudaSetDevice(device));
}

DeviceScope::~DeviceScope() {
  if (is_other_ && has_context(before_)) static_cast<void>(cudaSetDevice(before_));
}

void make_no_context() noexcept {
  int current = 0;
  int count = 0;
  if (cudaGetDevice(&current) != cudaSuccess || has_context(current)) return;
  if (cudaGetDeviceCount(&count) != cudaSuccess) return;
  for (int device = 0; device < count; ++device) {
    if (!has_context(device)) continue;
    static_cast<void>(cudaSetDevice(device));
    return;
  }
}

}  // namespace leafglyph::gpu
