// Plans on the CPU, and their results for one image, in one call.
#pragma once

#include <array>
#include <complex>
#include <memory>
#include <span>
#include <vector>

#include "features/separable/separable_transform.h"
#include "gpu/plans.h"

namespace leafglyph {

inline PlanOptions options_for(DeviceChoice::Kind kind, Precision precision = Precision::kDouble) {
  PlanOptions options;
  options.device.kind = kind;
  options.precision = precision;
  return options;
}

inline std::unique_ptr<MomentPlan> cpu_plan(const MomentSpec& spec, const ArraySize& size,
                                            Precision precision = Precision::kDouble) {
  return make_moment_plan(spec, size, options_for(DeviceChoice::Kind::kCpu, precision));
}

/// A plan with these transforms, whatever the table of algorithms selects.
inline MomentPlan plan_through(const MomentSpec& spec, const ArraySize& size,
                               std::shared_ptr<ForwardTransform> forward,
                               std::shared_ptr<BackwardTransform> backward = nullptr) {
  return {spec, size, {[forward] { return forward; }, [backward] { return backward; }}};
}

/// The separable algorithm that plans would use, whatever else supports the spec.
inline const CpuAlgorithm& separable_row(const PlanRequest& request) {
  static constexpr std::array kRows = {&kSeparableTables, &kSeparable};
  return *first_that_supports(kRows, &CpuAlgorithm::moments, request);
}

/// The moments of one image or volume, or of as many as `values` contains.
inline std::vector<std::complex<double>> moments_of(MomentPlan& plan,
                                                    std::span<const double> values) {
  const std::size_t count = values.size() / plan.size().elements();
  std::vector<std::complex<double>> moments(count * plan.moment_count());
  plan.moments(ImageBatch(values, count, plan.size()), moments);
  return moments;
}

/// The image or volume reconstructed from all moments of order <= `order`.
inline std::vector<double> image_of(MomentPlan& plan, std::span<const std::complex<double>> moments,
                                    int order) {
  std::vector<double> image(moments.size() / plan.moment_count() * plan.size().elements(), -1.0);
  plan.reconstruct(moments, {0, order, Repetitions::kAll}, image);
  return image;
}

}  // namespace leafglyph
