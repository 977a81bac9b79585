// The plan that Python sees, and functions that pass batches of numpy arrays through it.
#pragma once

#include <pybind11/complex.h>
#include <pybind11/numpy.h>
#include <pybind11/stl.h>

#include <algorithm>
#include <complex>
#include <cstddef>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

#include "features/base/errors.h"
#include "gpu/moment_gradient.h"
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
  /// images: about how many come. Throws UsageError for unknown names, and what make_moment_plan
  /// throws.
  Plan(const MomentSpec& spec, const ArraySize& size, const std::string& device,
       const std::string& precision, std::size_t images)
      : device_(device),
        precision_(precision),
        images_(images),
        plan_(make_moment_plan(spec, size, plan_options(device, precision, images))) {}

  const MomentSpec& spec() const { return plan_->spec(); }
  const ArraySize& size() const { return plan_->size(); }
  const std::string& device() const { return device_; }
  const std::string& precision() const { return precision_; }
  std::size_t images() const { return images_; }
  std::size_t moment_count() const { return plan_->moment_count(); }
  std::span<const MomentIndex> indices() const { return plan_->indices(); }

  bool reads(const ImageBatch& images) {
    const std::lock_guard lock(mutex_);
    return plan_->reads(images);
  }
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
  void gradient(std::span<const Complex> gradients, std::span<double> images) {
    const std::lock_guard lock(mutex_);
    if (!gradient_) {
      gradient_ = std::make_unique<MomentGradient>(spec(), size(),
                                                   plan_options(device_, "double", images_));
    }
    gradient_->apply(gradients, images);
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

  ImageArrays checked(const pybind11::object& object) const {
    ImageArrays images = image_arrays(object, size().is_volume());
    if (images.size() != size()) {
      ask_about_colours(images);
      throw UsageError("images of " + leafglyph::describe(images.size()) +
                       ", but the plan is for " + leafglyph::describe(size()));
    }
    return images;
  }

 private:
  std::string device_;
  std::string precision_;
  std::size_t images_;
  std::unique_ptr<MomentPlan> plan_;
  std::unique_ptr<MomentGradient> gradient_;  // made when it is first asked for
  std::mutex mutex_;
};

template <>
inline constexpr bool kIsBound<Plan> = true;

/// What Python asks a plan for: moments, of the type Complex, or magnitudes, of the type float.
/// Moment c of image i goes to out[i * plan.moment_count() + c].
template <class Value>
void compute(Plan& plan, const ImageArrays& images, std::span<Value> out) {
  const std::size_t count = plan.moment_count();
  if (images.count() == 0) return;
  const auto pass_on = [&](const ImageBatch& band, std::size_t first) {
    const std::span<Value> part = out.subspan(first * count, band.count * count);
    if constexpr (std::is_same_v<Value, Complex>) {
      plan.moments(band, part);
    } else {
      plan.magnitudes(band, part);
    }
  };
  images.for_each_band(pass_on, [&](const ImageBatch& batch) { return plan.reads(batch); });
}

/// An array as Python gets it: float64 if its values are moments of a family on the square or in
/// the cube, which are real.
template <class Value>
pybind11::array result_array(const pybind11::array_t<Value>& values, Family family) {
  if constexpr (std::is_same_v<Value, Complex>) {
    if (!has_complex_moments(family)) {
      pybind11::array_t<double> reals({values.shape(), values.shape() + values.ndim()});
      std::transform(values.data(), values.data() + values.size(), reals.mutable_data(),
                     [](const Complex& value) { return value.real(); });
      return reals;
    }
  }
  return values;
}

}  // namespace leafglyph::python
