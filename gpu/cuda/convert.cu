#include <type_traits>

#include "gpu/cuda/convert.h"

namespace leafglyph::gpu {
namespace {

template <class In, class Out>
__global__ void convert_kernel(const In* in, std::size_t count, Out* out) {
  const std::size_t step = static_cast<std::size_t>(gridDim.x) * blockDim.x;
  for (std::size_t i = static_cast<std::size_t>(blockIdx.x) * blockDim.x + threadIdx.x; i < count;
       i += step) {
    out[i] = static_cast<Out>(in[i]);
  }
}

}  // namespace

template <class In, class Out>
void convert(const In* in, std::size_t count, Out* out, const Stream& stream) {
  if (count == 0) return;
  convert_kernel<<<2048, 256, 0, stream.get()>>>(in, count, out);
  CUDA_CHECK_LAUNCH("convert_kernel");
}

template <class T>
void load_values(const ImageBatch& images, StagedCopy& copies, DeviceBuffer<unsigned char>& room,
                 T* out, const Stream& stream) {
  const std::size_t count = images.count * images.pixels_per_image();
  const std::size_t bytes = count * images.bytes_per_pixel();
  const bool as_they_are = (images.type == PixelType::kDouble && std::is_same_v<T, double>) ||
                           (images.type == PixelType::kFloat && std::is_same_v<T, float>);
  const bool on_host = images.memory == MemoryKind::kHost;
  if (as_they_are) {
    copies.send(images.pixels, on_host, bytes, out, stream);
    return;
  }
  const void* from = images.pixels;
  if (on_host) {
    if (room.size() < bytes) room = DeviceBuffer<unsigned char>(bytes);
    copies.send(images.pixels, on_host, bytes, room.data(), stream);
    from = room.data();
  }
  with_pixels(images.type, from, [&](const auto* values) { convert(values, count, out, stream); });
}

template void convert<unsigned char, float>(const unsigned char*, std::size_t, float*,
                                            const Stream&);
template void convert<unsigned char, double>(const unsigned char*, std::size_t, double*,
                                             const Stream&);
template void convert<float, float>(const float*, std::size_t, float*, const Stream&);
template void convert<double, double>(const double*, std::size_t, double*, const Stream&);
template void convert<double, float>(const double*, std::size_t, float*, const Stream&);
template void convert<float, double>(const float*, std::size_t, double*, const Stream&);

template void load_values<float>(const ImageBatch&, StagedCopy&, DeviceBuffer<unsigned char>&,
                                 float*, const Stream&);
template void load_values<double>(const ImageBatch&, StagedCopy&, DeviceBuffer<unsigned char>&,
                                  double*, const Stream&);

}  // namespace leafglyph::gpu
