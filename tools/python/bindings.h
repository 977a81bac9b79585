// The parts of the module.
#pragma once

#include <pybind11/pybind11.h>

#include <optional>
#include <string>
#include <type_traits>

#include "features/plan/moment_plan.h"
#include "gpu/plans.h"

namespace leafglyph::python {

void bind_plan(pybind11::module_& module);
void bind_moments(pybind11::module_& module);
void bind_leaf(pybind11::module_& module);
void bind_glyph(pybind11::module_& module);

/// Plan options of a device's name and "double" or "float". Throws UsageError on other names.
PlanOptions plan_options(const std::string& device, const std::string& precision);

/// Error (a RuntimeError), UsageError (also a ValueError), InputError and FormatError, as in
/// features/base/errors.h; Interrupted becomes KeyboardInterrupt, std::bad_alloc MemoryError.
void bind_exceptions(pybind11::module_& module);

/// True for every class that the module defines; a specialisation beside each.
template <class T>
inline constexpr bool kIsBound = false;

/// Loads only constructed objects. pybind11 takes one that was made by __new__ alone, too, and
/// hands out memory in which nothing was constructed. Throws TypeError for such an object.
template <class T>
class ConstructedCaster : public pybind11::detail::type_caster_base<T> {
 public:
  bool load(pybind11::handle source, bool convert) {
    if (pybind11::isinstance<T>(source)) {
      auto* instance = reinterpret_cast<pybind11::detail::instance*>(source.ptr());
      const auto* type = pybind11::detail::get_type_info(typeid(T));
      if (!instance->get_value_and_holder(type).holder_constructed()) {
        throw pybind11::type_error(
            pybind11::str(pybind11::type::of(source).attr("__name__")).cast<std::string>() +
            ".__init__ was not called for this object; make it by calling the class");
      }
    }
    return pybind11::detail::type_caster_base<T>::load(source, convert);
  }
};

}  // namespace leafglyph::python

template <class T>
class pybind11::detail::type_caster<T, std::enable_if_t<leafglyph::python::kIsBound<T>>>
    : public leafglyph::python::ConstructedCaster<T> {};
