// Bessel-Fourier moments on one GPU.
#pragma once

#include <memory>

#include "features/bessel_fourier/bessel_fourier.h"
#include "gpu/devices.h"

namespace leafglyph {

/// A plan whose tables lie on a GPU; images and moments are the host's.
class GpuBesselFourier : public BesselFourier {
 public:
  using BesselFourier::BesselFourier;
  /// GPU time of the last call without the transfers, in milliseconds.
  virtual double device_milliseconds() const = 0;
  /// Points of the octant at which the kernel is sampled for the moments.
  virtual std::size_t points() const = 0;
  /// Multiply-adds of the matrix products of one computation of the moments.
  virtual double multiplies() const = 0;
};

/// The algorithm of the CPU plan, products by cuBLAS in double (kExact) or float (kFast). Throws
/// Error when the GPU's memory does not hold the tables.
std::unique_ptr<GpuBesselFourier> make_gpu_bessel_fourier(const BesselFourierSpec& spec,
                                                          Precision precision,
                                                          const GpuDevice& gpu);

}  // namespace leafglyph
