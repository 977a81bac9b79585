// Zernike and pseudo-Zernike moments of high order on the CPU, without a stored basis.
#pragma once

#include <memory>

#include "features/plan/algorithm.h"
#include "features/plan/transform.h"

namespace leafglyph {

/// Memory does not grow with the number of points in a pixel: the grid takes about
/// 16 (D + 16) (T + 1) bytes (D = T for Zernike, 2 T for pseudo-Zernike), the pixels 100 bytes
/// each. The work per image is 14 multiply-adds per point of the octant and repetition, twice, and
/// D^2 T more. The recurrence alone takes T^2 / 4 or T^2 / 2 per point. The result differs from the
/// plain sum over all points by about 1e-13 of the sum of their absolute values. The arithmetic is
/// always double. Supports the methods kSubregion, kGauss and kAdaptive. Throws UsageError as
/// validate(spec, size), and for a family whose radial part is not a polynomial.
std::shared_ptr<ForwardTransform> make_polar_forward(const MomentSpec& spec, int image_size);
/// Both directions: moments by make_polar_forward, images by make_polar_backward.
extern const CpuAlgorithm kPolar;

/// The adjoint of make_polar_forward at pixel centres, for every method. Throws UsageError as
/// validate(spec, size), and for a family whose radial part is not a polynomial.
std::shared_ptr<BackwardTransform> make_polar_backward(const MomentSpec& spec, int image_size);

}  // namespace leafglyph
