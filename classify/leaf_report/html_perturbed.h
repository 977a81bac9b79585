// The perturbation table as part of a page.
#pragma once

#include <string>

#include "classify/leaf/perturbation_table.h"

namespace leafglyph {

/// What was done to the photographs, and what became of the answers.
std::string perturbed_html(const PerturbationTable& table);

}  // namespace leafglyph
