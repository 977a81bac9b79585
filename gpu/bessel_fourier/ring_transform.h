// The transform of features/bessel_fourier/ring_transform.h on a GPU.
#pragma once

#include <cstddef>
#include <memory>

#include "features/plan/algorithm.h"
#include "features/plan/repetition_transform.h"
#include "gpu/cuda/gpu_device.h"

namespace leafglyph::gpu {

/// The transform, and values that benchmarks read.
class RingTransform : public TwoWayTransform, public RepetitionTransform {
 public:
  /// GPU time of the last image without transfers, in milliseconds.
  virtual double device_milliseconds() const = 0;
  /// Number of points in the octant at which the kernel is sampled for the moments.
  virtual std::size_t points() const = 0;
  /// Multiply-adds in the matrix products for the moments of one image.
  virtual double multiplies() const = 0;
};

/// The algorithm of the CPU, with products by cuBLAS in double or float. Throws Error if the tables
/// do not fit in the GPU's memory.
std::shared_ptr<RingTransform> make_ring_transform(const MomentSpec& spec, int image_size,
                                                   Precision precision, const GpuDevice& gpu);

extern const Algorithm<GpuDevice> kRings;

}  // namespace leafglyph::gpu
