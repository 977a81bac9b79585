#include "gpu/zernike/polar_tables.h"

#include <algorithm>

#include "features/base/threads.h"

namespace leafglyph::gpu {

PolarTables::PolarTables(const PolarPlan& plan) : pseudo_(plan.is_pseudo()), order_(plan.order()) {
  std::vector<std::uint32_t> first{0};
  std::vector<std::int32_t> counts;
  for (int m = 0; m <= plan.order(); ++m) {
    const int orders = (plan.order() - m) / (pseudo_ ? 1 : 2) + 1;
    first.push_back(first.back() + static_cast<std::uint32_t>(orders));
    counts.push_back(static_cast<std::int32_t>(plan.node_count(m)));
  }
  std::vector<double> slope(first.back());
  std::vector<double> shift(first.back());
  std::vector<double> back(first.back());
  const Rounds repetitions{
      .count = counts.size(), .at_a_time = 16, .nanoseconds = 10.0 * plan.order()};
  parallel_for(repetitions, [&](std::size_t m) {
    RadialRecurrence recurrence(plan.family(), static_cast<int>(m), plan.order());
    recurrence.shift[0] = 1.0;
    std::ranges::copy(recurrence.slope, slope.begin() + first[m]);
    std::ranges::copy(recurrence.shift, shift.begin() + first[m]);
    std::ranges::copy(recurrence.back, back.begin() + first[m]);
  });
  cells_to_nodes_ = copy_to_device(std::span<const double>(plan.cells_to_nodes()));
  radius_ = copy_to_device(std::span<const double>(plan.node_radius()));
  slope_ = copy_to_device(std::span<const double>(slope));
  shift_ = copy_to_device(std::span<const double>(shift));
  back_ = copy_to_device(std::span<const double>(back));
  first_order_ = copy_to_device(std::span<const std::uint32_t>(first));
  node_counts_ = copy_to_device(std::span<const std::int32_t>(counts));
}

NodeTables PolarTables::nodes() const {
  return {pseudo_,
          order_,
          static_cast<int>(radius_.size()),
          radius_.data(),
          slope_.data(),
          shift_.data(),
          back_.data(),
          first_order_.data(),
          node_counts_.data()};
}

std::size_t PolarTables::bytes() const {
  return cells_to_nodes_.bytes() + radius_.bytes() + 3 * slope_.bytes();
}

}  // namespace leafglyph::gpu
