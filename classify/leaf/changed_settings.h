// What a fit changed of the settings that were asked for, in words.
#pragma once

#include <string>
#include <vector>

#include "classify/knn/nearest_classifier.h"

namespace leafglyph {

/// Puts a line before the others where fit_rows did not do as configured.
void warn_of_changes(const ClassifierSpec& configured, const ClassifierSpec& fitted,
                     std::vector<std::string>& warnings);

}  // namespace leafglyph
