// How much memory plans take, known before any of it is taken.
#pragma once

#include "features/plan/transform.h"

namespace leafglyph {

/// Bytes that the transform of images to moments on the CPU, its tables and the moments of one
/// image take at most. One on a GPU builds the same tables in the host's memory first.
double moments_bytes(const MomentSpec& spec, const ArraySize& size, Precision precision);

/// The same for images from moments, the moments and one image.
double images_bytes(const MomentSpec& spec, const ArraySize& size, Precision precision);

/// Throw InputError, naming family, order and size and what would fit, when that is more than is
/// free.
void check_moments_memory(const MomentSpec& spec, const ArraySize& size, Precision precision);
void check_images_memory(const MomentSpec& spec, const ArraySize& size, Precision precision);

}  // namespace leafglyph
