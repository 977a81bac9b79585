// Zernike moments and images from them by separation of variables, as transforms of a plan.
#pragma once

#include <memory>

#include "features/plan/transform.h"

namespace leafglyph {

/// Zernike moments under every method but the adaptive one, both masks, any order; in float tables
/// and sums alone are in float (separable_moments.h). Throws UsageError as validate(spec, size) and
/// for other specs.
std::shared_ptr<ForwardTransform> make_separable_forward(const MomentSpec& spec, int image_size,
                                                         Precision precision);

/// Images from Zernike moments at the centres of the pixels that count, in double.
std::shared_ptr<BackwardTransform> make_separable_backward(const MomentSpec& spec, int image_size);

/// Bytes that they and their calls take at most.
double separable_forward_bytes(const MomentSpec& spec, int image_size, Precision precision);
/// Of the recurrences and what belongs to them, whatever the tables of the forward transform.
double separable_tables_bytes(const MomentSpec& spec, int image_size);
double separable_backward_bytes(const MomentSpec& spec, int image_size);

}  // namespace leafglyph
