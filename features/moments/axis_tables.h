// The tables of one axis, from which moments on the square and the cube are made.
#pragma once

#include <vector>

#include "features/image/volume.h"
#include "features/moments/moment_spec.h"

namespace leafglyph {

/// What a family on the square needs of an axis of `length` pixels.
struct AxisTables {
  /// integrals[n * length + i]: integral over pixel i of the weight times p_n; p_n(i) if the family
  /// is defined at pixels only.
  std::vector<double> integrals;
  /// values[n * length + i]: p_n at the centre of pixel i.
  std::vector<double> values;
};

/// The tables of an axis of such arrays, for n = 0, ..., spec.order. Elements count in the order of
/// the array: columns from the left, rows from the top, slices from the first. Throws UsageError as
/// validate(spec, size), and for a family that is not on the square.
AxisTables axis_tables(const MomentSpec& spec, const ArraySize& size, Axis axis);

}  // namespace leafglyph
