// Zernike moments and images from them by separation of variables, as the transforms of a plan.
//
// Each transform is three maps, each a sum over one variable: along the lines y = const, across
// them, and a rotation in each degree (line_basis.h, degree_rotation.h). The results for an image
// depend neither on the other images of the batch nor on the number of threads.
#pragma once

#include <memory>

#include "features/plan/algorithm.h"

namespace leafglyph {

/// Zernike moments by every method but the adaptive one, with both masks, to any order. The
/// polynomials come from recurrences in double at either precision, because the error of a
/// recurrence in float would exceed what Precision::kFloat promises. Throws UsageError as
/// validate(spec, size), and for other specs.
std::shared_ptr<ForwardTransform> make_separable_forward(const MomentSpec& spec, int image_size);

/// Images from Zernike moments at the centres of the pixels that count, in double.
std::shared_ptr<BackwardTransform> make_separable_backward(const MomentSpec& spec, int image_size);

/// Moments with polynomials from tables, if the tables are small enough. In float, both tables and
/// sums are in float.
extern const CpuAlgorithm kSeparableTables;
extern const CpuAlgorithm kSeparable;

/// Whether moments, or images, of the request are supported.
bool is_separable(const PlanRequest& request);
bool has_separable_images(const PlanRequest& request);
/// Upper bounds in bytes: for the tables of the recurrences, and for what makes images.
double separable_tables_bytes(const PlanRequest& request);
double separable_images_bytes(const PlanRequest& request);
/// Their work, with polynomials from recurrences.
TransformWork separable_moments_work(const PlanRequest& request);
TransformWork separable_images_work(const PlanRequest& request);

}  // namespace leafglyph
