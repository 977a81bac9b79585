// The transform of features/bessel_fourier/ring_transform.h on a GPU.
#pragma once

#include <cstddef>
#include <memory>

#include "features/plan/algorithm.h"
#include "gpu/cuda/gpu_device.h"

namespace leafglyph::gpu {

/// With what benchmarks measure of it.
class RingTransform : public TwoWayTransform {
 public:
  /// GPU time of the last image without the transfers, in milliseconds.
  virtual double device_milliseconds() const = 0;
  /// Points of the octant at which the kernel is sampled for the moments.
  virtual std::size_t points() const = 0;
  /// Multiply-adds of the matrix products of one computation of the moments.
  virtual double multiplies() const = 0;
};

/// The algorithm of the CPU, products by cuBLAS in double or float. Throws Error when the GPU's
/// memory does not hold the tables.
std::shared_ptr<RingTransform> make_ring_transform(const MomentSpec& spec, int image_size,
                                                   Precision precision, const GpuDevice& gpu);

extern const Algorithm<GpuDevice> kRings;

}  // namespace leafglyph::gpu
