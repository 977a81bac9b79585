// The plan that Python sees, and functions that pass batches of numpy arrays through it.
#pragma once

#include <pybind11/complex.h>
#include <pybind11/numpy.h>
#include <pybind11/stl.h>

#include <complex>
#include <cstddef>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "features/base/errors.h"
#include "gpu/plans.h"
#include "tools/python/arrays.h"
#include "tools/python/bindings.h"
#include "tools/python/long_computation.h"

namespace leafglyph::python {

using Complex = std::complex<double>;

/// Python's arguments that specify the moments.
struct SpecArguments {
  int order = 30;
  std::string family = "zernike";
  std::optional<std::string> method;
  int points = 1;
  std::optional<std::string> mask;
  std::optional<int> angular_order;
  ConventionSpec convention = {};
};

/// The specification that the arguments describe. Throws UsageError for values out of range and
/// unknown names.
MomentSpec spec_from(const SpecArguments& arguments);

/// Order n and repetition m of each moment, int32 (moments, 2).
pybind11::array_t<int> index_array(std::span<const MomentIndex> indices);

/// A plan that several Python threads may share. Only one of them computes at a time.
class Plan {
 public:
  Plan(const MomentSpec& spec, const ArraySize& size, const PlanOptions& options)
      : plan_(make_moment_plan(spec, size, options)) {}

  const MomentSpec& spec() const { return plan_->spec(); }
  const ArraySize& size() const { return plan_->size(); }
  std::size_t moment_count() const { return plan_->moment_count(); }
  std::span<const MomentIndex> indices() const { return plan_->indices(); }

  void moments(const ImageBatch& images, std::span<Complex> out) {
    const std::lock_guard lock(mutex_);
    plan_->moments(images, out);
  }
  void magnitudes(const ImageBatch& images, std::span<float> out) {
    const std::lock_guard lock(mutex_);
    plan_->magnitudes(images, out);
  }
  void reconstruct(std::span<const Complex> moments, const MomentSelection& selection,
                   std::span<double> images) {
    const std::lock_guard lock(mutex_);
    plan_->reconstruct(moments, selection, images);
  }
  std::vector<unsigned char> mask() {
    const std::lock_guard lock(mutex_);
    const auto pixels = plan_->mask().pixels();
    return {pixels.begin(), pixels.end()};
  }
  std::string describe() {
    const std::lock_guard lock(mutex_);
    return plan_->describe();
  }

  ImageArray checked(const pybind11::object& object) const {
    ImageArray images = image_array(object, size().is_volume());
    if (images.images.size != size()) {
      throw UsageError("images of " + leafglyph::describe(images.images.size) +
                       ", but the plan is for " + leafglyph::describe(size()));
    }
    return images;
  }

 private:
  std::unique_ptr<MomentPlan> plan_;
  std::mutex mutex_;
};

template <>
inline constexpr bool kIsBound<Plan> = true;

/// Moments of a batch: complex128 (..., moments), or float64 for families on the square and in the
/// cube.
pybind11::array batch_moments(Plan& plan, const ImageArray& images);
/// Magnitudes of the moments of a batch: float32 (..., moments).
pybind11::array batch_magnitudes(Plan& plan, const ImageArray& images);

}  // namespace leafglyph::python
