// One image on a GPU, and the moments that come back of it: what the engines of high orders share.
#pragma once

#include <algorithm>
#include <complex>
#include <cstdint>
#include <span>

#include "features/image/image.h"
#include "gpu/cuda/cuda_raii.h"

namespace leafglyph::gpu {

class SingleImage {
 public:
  /// Room for an image of image_size x image_size pixels and its moments, on the current GPU.
  SingleImage(int image_size, std::size_t moment_count)
      : pixels_(static_cast<std::size_t>(image_size) * static_cast<std::size_t>(image_size)),
        moments_(moment_count),
        received_(moment_count) {}

  /// Copies the first image of `image` to the GPU.
  void send(const ImageBatch& image, const Stream& stream) {
    const std::size_t bytes = image.pixels_per_image() * image.bytes_per_pixel();
    type_ = image.type;
    CUDA_CHECK(
        cudaMemcpyAsync(pixels_.data(), image.pixels, bytes, cudaMemcpyDefault, stream.get()));
  }

  /// Calls `launch` with the pixels that were sent, as their type.
  template <class Launch>
  void with_pixels(const Launch& launch) const {
    switch (type_) {
      case PixelType::kUint8:
        return launch(reinterpret_cast<const std::uint8_t*>(pixels_.data()));
      case PixelType::kFloat:
        return launch(reinterpret_cast<const float*>(pixels_.data()));
      case PixelType::kDouble:
        return launch(pixels_.data());
    }
  }

  /// Where kernels leave the moments.
  double2* moments() { return moments_.data(); }

  /// Waits for the stream and hands the moments over.
  void receive(std::span<std::complex<double>> moments, const Stream& stream) {
    CUDA_CHECK(cudaMemcpyAsync(received_.data(), moments_.data(), moments_.bytes(),
                               cudaMemcpyDeviceToHost, stream.get()));
    stream.wait();
    std::copy(received_.data(), received_.data() + received_.size(), moments.begin());
  }

 private:
  PixelType type_ = PixelType::kDouble;
  DeviceBuffer<double> pixels_;  // large enough for pixels of every type
  DeviceBuffer<double2> moments_;
  PinnedBuffer<std::complex<double>> received_;
};

}  // namespace leafglyph::gpu
