#include "tools/literature/cuda/samples.h"

#include <algorithm>
#include <chrono>

namespace leafglyph::gpu::published {

double copied(std::size_t to_gpu, std::size_t to_host) {
  // All bytes pass through the same room: the time does not depend on where they lie.
  const std::size_t largest = std::max(to_gpu, to_host);
  std::vector<char> host(std::min(largest, std::size_t{256} << 20), '\1');
  DeviceBuffer<char> device(host.size());
  CUDA_CHECK(cudaMemset(device.data(), 0, device.bytes()));
  const auto copy = [&](std::size_t bytes, void* to, const void* from, cudaMemcpyKind kind) {
    for (std::size_t done = 0; done < bytes; done += host.size()) {
      CUDA_CHECK(cudaMemcpy(to, from, std::min(host.size(), bytes - done), kind));
    }
  };
  CUDA_CHECK(cudaDeviceSynchronize());
  const auto start = std::chrono::steady_clock::now();
  copy(to_gpu, device.data(), host.data(), cudaMemcpyHostToDevice);
  copy(to_host, host.data(), device.data(), cudaMemcpyDeviceToHost);
  CUDA_CHECK(cudaDeviceSynchronize());
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

}  // namespace leafglyph::gpu::published
