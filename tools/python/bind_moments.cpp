// Python functions that compute the moments of numpy arrays in one call.
#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include <string>
#include <variant>

#include "features/base/errors.h"
#include "features/base/text.h"
#include "features/moments/radial.h"
#include "tools/python/arrays.h"
#include "tools/python/bindings.h"
#include "tools/python/long_computation.h"
#include "tools/python/plan.h"

namespace leafglyph::python {
namespace {

using Centre = std::variant<std::monostate, std::string, std::pair<double, double>>;
using Radius = std::variant<std::monostate, std::string, double>;
using DoubleArray = py::array_t<double, py::array::c_style | py::array::forcecast>;

ConventionSpec convention_from(const std::string& name, const Centre& centre,
                               const Radius& radius) {
  std::string centre_name;
  std::string radius_name;
  if (const auto* text = std::get_if<std::string>(&centre)) centre_name = *text;
  if (const auto* point = std::get_if<std::pair<double, double>>(&centre)) {
    centre_name = number_text(point->first) + "," + number_text(point->second);
  }
  if (const auto* text = std::get_if<std::string>(&radius)) radius_name = *text;
  if (const auto* pixels = std::get_if<double>(&radius)) radius_name = number_text(*pixels);
  return convention_from_text(name, centre_name, radius_name);
}

py::array radial_polynomials(int order, int m, const DoubleArray& rho, const std::string& family) {
  const MomentSpec spec{family_from_name(family), order};
  validate(spec);
  if (spec.family != Family::kZernike && spec.family != Family::kPseudoZernike) {
    throw UsageError("family '" + family +
                     "' has no radial polynomials; use zernike or "
                     "pseudo-zernike");
  }
  if (m < 0 || m > order) {
    throw UsageError("m = " + std::to_string(m) + " is not in 0 to " + std::to_string(order) +
                     ", the order");
  }
  const KeptInPlace kept(rho);
  const std::span<const double> radii(rho.data(), static_cast<std::size_t>(rho.size()));
  if (!std::all_of(radii.begin(), radii.end(), [](double r) { return r >= 0.0 && r <= 1.0; })) {
    throw UsageError("rho has values outside 0 to 1");
  }
  const RadialRecurrence recurrence(spec.family, m, order);
  const auto terms = static_cast<std::size_t>(recurrence.count());
  std::vector<py::ssize_t> shape{static_cast<py::ssize_t>(terms)};
  shape.insert(shape.end(), rho.shape(), rho.shape() + rho.ndim());
  py::array_t<double> result(shape);
  double* const out = result.mutable_data();
  without_gil([&] {
    std::vector<double> values;
    for (std::size_t p = 0; p < radii.size(); ++p) {
      radial_values(recurrence, radii[p], values);
      for (std::size_t i = 0; i < terms; ++i) out[i * radii.size() + p] = values[i];
    }
  });
  return result;
}

constexpr const char* kMomentsDoc =
    R"(The moments of images. To compute many batches, use a MomentPlan.

images: (..., rows, columns), as for MomentPlan.moments.
order, family, method, points, mask, angular_order, device, precision: as for MomentPlan.
convention: textbook, mahotas, centrosome or nyxus.
centre: image, centroid, enclosing or (x, y), column and row of the unit circle's centre in pixels;
    radius: inscribed, shorter, enclosing or a number of pixels; None: the convention's own. On such
    circles images need not be square, and moments are computed on the CPU.
Returns complex128 (..., moments), or float64 for families on the square. Column c is
moment_indices(...)[c].
Raises what MomentPlan and MomentPlan.moments raise, and InputError for images without such a circle.)";

constexpr const char* kMagnitudesDoc = R"(The magnitudes |moment| of images, float32 (..., moments).

Arguments and errors are those of moments().)";

constexpr const char* kIndicesDoc =
    R"(n and m of each stored moment of a family, int32 (moments, 2), in the order of the columns.

Raises UsageError for values out of range.)";

constexpr const char* kRadialDoc = R"(Radial polynomials R_nm(rho) for every n from m to order.

rho: float64 of any shape, from 0 to 1. family: zernike (n = m, m + 2, ...) or pseudo-zernike
    (n = m, m + 1, ...).
Returns float64 (number of n, ...).
Raises UsageError for values out of range.)";

// Makes a plan for one batch and calls compute(plan, images).
template <class Compute>
auto call_once(const Compute& compute) {
  return [compute](const py::object& object, int order, const std::string& family,
                   const std::optional<std::string>& method, int points,
                   const std::optional<std::string>& mask, const std::optional<int>& angular_order,
                   const std::string& convention, const Centre& centre, const Radius& radius,
                   const std::string& device, const std::string& precision) {
    const ImageArray images = image_array(object, /*volumes=*/false);
    const MomentSpec spec = spec_from({order, family, method, points, mask, angular_order,
                                       convention_from(convention, centre, radius)});
    Plan plan(spec, images.images.size, plan_options(device, precision));
    return compute(plan, images);
  };
}

template <class Function>
void define_once(py::module_& module, const char* name, const Function& function,
                 const char* documentation) {
  using namespace pybind11::literals;
  module.def(name, function, "images"_a, "order"_a = 30, py::kw_only(), "family"_a = "zernike",
             "method"_a = py::none(), "points"_a = 1, "mask"_a = py::none(),
             "angular_order"_a = py::none(), "convention"_a = "textbook", "centre"_a = py::none(),
             "radius"_a = py::none(), "device"_a = "auto", "precision"_a = "double", documentation);
}

}  // namespace

PlanOptions plan_options(const std::string& device, const std::string& precision) {
  PlanOptions options;
  options.device = device_from_name(device);
  if (precision == "float") {
    options.precision = Precision::kFloat;
  } else if (precision != "double") {
    throw UsageError("precision '" + precision + "' is unknown; use double or float");
  }
  return options;
}

void bind_moments(py::module_& module) {
  using namespace pybind11::literals;
  define_once(module, "moments", call_once(&batch_moments), kMomentsDoc);
  define_once(module, "magnitudes", call_once(&batch_magnitudes), kMagnitudesDoc);
  module.def(
      "moment_indices",
      [](int order, const std::string& family, const std::optional<int>& angular_order) {
        const MomentSpec spec = spec_from({order, family, {}, 1, {}, angular_order});
        return index_array(moment_indices(spec));
      },
      "order"_a, py::kw_only(), "family"_a = "zernike", "angular_order"_a = py::none(),
      kIndicesDoc);
  module.def("radial_polynomials", &radial_polynomials, "order"_a, "m"_a, "rho"_a, py::kw_only(),
             "family"_a = "zernike", kRadialDoc);
}

}  // namespace leafglyph::python
