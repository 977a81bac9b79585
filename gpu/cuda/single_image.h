// One image on a GPU, and the moments that come back of it: what the transforms of high orders
// share. For the files of gpu/ alone.
#pragma once

#include <algorithm>
#include <complex>
#include <cstdint>
#include <span>

#include "features/image/image.h"
#include "gpu/cuda/host_copy.h"

namespace leafglyph::gpu {

class SingleImage {
 public:
  /// Room for an image of image_size x image_size pixels and its moments, on the current GPU.
  SingleImage(int image_size, std::size_t moment_count)
      : pixels_(static_cast<std::size_t>(image_size) * static_cast<std::size_t>(image_size)),
        moments_(moment_count),
        sent_(pixels_.bytes()),
        received_(moments_.bytes()) {}

  /// Copies the first image of `image` to the GPU.
  void send(const ImageBatch& image, const Stream& stream) {
    type_ = image.type;
    sent_.send(image.pixels, image.memory == MemoryKind::kHost,
               image.pixels_per_image() * image.bytes_per_pixel(), pixels_.data(), stream);
  }

  /// Calls `launch` with the pixels that were sent, as their type.
  template <class Launch>
  void with_pixels(const Launch& launch) const {
    leafglyph::with_pixels(type_, pixels_.data(), launch);
  }

  /// Where kernels leave the moments.
  double2* moments() { return moments_.data(); }

  /// Starts the way back of moments [first, last) to their places in `moments`, behind what is in
  /// the stream.
  void start_receive(std::size_t first, std::size_t last, std::span<std::complex<double>> moments,
                     const Stream& stream) {
    received_.start_receive(moments_.data() + first, (last - first) * sizeof(double2),
                            moments.data() + first, stream);
  }
  /// Returns when all that was started is in place.
  void finish_receive() { received_.finish_receive(); }
  /// All of it.
  void receive(std::span<std::complex<double>> moments, const Stream& stream) {
    start_receive(0, moments_.size(), moments, stream);
    finish_receive();
  }

 private:
  PixelType type_ = PixelType::kDouble;
  DeviceBuffer<double> pixels_;  // large enough for pixels of every type
  DeviceBuffer<double2> moments_;
  StagedCopy sent_;
  StagedCopy received_;
};

}  // namespace leafglyph::gpu
