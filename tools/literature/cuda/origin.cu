#include "tools/literature/cuda/published.h"
#include "tools/literature/cuda/samples.h"

namespace leafglyph::gpu::published {
namespace {

constexpr dim3 kThreads(16, 16);

// One thread per pixel.
__global__ void origin_kernel(int size, float* rho, float* theta, float* mask) {
  const int column = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  const int row = static_cast<int>(blockIdx.y * blockDim.y + threadIdx.y);
  if (row >= size || column >= size) return;
  const float side = static_cast<float>(size);
  const float step = 2.0F / side;
  const float x = -1.0F + 1.0F / side + step * static_cast<float>(column);
  const float y = 1.0F - 1.0F / side - step * static_cast<float>(row);
  const int position = row * size + column;
  rho[position] = hypotf(x, y);
  theta[position] = atan2f(y, x);
  const int half = size / 2;
  if (row >= half || column >= half) return;
  const float left = -1.0F + step * static_cast<float>(column);
  const float top = 1.0F - step * static_cast<float>(row);
  mask[row * half + column] = left * left + top * top <= 1.0F ? 1.0F : 0.0F;
}

std::vector<float> on_host(const DeviceBuffer<float>& values) {
  std::vector<float> copy(values.size());
  CUDA_CHECK(cudaMemcpy(copy.data(), values.data(), values.bytes(), cudaMemcpyDeviceToHost));
  return copy;
}

}  // namespace

OriginResult origin_tables(int size) {
  const std::size_t pixels = static_cast<std::size_t>(size) * static_cast<std::size_t>(size);
  const std::size_t half = static_cast<std::size_t>(size) / 2;
  DeviceBuffer<float> rho(pixels);
  DeviceBuffer<float> theta(pixels);
  DeviceBuffer<float> mask(half * half);
  const Stream stream;
  const auto side = (static_cast<unsigned>(size) + kThreads.x - 1) / kThreads.x;
  OriginResult result;
  result.seconds = timed(stream, [&] {
    origin_kernel<<<dim3(side, side), kThreads, 0, stream.get()>>>(size, rho.data(), theta.data(),
                                                                   mask.data());
    CUDA_CHECK_LAUNCH("origin_kernel");
  });
  result.tables = {on_host(rho), on_host(theta), on_host(mask)};
  return result;
}

}  // namespace leafglyph::gpu::published
