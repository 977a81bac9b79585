// Moments of batches on the CPU by octant folding and products with a stored basis.
#pragma once

#include <memory>

#include "features/plan/algorithm.h"

namespace leafglyph {

/// Supports every family on the disk, kSubregion and kGauss, and orders whose basis is small enough
/// to store (has_folded_basis). In float, only the products are in float.
std::shared_ptr<ForwardTransform> make_folded_forward(const MomentSpec& spec, int image_size,
                                                      Precision precision);
extern const CpuAlgorithm kFolded;

}  // namespace leafglyph
