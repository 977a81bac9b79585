// What the parts of the Python module share.
#pragma once

#include <pybind11/pybind11.h>

#include <cstddef>
#include <string>
#include <type_traits>
#include <vector>

#include "features/plan/moment_plan.h"
#include "gpu/plans.h"

namespace leafglyph::python {

void bind_plan(pybind11::module_& module);
void bind_moments(pybind11::module_& module);
void bind_fit(pybind11::module_& module);
void bind_local(pybind11::module_& module);
void bind_leaf(pybind11::module_& module);
void bind_characters(pybind11::module_& module);
void bind_glyph(pybind11::module_& module);
void bind_training(pybind11::module_& module);
void bind_rows(pybind11::module_& module);
void bind_extraction(pybind11::module_& module);

/// Plan options for a device name, a precision, "double" or "float", and about so many images.
/// Throws UsageError for unknown names, and for no image.
PlanOptions plan_options(const std::string& device, const std::string& precision = "double",
                         std::size_t images = kManyImages);

/// Adds the exceptions Error (a RuntimeError), UsageError (also a ValueError), InputError and
/// FormatError, as in features/base/errors.h. Interrupted becomes KeyboardInterrupt, and
/// std::bad_alloc becomes MemoryError.
void bind_exceptions(pybind11::module_& module);

/// Issues each line as a Python warning; with the user's filters it may become an exception.
void warn(const std::vector<std::string>& lines);

/// True for every class that the module defines; each class has a specialisation beside it.
template <class T>
inline constexpr bool kIsBound = false;

/// Loads only objects whose __init__ has run, and throws TypeError for others. pybind11 would also
/// accept an object that only __new__ has created, and would hand out memory that holds no
/// constructed object.
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

/// An order: whole. A float is refused in words, not with the list of every argument.
struct Order {
  int value = 0;
  operator int() const { return value; }  // NOLINT(google-explicit-constructor): it is one
};

/// Lets Python pickle a class that consists of these members.
template <class T, class... Member>
auto pickled_by(Member T::*... members) {
  return pybind11::pickle(
      [members...](const T& object) { return pybind11::make_tuple(object.*members...); },
      [members...](const pybind11::tuple& state) {
        T object;
        std::size_t i = 0;
        ((object.*members = state[i++].cast<Member>()), ...);
        return object;
      });
}

}  // namespace leafglyph::python

template <class T>
class pybind11::detail::type_caster<T, std::enable_if_t<leafglyph::python::kIsBound<T>>>
    : public leafglyph::python::ConstructedCaster<T> {};

template <>
class pybind11::detail::type_caster<leafglyph::python::Order> {
 public:
  PYBIND11_TYPE_CASTER(leafglyph::python::Order, const_name("int"));
  bool load(handle source, bool convert) {
    if (PyFloat_Check(source.ptr()) != 0) {
      const auto text = str(source).cast<std::string>();
      throw type_error("an order is a whole number, such as 4; " + text + " is a float");
    }
    make_caster<int> whole;
    const bool is_loaded = whole.load(source, convert);
    if (is_loaded) value = {cast_op<int>(whole)};
    return is_loaded;
  }
  static handle cast(const leafglyph::python::Order& order, return_value_policy policy,
                     handle parent) {
    return make_caster<int>::cast(order.value, policy, parent);
  }
};
