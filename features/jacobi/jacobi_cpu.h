// The CPU plan for Jacobi moments: separable products, nothing beyond the triangle of orders.
#pragma once

#include <memory>

#include "features/jacobi/jacobi_moments.h"

namespace leafglyph {

/// Products in double (kExact) or float (kFast).
std::unique_ptr<CartesianMoments> make_cartesian_cpu(const CartesianSpec& spec,
                                                     Precision precision);

}  // namespace leafglyph
