// Zernike moments about every pixel.
#include <pybind11/numpy.h>
#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include <memory>
#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "features/base/errors.h"
#include "gpu/plans.h"
#include "tools/python/arrays.h"
#include "tools/python/bindings.h"
#include "tools/python/long_computation.h"

namespace leafglyph::python {

namespace {

// What Python holds.
struct Local {
  std::string device;
  std::unique_ptr<LocalMoments> moments;

  const LocalMoments* operator->() const { return moments.get(); }
};

std::unique_ptr<Local> make_local(const std::pair<int, int>& shape, const LocalSpec& spec,
                                  const std::string& device) {
  return without_gil([&] {
    return std::make_unique<Local>(Local{
        device, make_local_moments(spec, shape.second, shape.first, device_from_name(device))});
  });
}

}  // namespace

template <>
inline constexpr bool kIsBound<Local> = true;

namespace {

constexpr const char* kLocalDoc =
    R"(Zernike moments about every pixel of images of one size.

    Z_nm = (n+1) / (pi r^2) * sum of f R_nm(rho) e^{-j m theta}

over the pixels within radius r of a pixel, y upwards: those of `moments` on your own circle.

shape: (rows, columns) of the images. order: 0 to 16. radius: 1 to 1024 pixels, not only whole ones.
step: only about every so many rows and columns, from the first on. border: what is beyond the image,
"zero" or "mirror". device: auto (the CPU), cpu, cuda or cuda:I.

shape: (rows, columns) of the maps. numbers: of each map of `parts`, (n, m, "real" or "imaginary").
moments: of each map of `magnitudes`, (n, m).

Raises UsageError for values out of range, Error when a GPU is asked for and there is none.)";

constexpr const char* kPartsDoc =
    R"(The real and imaginary parts of the moments, float64 (maps, rows, columns), as `numbers` says.

image: (rows, columns). rows: first and last + 1 of the rows of sites to compute; strips keep memory
small. Raises UsageError for other sizes, InputError where a value is not finite.)";

constexpr const char* kLocalMagnitudesDoc =
    R"(|Z_nm|, which turning the image about the pixel keeps, float32 (maps, rows, columns), as `moments`
says.

image, rows: as for `parts`.)";

using RowRange = std::optional<std::pair<int, int>>;

template <class T, class Compute>
py::array_t<T> maps_of(const LocalMoments& local, const py::object& object, const RowRange& rows,
                       std::size_t maps, const Compute& compute) {
  const auto image = contiguous<double>(object, "image");
  const auto [first, last] = rows.value_or(std::pair(0, local.rows()));
  if (image.ndim() != 2 || image.shape(0) != local.height() || image.shape(1) != local.width()) {
    throw UsageError("these local moments are of images of (" + std::to_string(local.height()) +
                     ", " + std::to_string(local.width()) + ") values, rows and columns");
  }
  py::array_t<T> result({static_cast<py::ssize_t>(maps),
                         static_cast<py::ssize_t>(std::max(last - first, 0)),
                         static_cast<py::ssize_t>(local.columns())});
  const std::span<T> room(result.mutable_data(), static_cast<std::size_t>(result.size()));
  const std::span<const double> values(image.data(), static_cast<std::size_t>(image.size()));
  without_gil([&] { compute(values, first, last, room); });
  return result;
}

}  // namespace

void bind_local(py::module_& module) {
  using namespace pybind11::literals;
  py::class_<Local, std::unique_ptr<Local>>(module, "LocalMoments", kLocalDoc)
      .def(py::init([](const std::pair<int, int>& shape, Order order, double radius, int step,
                       const std::string& border, const std::string& device) {
             const LocalSpec spec{order, radius, step, from_name<LocalBorder>(border)};
             return make_local(shape, spec, device);
           }),
           "shape"_a, "order"_a = Order{8}, "radius"_a = 16.0, "step"_a = 1, "border"_a = "zero",
           "device"_a = "auto")
      .def_property_readonly(
          "shape", [](const Local& local) { return std::pair(local->rows(), local->columns()); })
      .def_property_readonly("numbers",
                             [](const Local& local) {
                               std::vector<std::tuple<int, int, std::string>> numbers;
                               for (const auto& [n, m, imaginary] : local->numbers()) {
                                 numbers.emplace_back(n, m, imaginary ? "imaginary" : "real");
                               }
                               return numbers;
                             })
      .def_property_readonly("moments",
                             [](const Local& local) {
                               std::vector<std::pair<int, int>> moments;
                               for (const auto& [n, m, imaginary] : local->numbers()) {
                                 if (!imaginary) moments.emplace_back(n, m);
                               }
                               return moments;
                             })
      .def(
          "parts",
          [](const Local& local, const py::object& image, const RowRange& rows) {
            return maps_of<double>(*local.moments, image, rows, local->numbers().size(),
                                   [&](const auto& values, int first, int last, auto room) {
                                     local->moments(values, first, last, room);
                                   });
          },
          "image"_a, "rows"_a = py::none(), kPartsDoc)
      .def(
          "magnitudes",
          [](const Local& local, const py::object& image, const RowRange& rows) {
            return maps_of<float>(*local.moments, image, rows, local->moment_count(),
                                  [&](const auto& values, int first, int last, auto room) {
                                    local->magnitudes(values, first, last, room);
                                  });
          },
          "image"_a, "rows"_a = py::none(), kLocalMagnitudesDoc)
      .def(py::pickle(
          [](const Local& local) {
            const LocalSpec& spec = local->spec();
            return py::make_tuple(local->height(), local->width(), spec.order, spec.radius,
                                  spec.step, std::string(name_of(spec.border)), local.device);
          },
          [](const py::tuple& state) {
            const LocalSpec spec{state[2].cast<int>(), state[3].cast<double>(),
                                 state[4].cast<int>(),
                                 from_name<LocalBorder>(state[5].cast<std::string>())};
            return make_local({state[0].cast<int>(), state[1].cast<int>()}, spec,
                              state[6].cast<std::string>());
          }))
      .def("__repr__", [](const Local& local) {
        return "<leafglyph.LocalMoments: " + local->describe() + ">";
      });
}

}  // namespace leafglyph::python
