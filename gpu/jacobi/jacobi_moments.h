// Jacobi moments of images and volumes on one GPU.
#pragma once

#include <memory>

#include "features/jacobi/jacobi_moments.h"
#include "gpu/devices.h"

namespace leafglyph {

/// A plan whose tables and working arrays lie on a GPU; values and moments are the host's.
class GpuCartesianMoments : public CartesianMoments {
 public:
  using CartesianMoments::CartesianMoments;
  /// GPU time of the last call without the transfers, from values (or moments) on the GPU to
  /// moments (or values) there, in milliseconds.
  virtual double device_milliseconds() const = 0;
  /// Multiply-adds of one call with the full order, blocks beyond the triangle included.
  virtual double multiplies() const = 0;
};

/// Products by cuBLAS in double (kExact) or float (kFast). Throws InputError that says what is
/// wanted, what is free and what would fit, when the GPU's memory does not hold the arrays.
std::unique_ptr<GpuCartesianMoments> make_gpu_cartesian(const CartesianSpec& spec,
                                                        Precision precision, const GpuDevice& gpu);

}  // namespace leafglyph
