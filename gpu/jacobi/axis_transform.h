// The transform of features/jacobi/axis_transform.h on a GPU.
#pragma once

#include <memory>

#include "features/plan/algorithm.h"
#include "gpu/cuda/gpu_device.h"

namespace leafglyph::gpu {

/// With what benchmarks measure of it.
class AxisTransform : public TwoWayTransform {
 public:
  /// GPU time of the last image or volume without the transfers, from values (or moments) on the
  /// GPU to moments (or values) there, in milliseconds.
  virtual double device_milliseconds() const = 0;
  /// Multiply-adds of one call with the full order, blocks beyond the triangle included.
  virtual double multiplies() const = 0;
};

/// One image or volume at a time, products by cuBLAS in double or float. Throws InputError that
/// says what is wanted, what is free and what would fit, when the GPU's memory does not hold the
/// arrays.
std::shared_ptr<AxisTransform> make_axis_transform(const MomentSpec& spec, const ArraySize& size,
                                                   Precision precision, const GpuDevice& gpu);

extern const Algorithm<GpuDevice> kAxes;

/// Two products for a whole batch, by cuBLAS in double or float, of images whose square of orders
/// is small.
extern const Algorithm<GpuDevice> kAxisBatch;

}  // namespace leafglyph::gpu
