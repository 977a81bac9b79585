// Legendre and Jacobi moments of images and volumes on the CPU, and back: one product an axis,
// nothing beyond the triangle of orders.
#pragma once

#include <memory>

#include "features/plan/algorithm.h"

namespace leafglyph {

/// Products in double or float. Images of a batch, or the slices of a volume, are shared between
/// the threads.
std::shared_ptr<TwoWayTransform> make_axis_transform(const MomentSpec& spec, const ArraySize& size,
                                                     Precision precision);

extern const CpuAlgorithm kAxes;

/// Whether it supports the family.
bool has_axes(const PlanRequest& request);
/// Bytes of memory that it works in, the caller's arrays not counted.
double axis_work_bytes(const PlanRequest& request);

}  // namespace leafglyph
