#include "classify/families/compared_family.h"

namespace leafglyph {

ComparedFamily compared_family_from_name(std::string_view name) {
  return {std::string(name), weighted_family_from_text(name)};
}

std::size_t independent_count(Family family, int order) {
  std::size_t count = 0;
  for (const MomentIndex& index : moment_indices(family, order)) {
    count += is_circular(family) && index.m > 0 ? 2 : 1;
  }
  return count;
}

int order_for_count(Family family, std::size_t count) {
  int order = family.row().lowest_order;
  while (independent_count(family, order + 1) <= count) ++order;
  return order;
}

MomentSpec comparison_spec(const WeightedFamily& family, int order) {
  MomentSpec spec;
  spec.family = family.family;
  spec.weight = family.weight;
  spec.order = order;
  spec.method = default_method(family.family);
  return spec;
}

}  // namespace leafglyph
