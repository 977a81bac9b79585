// How much memory plans take, known before any of it is taken.
#pragma once

#include "features/plan/algorithm.h"
#include "features/plan/transform.h"

namespace leafglyph {

/// Bytes of the host's memory that the transform of images to moments, its tables and the moments
/// of one image take at most. One on a GPU builds the CPU's tables of its algorithm first.
double moments_bytes(const MomentSpec& spec, const ArraySize& size, Precision precision,
                     Backend backend);

/// The same for images from moments, the moments and one image.
double images_bytes(const MomentSpec& spec, const ArraySize& size, Precision precision,
                    Backend backend);

/// Throw InputError, naming family, order and size and what would fit, when that is more than is
/// free.
void check_moments_memory(const MomentSpec& spec, const ArraySize& size, Precision precision,
                          Backend backend);
void check_images_memory(const MomentSpec& spec, const ArraySize& size, Precision precision,
                         Backend backend);

}  // namespace leafglyph
