#include "tools/python/bindings.h"

#include <exception>

#include "features/base/errors.h"

namespace leafglyph::python {
namespace {

namespace py = pybind11;

// The classes are never released, because a translator may run until the interpreter ends.
struct Classes {
  PyObject* error = nullptr;
  PyObject* usage = nullptr;
  PyObject* input = nullptr;
  PyObject* format = nullptr;
};
Classes classes;

PyObject* make_class(py::module_& module, const char* name, const char* documentation,
                     const py::object& bases) {
  const std::string full = std::string("leafglyph.") + name;
  PyObject* made = PyErr_NewExceptionWithDoc(full.c_str(), documentation, bases.ptr(), nullptr);
  if (made == nullptr) throw py::error_already_set();
  module.attr(name) = py::handle(made);
  return made;
}

// NOLINTNEXTLINE(performance-unnecessary-value-param): pybind11 sets the signature
void translate(std::exception_ptr pointer) {
  try {
    if (pointer) std::rethrow_exception(pointer);
  } catch (const Interrupted&) {
    PyErr_SetNone(PyExc_KeyboardInterrupt);
  } catch (const UsageError& error) {
    PyErr_SetString(classes.usage, error.what());
  } catch (const InputError& error) {
    PyErr_SetString(classes.input, error.what());
  } catch (const FormatError& error) {
    PyErr_SetString(classes.format, error.what());
  } catch (const Error& error) {
    PyErr_SetString(classes.error, error.what());
  }
}

}  // namespace

void warn(const std::vector<std::string>& lines) {
  for (const std::string& line : lines) {
    if (PyErr_WarnEx(PyExc_UserWarning, line.c_str(), /*stack_level=*/1) != 0) {
      throw py::error_already_set();
    }
  }
}

void bind_exceptions(py::module_& module) {
  const auto base = [](PyObject* object) { return py::reinterpret_borrow<py::object>(object); };
  classes.error = make_class(module, "Error", "Base of every exception of LeafGlyph's own.",
                             base(PyExc_RuntimeError));
  classes.usage = make_class(module, "UsageError", "An argument that is wrong or out of range.",
                             py::make_tuple(base(classes.error), base(PyExc_ValueError)));
  classes.input =
      make_class(module, "InputError", "An input that is missing, unreadable or unusable.",
                 base(classes.error));
  classes.format =
      make_class(module, "FormatError", "A model or file that is damaged or of another format.",
                 base(classes.error));
  py::register_exception_translator(&translate);
}

}  // namespace leafglyph::python
