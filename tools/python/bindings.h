// The parts of the module.
#pragma once

#include <pybind11/pybind11.h>

#include <optional>
#include <string>

#include "features/plan/moment_plan.h"
#include "gpu/plans.h"

namespace leafglyph::python {

void bind_plan(pybind11::module_& module);
void bind_moments(pybind11::module_& module);
void bind_leaf(pybind11::module_& module);
void bind_glyph(pybind11::module_& module);

/// Plan options of a device's name and "double" or "float". Throws UsageError on other names.
PlanOptions plan_options(const std::string& device, const std::string& precision);

}  // namespace leafglyph::python
