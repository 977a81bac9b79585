// Zernike and pseudo-Zernike moments of high orders on the CPU, without a stored basis.
#pragma once

#include <memory>

#include "features/plan/algorithm.h"
#include "features/plan/transform.h"

namespace leafglyph {

/// Memory does not grow with the number of points in a pixel: about 16 (D + 7) (T + 1) bytes of
/// grid (D = T for Zernike, 2 T for pseudo-Zernike) and 100 bytes per pixel. Work per image: 14
/// multiply-adds for each point of the octant and each repetition, twice, and D^2 T more, against
/// T^2 / 4 or T^2 / 2 for each point by the recurrence alone. The result differs from the plain sum
/// over all points by about 1e-13 of the sum of their absolute values, always in double. Methods
/// kSubregion, kGauss and kAdaptive.
/// Throws UsageError as validate(spec, size), and for a family whose radial part is not a
/// polynomial.
std::shared_ptr<ForwardTransform> make_polar_forward(const MomentSpec& spec, int image_size);
/// Both directions: moments by make_polar_forward, images by make_polar_backward.
extern const CpuAlgorithm kPolar;

/// The adjoint of the former at pixel centres, for every method. Throws UsageError as
/// validate(spec, size), and for a family whose radial part is not a polynomial.
std::shared_ptr<BackwardTransform> make_polar_backward(const MomentSpec& spec, int image_size);

}  // namespace leafglyph
