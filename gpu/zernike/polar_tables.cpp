#include "gpu/zernike/polar_tables.h"

namespace leafglyph::gpu {

PolarTables::PolarTables(const PolarPlan& plan) : pseudo_(plan.is_pseudo()), order_(plan.order()) {
  std::vector<double> slope;
  std::vector<double> shift;
  std::vector<double> back;
  std::vector<std::uint32_t> first;
  std::vector<std::int32_t> counts;
  for (int m = 0; m <= plan.order(); ++m) {
    RadialRecurrence recurrence(plan.family(), m, plan.order());
    recurrence.shift[0] = 1.0;
    first.push_back(static_cast<std::uint32_t>(slope.size()));
    counts.push_back(static_cast<std::int32_t>(plan.node_count(m)));
    slope.insert(slope.end(), recurrence.slope.begin(), recurrence.slope.end());
    shift.insert(shift.end(), recurrence.shift.begin(), recurrence.shift.end());
    back.insert(back.end(), recurrence.back.begin(), recurrence.back.end());
  }
  first.push_back(static_cast<std::uint32_t>(slope.size()));
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
