// Zernike moments and images from them by separation of variables, as transforms of a plan.
//
// Three maps, each a sum over one variable: along the lines y = const, across them, and a rotation
// in each degree (line_basis.h, degree_rotation.h). An image's results depend neither on the other
// images of the batch nor on the number of threads.
#pragma once

#include <memory>

#include "features/plan/algorithm.h"

namespace leafglyph {

/// Zernike moments under every method but the adaptive one, both masks, any order. Polynomials come
/// from recurrences, in double whatever the precision: a recurrence in float would be off by more
/// than Precision::kFloat promises. Throws UsageError as validate(spec, size) and for other specs.
std::shared_ptr<ForwardTransform> make_separable_forward(const MomentSpec& spec, int image_size);

/// Images from Zernike moments at the centres of the pixels that count, in double.
std::shared_ptr<BackwardTransform> make_separable_backward(const MomentSpec& spec, int image_size);

/// Moments with polynomials from tables where these are small enough; in float tables and sums are
/// in float.
extern const CpuAlgorithm kSeparableTables;
extern const CpuAlgorithm kSeparable;

/// What it supports.
bool is_separable(const PlanRequest& request);
bool has_separable_images(const PlanRequest& request);
/// Bytes of the recurrences and what belongs to them, and of what makes images, at most.
double separable_tables_bytes(const PlanRequest& request);
double separable_images_bytes(const PlanRequest& request);

}  // namespace leafglyph
