// Moments of numpy arrays, and images from moments.
#include <pybind11/complex.h>
#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include <algorithm>
#include <complex>
#include <memory>
#include <mutex>
#include <string>
#include <variant>

#include "features/base/errors.h"
#include "features/base/number_text.h"
#include "features/convention/convention_moments.h"
#include "features/moments/radial.h"
#include "tools/python/arrays.h"
#include "tools/python/bindings.h"
#include "tools/python/long_computation.h"

namespace leafglyph::python {
namespace {

using Complex = std::complex<double>;
using Side = std::variant<int, std::vector<int>>;
using Centre = std::variant<std::monostate, std::string, std::pair<double, double>>;
using Radius = std::variant<std::monostate, std::string, double>;
using ComplexArray = py::array_t<Complex, py::array::c_style | py::array::forcecast>;
using DoubleArray = py::array_t<double, py::array::c_style | py::array::forcecast>;

// (rows, columns) or (slices, rows, columns), as numpy has them; a number is that of a square.
ArraySize size_from(const Side& side) {
  if (const int* square = std::get_if<int>(&side)) return *square;
  const auto& lengths = std::get<std::vector<int>>(side);
  if (lengths.size() == 2) return {lengths[1], lengths[0]};
  if (lengths.size() == 3) {
    if (lengths[0] < 1) throw UsageError("a volume of " + std::to_string(lengths[0]) + " slices");
    return {lengths[2], lengths[1], lengths[0]};
  }
  throw UsageError("a size is N, (rows, columns) or (slices, rows, columns), not " +
                   std::to_string(lengths.size()) + " numbers");
}

std::vector<std::size_t> shape_of(const ArraySize& size) {
  std::vector<std::size_t> shape;
  if (size.is_volume()) shape.push_back(static_cast<std::size_t>(size.depth));
  shape.push_back(static_cast<std::size_t>(size.height));
  shape.push_back(static_cast<std::size_t>(size.width));
  return shape;
}

struct SpecArguments {
  int order = 30;
  std::string family = "zernike";
  std::optional<std::string> method;
  int points = 1;
  std::optional<std::string> mask;
  std::optional<int> angular_order;
};

MomentSpec spec_from(const SpecArguments& arguments, const ConventionSpec& convention = {}) {
  MomentSpec spec;
  const WeightedFamily family = weighted_family_from_text(arguments.family);
  spec.family = family.family;
  spec.weight = family.weight;
  spec.order = arguments.order;
  spec.method = arguments.method ? method_from_name(*arguments.method)
                                 : default_method(convention, spec.family);
  if (!arguments.method && arguments.points != 1) spec.method = Method::kSubregion;
  spec.points = arguments.points;
  if (arguments.mask) spec.mask = mask_from_name(*arguments.mask);
  spec.angular_order = arguments.angular_order;
  validate(convention, spec);
  return spec;
}

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

// Computes a batch with anything that has moments(), magnitudes() and moment_count().
template <class Engine>
py::array batch_moments(Engine& engine, const ImageArray& images, bool real) {
  const std::size_t count = engine.moment_count();
  py::array_t<Complex> result(result_shape(images.batch, {count}));
  const std::span<Complex> out(result.mutable_data(), images.count * count);
  without_gil([&] {
    for_each_batch(images, [&](const ImageBatch& batch, std::size_t first) {
      engine.moments(batch, out.subspan(first * count, batch.count * count));
    });
  });
  if (!real) return result;
  return py::array(result.attr("real").attr("copy")());
}

template <class Engine>
py::array batch_magnitudes(Engine& engine, const ImageArray& images) {
  const std::size_t count = engine.moment_count();
  py::array_t<float> result(result_shape(images.batch, {count}));
  const std::span<float> out(result.mutable_data(), images.count * count);
  without_gil([&] {
    for_each_batch(images, [&](const ImageBatch& batch, std::size_t first) {
      engine.magnitudes(batch, out.subspan(first * count, batch.count * count));
    });
  });
  return result;
}

// A plan that several Python threads may share: one computes at a time.
class Plan {
 public:
  Plan(const SpecArguments& arguments, const ArraySize& size, const PlanOptions& options)
      : plan_(make_moment_plan(spec_from(arguments), size, options)) {}

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

  ImageArray checked(const py::object& object) const {
    ImageArray images = image_array(object, size().is_volume());
    if (images.size != size()) {
      throw UsageError("images of " + leafglyph::describe(images.size) + ", but the plan is for " +
                       leafglyph::describe(size()));
    }
    return images;
  }

 private:
  std::unique_ptr<MomentPlan> plan_;
  std::mutex mutex_;
};

bool is_real(const MomentSpec& spec) { return !is_circular(spec.family); }

py::array reconstruct(Plan& plan, const ComplexArray& moments, int first, std::optional<int> last,
                      const std::string& repetitions) {
  const auto count = static_cast<py::ssize_t>(plan.moment_count());
  if (moments.ndim() < 1 || moments.shape(moments.ndim() - 1) != count) {
    throw UsageError("moments of shape " + py::str(moments.attr("shape")).cast<std::string>() +
                     "; the last axis of " + leafglyph::describe(plan.spec()) + " has length " +
                     std::to_string(count));
  }
  std::vector<py::ssize_t> batch(moments.shape(), moments.shape() + moments.ndim() - 1);
  py::array_t<double> images(result_shape(batch, shape_of(plan.size())));
  const std::span<const Complex> in(moments.data(), static_cast<std::size_t>(moments.size()));
  const std::span<double> out(images.mutable_data(), static_cast<std::size_t>(images.size()));
  const MomentSelection selection{first, last.value_or(top_order(plan.spec())),
                                  repetitions_from_name(repetitions)};
  if (!in.empty()) without_gil([&] { plan.reconstruct(in, selection, out); });
  return images;
}

py::array_t<int> index_array(std::span<const MomentIndex> indices) {
  py::array_t<int> array({indices.size(), std::size_t{2}});
  auto at = array.mutable_unchecked<2>();
  for (std::size_t c = 0; c < indices.size(); ++c) {
    at(static_cast<py::ssize_t>(c), 0) = indices[c].n;
    at(static_cast<py::ssize_t>(c), 1) = indices[c].m;
  }
  return array;
}

// Degrees of the moments of a volume, in their order of storage.
py::array_t<int> volume_indices(int order, std::size_t count) {
  py::array_t<int> array({count, std::size_t{3}});
  auto at = array.mutable_unchecked<2>();
  for (int n = 0; n <= order; ++n) {
    for (int m = 0; n + m <= order; ++m) {
      for (int o = 0; n + m + o <= order; ++o) {
        const auto c = static_cast<py::ssize_t>(volume_moment_position(n, m, o));
        at(c, 0) = n;
        at(c, 1) = m;
        at(c, 2) = o;
      }
    }
  }
  return array;
}

py::array_t<int> plan_indices(const Plan& plan) {
  return plan.size().is_volume() ? volume_indices(plan.spec().order, plan.moment_count())
                                 : index_array(plan.indices());
}

py::array plan_mask(Plan& plan) {
  if (plan.size().is_volume()) throw UsageError("every voxel counts; volumes have no mask");
  const std::vector<unsigned char> pixels = plan.mask();
  py::array_t<bool> mask(result_shape({}, shape_of(plan.size())));
  std::copy(pixels.begin(), pixels.end(), mask.mutable_data());
  return mask;
}

struct CallArguments {
  SpecArguments spec;
  std::string convention = "textbook";
  Centre centre;
  Radius radius;
  std::string device;
  std::string precision;
};

// One batch, by a plan or by sums over pixels: use(engine, images, whether the moments are real).
template <class Use>
py::array compute_once(const py::object& object, const CallArguments& arguments, const Use& use) {
  const ImageArray images = image_array(object, /*volumes=*/false);
  const ConventionSpec convention =
      convention_from(arguments.convention, arguments.centre, arguments.radius);
  const PlanOptions options = plan_options(arguments.device, arguments.precision);
  if (is_inscribed_textbook(convention)) {
    Plan plan(arguments.spec, images.size, options);
    return use(plan, images, is_real(plan.spec()));
  }
  if (options.device.kind == DeviceChoice::Kind::kCuda) {
    throw UsageError("there is no CUDA for convention " + describe(convention) +
                     "; use device='cpu'");
  }
  const ConventionMoments sums(convention, spec_from(arguments.spec, convention), images.size);
  return use(sums, images, false);
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
  const std::span<const double> radii(rho.data(), static_cast<std::size_t>(rho.size()));
  if (!std::all_of(radii.begin(), radii.end(), [](double r) { return r >= 0.0 && r <= 1.0; })) {
    throw UsageError("rho holds values that are not in 0 to 1");
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

constexpr const char* kPlanDoc =
    R"(Moments of batches of images of one size, and images from moments.

Tables are made once, when a direction is first used; a plan pays when it is used more than once.
Threads may share it; one computes at a time, without Python's lock.

size: N, (rows, columns) or, for legendre, gegenbauer and jacobi, (slices, rows, columns); families
    on the disk take squares. order: every moment of order n <= order.
family: zernike, pseudo-zernike, bessel-fourier, legendre, gegenbauer:G or jacobi:A:B.
method: exact, adaptive, sub-regions or gauss, the last two with points x points in a pixel; without
    it the family's default, or sub-regions where points is not 1.
mask: centre or whole, the pixels that count at the rim of the disk.
angular_order: bessel-fourier's highest m where it is not the order.
device: auto, cpu, cuda, cuda:I or cuda:all. precision: double, or float, whose relative error is
    at most 2e-6.

Raises UsageError for values out of range, InputError when the memory does not suffice, Error when a
GPU is asked for and there is none.)";

constexpr const char* kPlanMomentsDoc = R"(The moments of images.

images: (..., rows, columns), for volumes (..., slices, rows, columns), of the plan's size; bool,
    uint8, uint16, float32 or float64, C-contiguous.
Returns complex128 (..., moments), on the square and in the cube float64; column c is indices[c].
Raises TypeError for other dtypes, UsageError for another size or layout, InputError for values that
are not finite, KeyboardInterrupt on Ctrl-C.)";

constexpr const char* kPlanMagnitudesDoc =
    R"(The magnitudes |moment| of images, float32 (..., moments).

images and errors as those of moments().)";

constexpr const char* kReconstructDoc = R"(Images from moments.

moments: (..., moments), complex128 or what converts to it, as moments() returns them.
first_order, last_order: only moments of these orders count; None: to the highest.
repetitions: all, or on the disk zero, positive, negative, nonnegative or nonpositive.
Returns float64 (..., rows, columns), 0 where a pixel does not count, not clipped.
Raises UsageError for shapes and orders that do not fit, InputError for moments that are not finite,
KeyboardInterrupt on Ctrl-C.)";

constexpr const char* kMomentsDoc = R"(The moments of images, once; with a MomentPlan many times.

images: (..., rows, columns), as MomentPlan.moments takes them.
order, family, method, points, mask, angular_order, device, precision: as those of MomentPlan.
convention: textbook, mahotas, centrosome or nyxus, whose numbers are wanted.
centre: image, centroid, enclosing or (x, y), column and row of the unit circle's centre in pixels;
    radius: inscribed, shorter, enclosing or a number of pixels; None: the convention's own. On such
    circles images need not be square, and are computed on the CPU.
Returns complex128 (..., moments), on the square float64; column c is moment_indices(...)[c].
Raises as MomentPlan and MomentPlan.moments, and InputError for images without such a circle.)";

constexpr const char* kMagnitudesDoc = R"(The magnitudes |moment| of images, float32 (..., moments).

Arguments and errors as those of moments().)";

constexpr const char* kIndicesDoc =
    R"(n and m of each stored moment of a family, int32 (moments, 2), in the order of the columns.

Raises UsageError for values out of range.)";

constexpr const char* kRadialDoc = R"(Radial polynomials R_nm(rho) for every n from m to order.

rho: float64 of any shape, from 0 to 1. family: zernike (n = m, m + 2, ...) or pseudo-zernike
    (n = m, m + 1, ...).
Returns float64 (number of n, ...).
Raises UsageError for values out of range.)";

void bind_plan(py::module_& module) {
  using namespace pybind11::literals;
  py::class_<Plan>(module, "MomentPlan", kPlanDoc)
      .def(py::init([](const Side& size, int order, const std::string& family,
                       const std::optional<std::string>& method, int points,
                       const std::optional<std::string>& mask,
                       const std::optional<int>& angular_order, const std::string& device,
                       const std::string& precision) {
             return std::make_unique<Plan>(
                 SpecArguments{order, family, method, points, mask, angular_order}, size_from(size),
                 plan_options(device, precision));
           }),
           "size"_a, "order"_a = 30, py::kw_only(), "family"_a = "zernike", "method"_a = py::none(),
           "points"_a = 1, "mask"_a = py::none(), "angular_order"_a = py::none(),
           "device"_a = "auto", "precision"_a = "double")
      .def(
          "moments",
          [](Plan& plan, const py::object& images) {
            return batch_moments(plan, plan.checked(images), is_real(plan.spec()));
          },
          "images"_a, kPlanMomentsDoc)
      .def(
          "magnitudes",
          [](Plan& plan, const py::object& images) {
            return batch_magnitudes(plan, plan.checked(images));
          },
          "images"_a, kPlanMagnitudesDoc)
      .def("reconstruct", &reconstruct, "moments"_a, py::kw_only(), "first_order"_a = 0,
           "last_order"_a = py::none(), "repetitions"_a = "all", kReconstructDoc)
      .def_property_readonly(
          "order", [](const Plan& plan) { return plan.spec().order; }, "The highest order.")
      .def_property_readonly(
          "family",
          [](const Plan& plan) {
            return family_text({plan.spec().family, plan.spec().weight});
          },
          "The family's name.")
      .def_property_readonly(
          "size", [](const Plan& plan) { return py::tuple(py::cast(shape_of(plan.size()))); },
          "(rows, columns) or (slices, rows, columns).")
      .def_property_readonly("indices", &plan_indices,
                             "int32 (moments, 2), n and m of each column; of volumes (moments, 3), "
                             "the degrees in x, y and z.")
      .def_property_readonly("mask", &plan_mask, "bool (rows, columns), the pixels that count.")
      .def(
          "describe", [](Plan& plan) { return without_gil([&] { return plan.describe(); }); },
          "One line on what computes moments: method, arithmetic, instruction set or GPU.")
      .def("__len__", &Plan::moment_count)
      .def("__repr__", [](const Plan& plan) {
        return "<leafglyph.MomentPlan: " + leafglyph::describe(plan.spec()) + ", " +
               leafglyph::describe(plan.size()) + ">";
      });
}

template <class Use>
auto call_once(const Use& use) {
  return [use](const py::object& images, int order, const std::string& family,
               const std::optional<std::string>& method, int points,
               const std::optional<std::string>& mask, const std::optional<int>& angular_order,
               const std::string& convention, const Centre& centre, const Radius& radius,
               const std::string& device, const std::string& precision) {
    return compute_once(images,
                        {{order, family, method, points, mask, angular_order},
                         convention,
                         centre,
                         radius,
                         device,
                         precision},
                        use);
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
  bind_plan(module);
  define_once(module, "moments", call_once([](auto& engine, const ImageArray& images, bool real) {
                return batch_moments(engine, images, real);
              }),
              kMomentsDoc);
  define_once(module, "magnitudes", call_once([](auto& engine, const ImageArray& images, bool) {
                return batch_magnitudes(engine, images);
              }),
              kMagnitudesDoc);
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
