// The transform of features/jacobi/axis_transform.h on a GPU.
#pragma once

#include <memory>

#include "features/plan/algorithm.h"
#include "gpu/cuda/gpu_device.h"

namespace leafglyph::gpu {

/// The transform, and values that benchmarks read.
class AxisTransform : public TwoWayTransform {
 public:
  /// GPU time of the last image or volume without transfers, in milliseconds: from values (or
  /// moments) to moments (or values) on the GPU.
  virtual double device_milliseconds() const = 0;
  /// Multiply-adds of one call at the full order, including parts of blocks beyond the triangle.
  virtual double multiplies() const = 0;
};

/// Transforms one image or volume at a time, with products by cuBLAS in double or float. Throws
/// InputError if the arrays do not fit in the GPU's memory, stating the bytes needed, the bytes
/// free and the size that would fit.
std::shared_ptr<AxisTransform> make_axis_transform(const MomentSpec& spec, const ArraySize& size,
                                                   Precision precision, const GpuDevice& gpu);

extern const Algorithm<GpuDevice> kAxes;

/// Transforms whole batches with two products, by cuBLAS in double or float. For images whose
/// square of orders is small.
extern const Algorithm<GpuDevice> kAxisBatch;

}  // namespace leafglyph::gpu
