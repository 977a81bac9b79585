// Images from Zernike and pseudo-Zernike moments on the CPU.
#pragma once

#include <memory>

#include "features/plan/transform.h"

namespace leafglyph {

/// The adjoint of polar_forward.h at pixel centres, for every method. Throws UsageError as
/// validate(spec, size), and for a family whose radial part is no polynomial.
std::shared_ptr<BackwardTransform> make_polar_backward(const MomentSpec& spec, int image_size);

}  // namespace leafglyph
