// Moments of any convention, on any circle of an image: the sum over its pixels.
#pragma once

#include <memory>

#include "features/plan/algorithm.h"

namespace leafglyph {

/// Zernike and pseudo-Zernike moments as convention.h defines them, of images that need not be
/// square, on the CPU in double. Each image has a circle of its own, so that no tables can be
/// shared: an image takes (points) (moments) multiply-adds, by the recurrence of radial.h at every
/// point. Results depend neither on the other images nor on the number of threads. The other
/// algorithms are faster where is_inscribed_textbook().
///
/// Computing throws UsageError when the batch lies in the memory of a GPU, InputError for a value
/// that is not finite, where an image has no circle (unit_circle.h), and where S is not above 0; of
/// a batch the image is named. Throws UsageError as validate(spec, size).
std::shared_ptr<ForwardTransform> make_pixel_sums(const MomentSpec& spec, const ArraySize& size);
extern const CpuAlgorithm kPixelSums;

}  // namespace leafglyph
