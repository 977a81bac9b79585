// The Python class MomentPlan.
#include <pybind11/pybind11.h>

#include <algorithm>
#include <variant>

#include "features/moments/ball_grid.h"
#include "features/moments/ball_moments.h"
#include "tools/python/bindings.h"
#include "tools/python/plan.h"

namespace leafglyph::python {
namespace {

using Side = std::variant<int, std::vector<int>>;

// (rows, columns) or (slices, rows, columns), in numpy's order; a single number means a square.
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

// Images that `make` writes from rows of numbers, one for each moment.
py::array images_from(Plan& plan, const py::object& object, const char* what, const auto& make) {
  const auto rows = contiguous<Complex>(object, what);
  const KeptInPlace kept(rows);
  const auto count = static_cast<py::ssize_t>(plan.moment_count());
  if (rows.ndim() < 1 || rows.shape(rows.ndim() - 1) != count) {
    throw UsageError(std::string(what) + " of shape " +
                     py::str(rows.attr("shape")).cast<std::string>() + "; the last axis of " +
                     leafglyph::describe(plan.spec()) + " has length " + std::to_string(count));
  }
  std::vector<py::ssize_t> batch(rows.shape(), rows.shape() + rows.ndim() - 1);
  py::array_t<double> images(result_shape(batch, shape_of(plan.size())));
  const std::span<const Complex> in(rows.data(), static_cast<std::size_t>(rows.size()));
  const std::span<double> out(images.mutable_data(), static_cast<std::size_t>(images.size()));
  if (!in.empty()) without_gil([&] { make(in, out); });
  return images;
}

py::array reconstruct(Plan& plan, const py::object& object, int first, std::optional<int> last,
                      const std::string& repetitions) {
  const MomentSelection selection{first, last.value_or(top_order(plan.spec())),
                                  from_name<Repetitions>(repetitions)};
  return images_from(plan, object, "moments",
                     [&](auto in, auto out) { plan.reconstruct(in, selection, out); });
}

py::array vjp(Plan& plan, const py::object& object) {
  return images_from(plan, object, "gradients", [&](auto in, auto out) { plan.gradient(in, out); });
}

// The three numbers of each moment of a volume, in storage order.
py::array_t<int> volume_indices(const MomentSpec& spec) {
  const std::vector<VolumeMomentIndex> indices = volume_moment_indices(spec);
  py::array_t<int> array({indices.size(), std::size_t{3}});
  std::copy_n(indices.data()->data(), static_cast<std::size_t>(array.size()), array.mutable_data());
  return array;
}

py::array_t<int> plan_indices(const Plan& plan) {
  return plan.size().is_volume() ? volume_indices(plan.spec()) : index_array(plan.indices());
}

py::array plan_mask(Plan& plan) {
  py::array_t<bool> mask(result_shape({}, shape_of(plan.size())));
  if (is_spherical(plan.spec().family)) {
    const BallGrid grid(plan.size());
    for (std::size_t v = 0; v < plan.size().elements(); ++v) {
      mask.mutable_data()[v] = grid.contains(v);
    }
    return mask;
  }
  if (plan.size().is_volume()) throw UsageError("every voxel counts; volumes have no mask");
  const std::vector<unsigned char> pixels = plan.mask();
  std::copy(pixels.begin(), pixels.end(), mask.mutable_data());
  return mask;
}

void check_has_norms(const Plan& plan) {
  if (is_spherical(plan.spec().family)) return;
  throw UsageError(std::string(family_name(plan.spec().family)) +
                   " moments have no norms that turning keeps; use family zernike-3d");
}

py::array_t<int> plan_norm_indices(const Plan& plan) {
  check_has_norms(plan);
  return index_array(ball_norm_indices(plan.spec().order));
}

// ||Omega_nl|| of a batch, (..., norms).
py::array plan_norms(Plan& plan, const py::object& object) {
  check_has_norms(plan);
  const ImageArrays volumes = plan.checked(object);
  const int order = plan.spec().order;
  py::array_t<double> result(result_shape(volumes.batch(), {ball_norm_count(order)}));
  const std::span<double> out(result.mutable_data(), static_cast<std::size_t>(result.size()));
  without_gil([&] {
    std::vector<Complex> moments(volumes.count() * plan.moment_count());
    compute(plan, volumes, std::span(moments));
    ball_norms(order, moments, out);
  });
  return result;
}

// Moments or magnitudes of a batch, (..., moments).
template <class Value>
py::array batch_values(Plan& plan, const py::object& object) {
  const ImageArrays images = plan.checked(object);
  py::array_t<Value> result(result_shape(images.batch(), {plan.moment_count()}));
  const std::span<Value> out(result.mutable_data(), static_cast<std::size_t>(result.size()));
  without_gil([&] { compute(plan, images, out); });
  return result_array(result, plan.spec().family);
}

// The arguments that a plan was made from, and a plan of these: its tables are not pickled.
py::tuple plan_state(const Plan& plan) {
  const MomentSpec& spec = plan.spec();
  return py::make_tuple(
      shape_of(plan.size()), spec.order, family_text({spec.family, spec.weight}),
      std::string(name_of(spec.method)), spec.points,
      spec.mask ? py::object(py::str(std::string(name_of(*spec.mask)))) : py::object(py::none()),
      spec.angular_order, plan.device(), plan.precision(), plan.images());
}

std::unique_ptr<Plan> plan_from(const py::tuple& state) {
  std::vector<int> shape = state[0].cast<std::vector<int>>();
  SpecArguments arguments{state[1].cast<int>(),
                          state[2].cast<std::string>(),
                          state[3].cast<std::string>(),
                          state[4].cast<int>(),
                          state[5].cast<std::optional<std::string>>(),
                          state[6].cast<std::optional<int>>()};
  return std::make_unique<Plan>(spec_from(arguments), size_from(shape),
                                state[7].cast<std::string>(), state[8].cast<std::string>(),
                                state[9].cast<std::size_t>());
}

constexpr const char* kPlanDoc =
    R"(Moments of batches of images of one size, and images from moments.

Tables are made once, when a direction is first used, so a plan pays off if it is used more than
once. Threads may share it; one computes at a time, with the GIL released.

size: N, (rows, columns) or, for legendre, gegenbauer, jacobi, tchebichef, krawtchouk and zernike-3d,
    (slices, rows, columns); families on the disk take squares. order: every moment of order n <= order.
family: zernike, pseudo-zernike, bessel-fourier, jacobi-fourier:P:Q, fourier-mellin,
    chebyshev-fourier, exponent-fourier, pcet[:S], pct[:S], pst[:S], legendre, gegenbauer:G, jacobi:A:B,
    tchebichef or krawtchouk[:PX:PY]; zernike-3d in the ball inscribed in a volume.
method: exact, adaptive, sub-regions or gauss, the last two with points x points per pixel; default:
    the family's, or sub-regions if points is not 1.
mask: centre or whole, the pixels that count at the rim of the disk.
angular_order: the highest m of bessel-fourier; default: the order.
device: auto, cpu, cuda, cuda:I or cuda:all. precision: double, or float, whose relative error is
    at most 2e-6.
images: about how many come, which decides the algorithm that is cheapest for so many: 1 for one
    picture, thousands for a data set. Only the last digits depend on it.

Raises UsageError for values out of range, InputError when the memory does not suffice, Error when a
GPU is asked for and there is none.)";

constexpr const char* kPlanMomentsDoc = R"(The moments of images.

images: (..., rows, columns), for volumes (..., slices, rows, columns), of the plan's size, or a list of
    them; bool, integers or floats, or what numpy.asarray makes an array of: nested lists, PIL images,
    data frames. C-contiguous bool, uint8, uint16, float32 and float64 arrays are
    read in place. Others are copied, a few megabytes at a time, and other dtypes become float64.
Returns complex128 (..., moments), or float64 on the square and in the cube. Column c is indices[c].
Raises TypeError for other dtypes and masked arrays, UsageError for another size, InputError for values that are not
finite, KeyboardInterrupt on Ctrl-C.)";

constexpr const char* kPlanMagnitudesDoc =
    R"(The magnitudes |moment| of images, float32 (..., moments).

Images and errors are those of moments().)";

constexpr const char* kPlanNormsDoc =
    R"(The norms ||Omega_nl|| of volumes, which turning and mirroring keep: zernike-3d only.

The root of the sum of |moment|^2 over all 2 l + 1 repetitions m. Returns float64 (..., norms);
column c is norm_indices[c]. Volumes and errors are those of moments().)";

constexpr const char* kReconstructDoc = R"(Images from moments.

moments: (..., moments), complex128 or convertible to it, as returned by moments().
first_order, last_order: the range of orders to use; None: up to the highest.
repetitions: all, or on the disk and the ball zero, positive, negative, nonnegative or nonpositive.
Returns float64 (..., rows, columns), not clipped, 0 for pixels that do not count.
Raises UsageError for unsuitable shapes and orders, InputError for moments that are not finite,
KeyboardInterrupt on Ctrl-C.)";

constexpr const char* kVjpDoc = R"(The gradient by the pixels, from that by the moments.

gradients: (..., moments), complex: dL/dRe + j dL/dIm of a number L, as torch has them; on the square real.
Returns float64 (..., rows, columns): dL/d(pixel), Re(sum of g conj(K)) with the integrals K of the
kernels over the pixel; 0 for pixels that do not count.
Raises UsageError for unsuitable shapes, for adaptive points, Gauss points of families with a phase, the
exact method with mask centre, and volumes; InputError where the tables do not fit.)";

}  // namespace

MomentSpec spec_from(const SpecArguments& arguments) {
  MomentSpec spec;
  const WeightedFamily family = volume_family_from_text(arguments.family);
  spec.family = family.family;
  spec.weight = family.weight;
  spec.order = arguments.order;
  spec.method = arguments.method ? from_name<Method>(*arguments.method)
                                 : default_method(spec.family, arguments.convention);
  if (!arguments.method && arguments.points != 1) spec.method = Method::kSubregion;
  spec.points = arguments.points;
  if (arguments.mask) spec.mask = from_name<Mask>(*arguments.mask);
  spec.angular_order = arguments.angular_order;
  spec.convention = arguments.convention;
  validate(spec);
  return spec;
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

void bind_plan(py::module_& module) {
  using namespace pybind11::literals;
  py::class_<Plan>(module, "MomentPlan", kPlanDoc)
      .def(py::init([](const Side& size, Order order, const std::string& family,
                       const std::optional<std::string>& method, int points,
                       const std::optional<std::string>& mask,
                       const std::optional<int>& angular_order, const std::string& device,
                       const std::string& precision, std::size_t images) {
             return std::make_unique<Plan>(
                 spec_from({order, family, method, points, mask, angular_order}), size_from(size),
                 device, precision, images);
           }),
           "size"_a, "order"_a = Order{30}, py::kw_only(), "family"_a = "zernike",
           "method"_a = py::none(), "points"_a = 1, "mask"_a = py::none(),
           "angular_order"_a = py::none(), "device"_a = "auto", "precision"_a = "double",
           "images"_a = kSomeImages)
      .def(py::pickle(&plan_state, &plan_from))
      .def("moments", &batch_values<Complex>, "images"_a, kPlanMomentsDoc)
      .def("magnitudes", &batch_values<float>, "images"_a, kPlanMagnitudesDoc)
      .def("norms", &plan_norms, "volumes"_a, kPlanNormsDoc)
      .def("reconstruct", &reconstruct, "moments"_a, py::kw_only(), "first_order"_a = 0,
           "last_order"_a = py::none(), "repetitions"_a = "all", kReconstructDoc)
      .def("vjp", &vjp, "gradients"_a, kVjpDoc)
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
                             "the degrees in x, y and z, of zernike-3d n, l and m.")
      .def_property_readonly("norm_indices", &plan_norm_indices,
                             "int32 (norms, 2), n and l of each column of norms().")
      .def_property_readonly("mask", &plan_mask,
                             "bool (rows, columns), the pixels that count; of zernike-3d (slices, "
                             "rows, columns).")
      .def(
          "describe", [](Plan& plan) { return without_gil([&] { return plan.describe(); }); },
          "One line on what computes moments: method, arithmetic, instruction set or GPU.")
      .def("__len__", &Plan::moment_count)
      .def("__repr__", [](const Plan& plan) {
        return "<leafglyph.MomentPlan: " + leafglyph::describe(plan.spec()) + ", " +
               leafglyph::describe(plan.size()) + ">";
      });
}

}  // namespace leafglyph::python
