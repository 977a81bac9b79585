// Moments of every convention, on any circle of an image, as sums over its pixels.
#pragma once

#include <memory>

#include "features/plan/algorithm.h"

namespace leafglyph {

/// Zernike and pseudo-Zernike moments as convention.h defines them, in double on the CPU. Images
/// need not be square. Each image has its own circle, so no tables can be shared: an image takes
/// (points) (moments) multiply-adds, with the recurrence of radial.h at every point. Results depend
/// neither on the other images nor on the number of threads. Where is_inscribed_textbook() holds,
/// the other algorithms are faster.
///
/// Computing throws UsageError when the batch is in the memory of a GPU. It throws InputError for a
/// value that is not finite, for an image without a circle (unit_circle.h), and when S is not above
/// 0; for a batch, the message names the image. make_pixel_sums throws UsageError as validate(spec,
/// size).
std::shared_ptr<ForwardTransform> make_pixel_sums(const MomentSpec& spec, const ArraySize& size);
extern const CpuAlgorithm kPixelSums;

}  // namespace leafglyph
