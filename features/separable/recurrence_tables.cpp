#include "features/separable/recurrence_tables.h"

namespace leafglyph {

namespace {

// Merging pays only with this many times more lines than nodes, because applying the weights has a
// cost.
constexpr double kWorthMerging = 1.5;

bool is_worth_merging(const DiskRule& rule) {
  const DiskLines lines(rule);
  const LineNodes nodes(lines, true);
  return kWorthMerging * static_cast<double>(nodes.nodes().size()) <
         static_cast<double>(lines.lines().size());
}

}  // namespace

LineLayout::LineLayout(const DiskRule& rule, bool may_merge)
    : merged(may_merge && is_worth_merging(rule)), lines(rule, merged), nodes(lines, merged) {}

RecurrenceTables::RecurrenceTables(const DiskRule& rule, bool may_merge)
    : LineLayout(rule, may_merge),
      weights(lines, nodes),
      // One block of k more: the integral of P_k needs P_{k+1}.
      legendre(padded_to_block(static_cast<std::size_t>(rule.order) + 1) + kRecurrenceBlock),
      basis(rule.order),
      groups(nodes.nodes(), nodes.ends(), basis),
      rotation(rule.order) {}

double RecurrenceTables::bytes(const LineLayout& layout) {
  const int order = layout.lines.rule().order;
  return LineBasis::bytes(order) + LineGroups::bytes(layout.nodes.nodes().size(), order) +
         DegreeRotation::bytes(order) + layout.nodes.bytes() +
         static_cast<double>(layout.lines.lines().size() * sizeof(DiskLine));
}

GroupStates::GroupStates(const LineGroups& groups, std::size_t first, std::size_t count)
    : groups_(groups), first_(first), count_(count), values_(2 * kGroupBlock * count) {}

std::size_t GroupStates::start(std::size_t block) {
  std::size_t active = 0;
  // Groups ascend in y, and the nearer to the pole, the fewer blocks are significant.
  while (active < count_ && group(active).blocks > block) {
    const LineGroups::Start from = groups_.start(group(active), block);
    // Copied, because the recurrence overwrites them.
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
