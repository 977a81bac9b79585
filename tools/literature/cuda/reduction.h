// The parallel reduction of the literature: terms that threads have stored are added up in shared
// memory, in halves, by further launches.
#pragma once

#include "gpu/cuda/cuda_raii.h"
#include "tools/literature/cuda/published.h"

namespace leafglyph::gpu::published {

/// Adds up stored terms, one sum after another.
class Reduction {
 public:
  Reduction();
  /// *sum = scale times the sum of `count` values, all in GPU memory, by two launches on the
  /// stream.
  void add_up(const double* values, int count, double scale, double* sum, const Stream& stream);

 private:
  DeviceBuffer<double> parts_;  // the sums of the blocks
};

KernelUse reduction_use(const char* name);

}  // namespace leafglyph::gpu::published
