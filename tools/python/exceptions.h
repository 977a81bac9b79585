// LeafGlyph's exceptions as Python's.
#pragma once

#include <pybind11/pybind11.h>

namespace leafglyph::python {

/// Error (a RuntimeError), UsageError (also a ValueError), InputError and FormatError, as in
/// features/base/errors.h; Interrupted becomes KeyboardInterrupt, std::bad_alloc MemoryError.
void bind_exceptions(pybind11::module_& module);

}  // namespace leafglyph::python
