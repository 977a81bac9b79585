// The extension of the package `leafglyph`.
#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include <string>

#include "classify/support/versions.h"
#include "features/base/matrix_product.h"
#include "gpu/devices.h"
#include "tools/python/bindings.h"
#include "tools/python/long_computation.h"

namespace leafglyph::python {
namespace {

constexpr const char* kSetThreadsDoc = R"(Sets the number of threads that computations use; 0: all.

Raises UsageError if it is negative or far above the number of processors.)";

constexpr const char* kOpenBlasDoc =
    R"(The value of OPENBLAS_CORETYPE with which OpenBLAS would be faster; "" if it chose well.

OpenBLAS reads it when it is loaded, so it must be set before Python starts.)";

// pybind11 before 2.12 reads dtypes as they lie in memory in numpy 1; in numpy 2 they have moved.
void refuse_numpy_2() {
  if (PYBIND11_VERSION_HEX >= 0x020C0000) return;
  const auto version = pybind11::module_::import("numpy").attr("__version__").cast<std::string>();
  if (version.starts_with("1.")) return;
  throw pybind11::import_error("this build of leafglyph needs numpy 1, and numpy is " + version +
                               "; install numpy<2");
}

}  // namespace
}  // namespace leafglyph::python

PYBIND11_MODULE(_leafglyph, module) {
  namespace lg = leafglyph::python;
  using namespace pybind11::literals;
  pybind11::options options;
  options.enable_function_signatures();
  module.attr("__name__") = "leafglyph";  // the package that users import the names from
  lg::refuse_numpy_2();
  lg::watch_forks();
  lg::stop_computations_at_exit();
  lg::bind_exceptions(module);
  lg::bind_plan(module);
  lg::bind_moments(module);
  lg::bind_fit(module);
  lg::bind_local(module);
  lg::bind_leaf(module);
  lg::bind_glyph(module);
  lg::bind_characters(module);
  lg::bind_training(module);
  lg::bind_rows(module);
  lg::bind_extraction(module);
  module.def("set_threads", &lg::set_threads, "threads"_a, lg::kSetThreadsDoc);
  module.def("threads", &lg::threads, "The number of threads that computations use.");
  module.def("better_openblas_kernels", &leafglyph::better_product_kernels, lg::kOpenBlasDoc);
  module.attr("__version__") = leafglyph::version();
}
