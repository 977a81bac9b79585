// Moments of the families on the square, of images and volumes, on the CPU, and back. Takes one
// product per axis and computes little beyond the triangle of orders.
#pragma once

#include <memory>

#include "features/plan/algorithm.h"

namespace leafglyph {

/// Products in double or float. Threads share the images of a batch, or the slices of a volume.
std::shared_ptr<TwoWayTransform> make_axis_transform(const MomentSpec& spec, const ArraySize& size,
                                                     Precision precision);

extern const CpuAlgorithm kAxes;

/// Whether the family is supported.
bool has_axes(const PlanRequest& request);
/// Bytes of working memory, without the caller's arrays.
double axis_work_bytes(const PlanRequest& request);
/// The work of moments, and of images.
TransformWork axis_work(const PlanRequest& request);

}  // namespace leafglyph
