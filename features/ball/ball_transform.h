// Zernike moments of volumes on the CPU, and volumes from them (ball_products.h).
#pragma once

#include <memory>

#include "features/plan/algorithm.h"

namespace leafglyph {

/// In double or float. Threads share the slices of a few volumes, then the products.
std::shared_ptr<TwoWayTransform> make_ball_transform(const MomentSpec& spec, const ArraySize& size,
                                                     Precision precision);

extern const CpuAlgorithm kBall;

/// Whether the family is supported.
bool has_ball(const PlanRequest& request);
/// Bytes of tables and working memory, without the caller's arrays.
double ball_bytes(const PlanRequest& request);
/// The work of moments, and of images: multiply-adds.
TransformWork ball_work(const PlanRequest& request);

}  // namespace leafglyph
