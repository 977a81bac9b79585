// Python functions that compute the moments of numpy arrays in one call.
#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "features/base/errors.h"
#include "features/base/text.h"
#include "features/image/image.h"
#include "features/moments/radial.h"
#include "tools/python/arrays.h"
#include "tools/python/bindings.h"
#include "tools/python/long_computation.h"
#include "tools/python/plan.h"

namespace leafglyph::python {
namespace {

using Centre = std::variant<std::monostate, std::string, std::pair<double, double>>;
using Radius = std::variant<std::monostate, std::string, double>;

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

py::array radial_polynomials(Order order, int m, const py::object& object,
                             const std::string& family) {
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
  const auto rho = contiguous<double>(object, "rho");
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

images: (..., rows, columns), as for MomentPlan.moments, or a list of images, whose sizes may differ.
labels: integers or bool, (rows, columns), for a single image of that shape: the moments of the region
    of each label above 0, in ascending order. A region is the smallest rectangle around its pixels,
    with 0 elsewhere; the textbook's unit circle is then the smallest around the pixels that are not 0.
order, family, method, points, mask, angular_order, device, precision: as for MomentPlan.
convention: textbook, mahotas, centrosome or nyxus.
centre: image, centroid, enclosing or (x, y), column and row of the unit circle's centre in pixels;
    radius: inscribed, shorter, enclosing or a number of pixels; None: the convention's own. On such
    circles images need not be square, and moments are computed on the CPU.
Returns complex128 (..., moments), or float64 for families on the square; of a list a row per image, of
labels a row per region: of NaN, with a warning, for one without moments, such as of one pixel or all 0.
Column c is moment_indices(...)[c].
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

using Labels = py::array_t<std::int64_t, py::array::c_style | py::array::forcecast>;

Labels labels_from(const py::object& object) {
  if (!py::isinstance<py::array>(object)) throw py::type_error("labels must be a numpy array");
  refuse_masked(object, "labels");
  const auto array = py::reinterpret_borrow<py::array>(object);
  const char kind = array.dtype().kind();
  if (kind != 'b' && kind != 'i' && kind != 'u') {
    throw py::type_error("labels of dtype " + py::str(array.dtype()).cast<std::string>() +
                         "; use integers or bool");
  }
  return Labels(array);
}

std::map<std::int64_t, MaskBox> boxes_of(const std::int64_t* labels, const ArraySize& size) {
  std::map<std::int64_t, MaskBox> boxes;
  for (int row = 0; row < size.height; ++row) {
    for (int column = 0; column < size.width; ++column) {
      const std::int64_t label = *labels++;
      if (label <= 0) continue;
      const auto [place, added] = boxes.try_emplace(label, MaskBox{column, row, column, row});
      MaskBox& box = place->second;
      box.left = std::min(box.left, column);
      box.right = std::max(box.right, column);
      box.bottom = row;
    }
  }
  return boxes;
}

// The regions of a label image as images of their own.
struct Regions {
  py::list images;                 // float64 arrays (rows, columns)
  std::vector<std::string> names;  // "label 7", for errors
};

// For each label above 0, in ascending order, the smallest rectangle around its pixels, cut from
// the image, with 0 at the pixels of other labels.
Regions regions_of(const py::object& image, const py::object& labels) {
  const ImageArrays images = image_arrays(image, /*volumes=*/false);
  const ArraySize& size = images.size();
  const Labels numbers = labels_from(labels);
  if (!images.batch().empty() || numbers.ndim() != 2 || numbers.shape(0) != size.height ||
      numbers.shape(1) != size.width) {
    throw UsageError("labels of shape " + py::str(numbers.attr("shape")).cast<std::string>() +
                     " need one image (rows, columns) of the same shape");
  }
  std::vector<double> values;
  images.for_each_band([&](const ImageBatch& band, std::size_t) {
    with_pixels(band.type, band.pixels,
                [&](const auto* pixels) { values.assign(pixels, pixels + size.elements()); });
  });
  Regions regions;
  const std::int64_t* const of_pixel = numbers.data();
  for (const auto& [label, box] : boxes_of(of_pixel, size)) {
    py::array_t<double> region({box.height(), box.width()});
    double* out = region.mutable_data();
    for (int row = box.top; row <= box.bottom; ++row) {
      for (int column = box.left; column <= box.right; ++column) {
        const std::size_t p = static_cast<std::size_t>(row) * static_cast<std::size_t>(size.width) +
                              static_cast<std::size_t>(column);
        *out++ = of_pixel[p] == label ? values[p] : 0.0;
      }
    }
    regions.images.append(region);
    regions.names.push_back("label " + std::to_string(label));
  }
  return regions;
}

// The circle of a region that is cut out by its label, for conventions whose own circle is that of
// the whole rectangle.
constexpr const char* kCircleOfRegions = "enclosing";

// The images of one call by their sizes, and how they are arranged in the result.
struct Asked {
  std::vector<ImageArrays> by_size;
  std::vector<py::ssize_t> batch;
};

Asked asked_for(const py::object& images, const py::object& labels) {
  Asked asked;
  if (!labels.is_none()) {
    const Regions regions = regions_of(images, labels);
    asked.by_size = images_by_size(regions.images, regions.names);
    asked.batch = {static_cast<py::ssize_t>(regions.names.size())};
  } else if (const std::optional<py::list> list = list_of_images(images)) {
    asked.by_size = images_by_size(*list);
    asked.batch = {static_cast<py::ssize_t>(list->size())};
  } else {
    asked.by_size.push_back(image_arrays(images, /*volumes=*/false));
    asked.batch = asked.by_size.front().batch();
  }
  return asked;
}

// Moments or magnitudes of images of one size, in their places among `all`.
template <class Value>
void compute_in_places(Plan& plan, const ImageArrays& images, std::span<Value> all) {
  if (images.places().empty()) return compute(plan, images, all);
  const std::size_t count = plan.moment_count();
  std::vector<Value> values(images.count() * count);
  compute(plan, images, std::span<Value>(values));
  for (std::size_t i = 0; i < images.count(); ++i) {
    std::copy_n(values.begin() + static_cast<std::ptrdiff_t>(i * count), count,
                all.begin() + static_cast<std::ptrdiff_t>(images.places()[i] * count));
  }
}

// compute_in_places for regions: those without moments get NaN, and their reasons are added to
// `faults`.
template <class Value>
void compute_or_nan(Plan& plan, const ImageArrays& images, std::span<Value> all,
                    std::vector<std::string>& faults) {
  try {
    without_gil([&] { compute_in_places(plan, images, all); });
  } catch (const InputError& error) {
    for (std::size_t i = 0; images.count() > 1 && i < images.count(); ++i) {
      compute_or_nan(plan, images.only(i), all, faults);
    }
    if (images.count() > 1) return;
    const std::size_t count = plan.moment_count();
    std::ranges::fill(all.subspan(images.places().front() * count, count),
                      Value(std::numeric_limits<float>::quiet_NaN()));
    faults.push_back(error.what());
  }
}

// Makes a plan for each size of the images, and returns their Values: moments or magnitudes.
template <class Value>
py::array values_once(const py::object& object, Order order, const py::object& labels,
                      const std::string& family, const std::optional<std::string>& method,
                      int points, const std::optional<std::string>& mask,
                      const std::optional<int>& angular_order, const std::string& convention,
                      Centre centre, Radius radius, const std::string& device,
                      const std::string& precision) {
  if (!labels.is_none() && from_name<Convention>(convention) == Convention::kTextbook) {
    if (std::holds_alternative<std::monostate>(centre)) centre = kCircleOfRegions;
    if (std::holds_alternative<std::monostate>(radius)) radius = kCircleOfRegions;
  }
  const Asked asked = asked_for(object, labels);
  const MomentSpec spec = spec_from({order, family, method, points, mask, angular_order,
                                     convention_from(convention, centre, radius)});
  py::array_t<Value> result(result_shape(asked.batch, {moment_indices(spec).size()}));
  const std::span<Value> all(result.mutable_data(), static_cast<std::size_t>(result.size()));
  std::vector<std::string> faults;
  for (const ImageArrays& images : asked.by_size) {
    const ArraySize& size = images.size();
    if (is_circular(spec.family) && size.width != size.height) ask_about_colours(images);
    Plan plan(spec, images.size(), device, precision, std::max<std::size_t>(1, images.count()));
    if (labels.is_none()) {
      without_gil([&] { compute_in_places(plan, images, all); });
    } else {
      compute_or_nan(plan, images, all, faults);
    }
  }
  warn(faults);
  return result_array(result, spec.family);
}

template <class Value>
void define_once(py::module_& module, const char* name, const char* documentation) {
  using namespace pybind11::literals;
  module.def(name, &values_once<Value>, "images"_a, "order"_a = Order{30}, py::kw_only(),
             "labels"_a = py::none(), "family"_a = "zernike", "method"_a = py::none(),
             "points"_a = 1, "mask"_a = py::none(), "angular_order"_a = py::none(),
             "convention"_a = "textbook", "centre"_a = py::none(), "radius"_a = py::none(),
             "device"_a = "auto", "precision"_a = "double", documentation);
}

}  // namespace

PlanOptions plan_options(const std::string& device, const std::string& precision,
                         std::size_t images) {
  if (images == 0) throw UsageError("a plan for 0 images; use 1 or more");
  PlanOptions options;
  options.images = images;
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
  define_once<Complex>(module, "moments", kMomentsDoc);
  define_once<float>(module, "magnitudes", kMagnitudesDoc);
  module.def(
      "moment_indices",
      [](Order order, const std::string& family, const std::optional<int>& angular_order) {
        const MomentSpec spec = spec_from({order, family, {}, 1, {}, angular_order});
        return index_array(moment_indices(spec));
      },
      "order"_a, py::kw_only(), "family"_a = "zernike", "angular_order"_a = py::none(),
      kIndicesDoc);
  module.def("radial_polynomials", &radial_polynomials, "order"_a, "m"_a, "rho"_a, py::kw_only(),
             "family"_a = "zernike", kRadialDoc);
}

}  // namespace leafglyph::python
