// The value of each column of a feature row, before it is centred and scaled.
#pragma once

#include <cmath>
#include <cstddef>
#include <vector>

#include "classify/knn/feature_pipeline.h"

namespace leafglyph {

/// The first column of the global measures, which follow those of the moments.
std::size_t measures_start(const FeatureLayout& layout);

/// What PipelineSpec::values makes of a moment's magnitude; a global measure as it is.
inline double column_value(const PipelineSpec& spec, float value, bool is_measure) {
  if (spec.values == Values::kMagnitude || is_measure) return value;
  return std::log(static_cast<double>(value) + spec.log_floor);
}

/// The factor of a column: PipelineSpec::measure_weight for a global measure, else 1.
double column_weight(const FeatureLayout& layout, const PipelineSpec& spec, std::size_t column);

/// All values of a table, laid out as it is.
std::vector<double> column_values(const FeatureTable& table, const PipelineSpec& spec);

/// A column whose standard deviation is below this share of its root mean square holds rounding
/// only: float features carry about 1e-6.
inline constexpr double kConstantTolerance = 1e-5;

}  // namespace leafglyph
