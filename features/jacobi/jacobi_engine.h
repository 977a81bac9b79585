// The CPU engine for batches of the families on the square.
#pragma once

#include <memory>

#include "features/engine/moment_engine.h"
#include "features/jacobi/jacobi_moments.h"

namespace leafglyph {

/// The plan's specification that holds the moments of `spec`, in the same order. Throws UsageError
/// for a family on the disk.
CartesianSpec square_spec(const MomentSpec& spec, int image_size);

/// Legendre and Jacobi moments of batches by two separable products an image, in double or float.
/// Throws UsageError for any other family.
std::unique_ptr<MomentEngine> make_cartesian_engine(const MomentSpec& spec, int image_size,
                                                    Precision precision);

}  // namespace leafglyph
