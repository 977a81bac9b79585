// Fits of Zernike polynomials; leafglyph/fitting.py is what users see.
#include <pybind11/numpy.h>
#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include <array>
#include <cmath>
#include <cstddef>
#include <limits>
#include <numeric>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "features/base/errors.h"
#include "features/fit/zernike_fit.h"
#include "tools/python/bindings.h"
#include "tools/python/long_computation.h"

namespace leafglyph::python {

template <>
inline constexpr bool kIsBound<ZernikeFit> = true;

namespace {

namespace py = pybind11;
using Doubles = py::array_t<double, py::array::c_style | py::array::forcecast>;

std::span<const double> span_of(const Doubles& array) {
  return {array.data(), static_cast<std::size_t>(array.size())};
}

std::vector<ZernikeTerm> terms_from(const std::vector<std::pair<int, int>>& pairs) {
  std::vector<ZernikeTerm> terms;
  for (const auto& [n, m] : pairs) terms.push_back({n, m});
  return terms;
}

// Coefficients (K, terms), and the columns (K, 4) of rms, peak to valley, and both of what is left.
py::tuple fit_maps(const ZernikeFit& fit, const Doubles& maps) {
  const auto count = static_cast<std::size_t>(maps.shape(0));
  const std::vector<FittedMap> fitted = without_gil([&] { return fit.fit(span_of(maps), count); });
  py::array_t<double> coefficients({count, fit.basis().size()}), figures({count, std::size_t{4}});
  for (std::size_t k = 0; k < count; ++k) {
    const FittedMap& map = fitted[k];
    std::copy(map.coefficients.begin(), map.coefficients.end(),
              coefficients.mutable_data(static_cast<py::ssize_t>(k), 0));
    const std::array<double, 4> of_map = {map.rms, map.peak_to_valley, map.residual_rms,
                                          map.residual_peak_to_valley};
    std::copy(of_map.begin(), of_map.end(), figures.mutable_data(static_cast<py::ssize_t>(k), 0));
  }
  return py::make_tuple(coefficients, figures);
}

// Maps without the terms of these coefficients (K, terms), NaN where pixels do not count.
py::array_t<double> left_of(const ZernikeFit& fit, const Doubles& maps,
                            const Doubles& coefficients) {
  py::array_t<double> result({maps.shape(0), maps.shape(1), maps.shape(2)});
  double* const to = result.mutable_data();
  without_gil([&] {
    const std::size_t points = fit.points().pixels.size(), terms = fit.basis().size();
    const auto pixels = static_cast<std::size_t>(maps.shape(1) * maps.shape(2));
    std::fill_n(to, static_cast<std::size_t>(maps.size()),
                std::numeric_limits<double>::quiet_NaN());
    for (std::size_t k = 0; k < static_cast<std::size_t>(maps.shape(0)); ++k) {
      const std::vector<double> left =
          fit.residual(span_of(maps).subspan(k * pixels, pixels),
                       span_of(coefficients).subspan(k * terms, terms));
      for (std::size_t i = 0; i < points; ++i) to[k * pixels + fit.points().pixels[i]] = left[i];
    }
  });
  return result;
}

ZernikeFit make_fit(const Doubles& counts, const std::optional<Doubles>& weights,
                    const std::vector<std::pair<int, int>>& terms, double polynomial_hole,
                    const std::string& scale, const std::optional<std::array<double, 2>>& centre,
                    std::optional<double> radius, double hole, bool everywhere) {
  const auto width = static_cast<int>(counts.shape(1)), height = static_cast<int>(counts.shape(0));
  FitCircle circle = FitCircle::inscribed(width, height);
  if (centre) {
    circle.column = (*centre)[0];
    circle.row = (*centre)[1];
  }
  circle.radius = radius.value_or(circle.radius);
  return without_gil([&] {
    return ZernikeFit(
        ZernikeBasis(terms_from(terms), polynomial_hole, from_name<ZernikeScale>(scale)),
        fit_points(width, height, span_of(counts),
                   weights ? span_of(*weights) : std::span<const double>(), circle, hole,
                   everywhere));
  });
}

std::vector<std::pair<int, int>> pairs_of(const std::vector<ZernikeTerm>& terms) {
  std::vector<std::pair<int, int>> pairs;
  for (const auto& [n, m] : terms) pairs.emplace_back(n, m);
  return pairs;
}

}  // namespace

void bind_fit(py::module_& module) {
  using namespace pybind11::literals;
  py::class_<ZernikeFit>(module, "_ZernikeFit")
      .def(py::init(&make_fit), "counts"_a, "weights"_a, "terms"_a, "polynomial_hole"_a, "scale"_a,
           "centre"_a, "radius"_a, "hole"_a, "everywhere"_a)
      .def("condition", [](const ZernikeFit& fit) { return fit.condition(fit.basis().order()); })
      .def("safe_order", [](const ZernikeFit& fit) { return fit.safe_order(kGoodCondition); })
      .def("total_weight",
           [](const ZernikeFit& fit) {
             const FitPoints& points = fit.points();
             return points.weights.empty()
                        ? static_cast<double>(points.pixels.size())
                        : std::accumulate(points.weights.begin(), points.weights.end(), 0.0);
           })
      .def("pixels", [](const ZernikeFit& fit) { return fit.points().pixels.size(); })
      .def("variances",
           [](const ZernikeFit& fit) { return py::array(py::cast(fit.covariance_diagonal())); })
      .def("fit", &fit_maps, "maps"_a)
      .def("left", &left_of, "maps"_a, "coefficients"_a);
  module.attr("_good_condition") = kGoodCondition;
  module.def(
      "_zernike_terms_to", [](Order order) { return pairs_of(terms_to_order(order)); }, "order"_a);
  module.def("_zernike_terms", [](const std::string& indices, int count) {
    const auto numbers = from_name<ZernikeNumbers>(indices);
    std::vector<ZernikeTerm> terms;
    for (int i = 0; i < count; ++i) {
      terms.push_back(term_of(numbers, i + (numbers == ZernikeNumbers::kOsa ? 0 : 1)));
    }
    return pairs_of(terms);
  });
  module.def("_zernike_number", [](const std::string& indices, int n, int m) {
    return number_of(from_name<ZernikeNumbers>(indices), {n, m});
  });
  module.def("_zernike_name", [](int n, int m) { return aberration_of({n, m}); });
}

}  // namespace leafglyph::python
