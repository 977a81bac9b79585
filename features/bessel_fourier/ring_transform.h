// Moments of the families with ring functions to high orders, and images from them, on the CPU.
#pragma once

#include <memory>

#include "features/plan/algorithm.h"

namespace leafglyph {

/// The radial factor does not depend on m. On each of a few hundred rings it is a polynomial in u
/// (ring_functions.h) to the last digit. So the points' e^{-j m theta} are first gathered, ring by
/// ring, on Chebyshev polynomials (matrix products of 32 columns). One product with the table of
/// these polynomials then completes the moments. The work per point is 64 (M + 1) multiply-adds,
/// whatever N. Products are in double or float (relative l2 error of the moments in float 5e-7,
/// growing to 7e-6 at order 1000 with many points in a pixel). Throws UsageError for another
/// family.
std::shared_ptr<TwoWayTransform> make_ring_transform(const MomentSpec& spec, int image_size,
                                                     Precision precision);
extern const CpuAlgorithm kRings;

}  // namespace leafglyph
