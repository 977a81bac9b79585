// One image on a GPU and its moments, shared by the transforms for high orders. Only for the files
// of gpu/.
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

  /// Calls `launch` with a pointer to the pixels that were sent, typed as they are.
  template <class Launch>
  void with_pixels(const Launch& launch) const {
    leafglyph::with_pixels(type_, pixels_.data(), launch);
  }

  /// Kernels write the moments here.
  double2* moments() { return moments_.data(); }

  /// Starts the copy of moments [first, last) to the same positions in `moments`, after the work
  /// already in the CUDA stream.
  void start_receive(std::size_t first, std::size_t last, std::span<std::complex<double>> moments,
                     const Stream& stream) {
    received_.start_receive(moments_.data() + first, (last - first) * sizeof(double2),
                            moments.data() + first, stream);
  }
  /// Waits for all copies that were started.
  void finish_receive() { received_.finish_receive(); }
  /// Receives all moments.
  void receive(std::span<std::complex<double>> moments, const Stream& stream) {
    start_receive(0, moments_.size(), moments, stream);
    finish_receive();
  }

 private:
  PixelType type_ = PixelType::kDouble;
  DeviceBuffer<double> pixels_;  // large enough for any pixel type
  DeviceBuffer<double2> moments_;
  StagedCopy sent_;
  StagedCopy received_;
};

}  // namespace leafglyph::gpu
