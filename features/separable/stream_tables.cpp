#include "features/separable/stream_tables.h"

namespace leafglyph {

StreamTables::StreamTables(const DiskRule& rule)
    : lines(rule),
      legendre(padded_to_block(static_cast<std::size_t>(rule.order) + 1) + kStreamBlock),
      basis(rule.order),
      groups(lines, basis),
      rotation(rule.order) {}

double StreamTables::bytes(const DiskLines& lines) {
  const int order = lines.rule().order;
  return LineBasis::bytes(order) + LineGroups::bytes(lines.lines().size(), order) +
         DegreeRotation::bytes(order) +
         static_cast<double>(lines.lines().size() * sizeof(DiskLine));
}

GroupStates::GroupStates(const LineGroups& groups, std::size_t first, std::size_t count)
    : groups_(groups), first_(first), count_(count), values_(2 * kGroupBlock * count) {}

std::size_t GroupStates::start(std::size_t block) {
  std::size_t active = 0;
  while (active < count_ && group(active).blocks > block) {
    const LineGroups::Start from = groups_.start(group(active), block);
    std::copy_n(from.before, 2 * kGroupBlock, values_.data() + 2 * kGroupBlock * active);
    ++active;
  }
  return active;
}

LineBlock GroupStates::block(std::size_t g, double* carried) {
  double* values = values_.data() + 2 * kGroupBlock * g;
  return {group(g).y, values, values + kGroupBlock, carried, carried + kGroupBlock};
}

}  // namespace leafglyph
