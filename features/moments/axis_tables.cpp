#include "features/moments/axis_tables.h"

#include <string>

#include "features/base/errors.h"

namespace leafglyph {

AxisTables axis_tables(const MomentSpec& spec, const ArraySize& size, Axis axis) {
  validate(spec, size);
  const auto make = spec.family.row().axis;
  if (make == nullptr) {
    throw UsageError("tables of an axis are those of a family on the square, not of " +
                     std::string(family_name(spec.family)));
  }
  switch (axis) {
    case Axis::kX:
      return make(spec, size.width, axis);
    case Axis::kY:
      return make(spec, size.height, axis);
    case Axis::kZ:
      return make(spec, size.slices(), axis);
  }
  return {};
}

}  // namespace leafglyph
