#include "gpu/separable/recurrence_tables.h"

#include <algorithm>
#include <memory>

#include "features/base/threads.h"

namespace leafglyph::gpu {
namespace {

template <class T, class Allocator>
DeviceBuffer<T> sent(const std::vector<T, Allocator>& values) {
  return copy_to_device(std::span<const T>(values));
}

// An array whose elements are all written later, by many threads: clearing it first would put its
// pages into memory one after another.
template <class T>
class Unset {
 public:
  explicit Unset(std::size_t count)
      : count_(count), values_(std::make_unique_for_overwrite<T[]>(count)) {}
  T& operator[](std::size_t i) const { return values_[i]; }
  DeviceBuffer<T> sent() const { return copy_to_device(std::span<const T>(values_.get(), count_)); }

 private:
  std::size_t count_;
  std::unique_ptr<T[]> values_;
};

std::vector<std::int32_t> as_int32(const std::vector<std::size_t>& values) {
  return {values.begin(), values.end()};
}

}  // namespace

GpuTables::GpuTables(const RecurrenceTables& tables)
    : order_(tables.basis.order()),
      terms_(static_cast<int>(tables.basis.blocks() * kRecurrenceBlock)),
      size_(tables.lines.rule().size) {
  send_lines(tables);
  send_nodes(tables);
  send_basis(tables);
  send_rotation(tables);
}

// The terms of a line are the blocks of its group or, if lines are merged, of the first group of
// its panel.
void GpuTables::send_lines(const RecurrenceTables& tables) {
  const DiskLines& disk = tables.lines;
  std::vector<GpuLine> lines;
  for (const DiskLine& line : disk.lines()) {
    lines.push_back({line.half_chord, line.weight, static_cast<std::int32_t>(line.row),
                     static_cast<std::int32_t>(line.first), static_cast<std::int32_t>(line.places),
                     0, line.cut ? 1 : 0});
    most_places_ = std::max(most_places_, static_cast<int>(line.places - line.first));
  }
  const auto terms = [](const LineGroups::Group& group) {
    return static_cast<std::int32_t>(group.blocks * kRecurrenceBlock);
  };
  const auto& groups = tables.groups.groups();
  for (const LineNodes::Panel& panel : tables.nodes.panels()) {
    const auto group = std::find_if(groups.begin(), groups.end(), [&](const auto& g) {
      return g.first_line == panel.first_node;
    });
    panels_on_host_.push_back(
        {static_cast<std::int32_t>(panel.first_line), static_cast<std::int32_t>(panel.last_line),
         static_cast<std::int32_t>(panel.first_node), static_cast<std::int32_t>(panel.nodes),
         terms(*group), panel.first_weight});
    for (std::size_t l = panel.first_line; l < panel.last_line; ++l) {
      lines[l].terms = terms(*group);
    }
  }
  if (!merged()) {
    for (const LineGroups::Group& group : groups) {
      for (std::size_t l = 0; l < group.lines; ++l) {
        lines[group.first_line + l].terms = terms(group);
      }
    }
  }
  lines_ = sent(lines);
  x_ = sent(disk.x());
  column_ = sent(as_int32(disk.column()));
  weight_ = sent(disk.weight());
  std::vector<std::int32_t> columns;
  for (std::size_t v = 0; v < disk.pairs(); ++v) {
    columns.push_back(static_cast<std::int32_t>(disk.columns(v)));
  }
  columns_ = sent(columns);
  AlignedVector<double> slope = tables.legendre.slope;
  slope.resize(slope.size() + kTermChunk);  // read by the last chunk beyond the last k
  legendre_slope_ = sent(slope);
  legendre_factor_ = sent(tables.legendre.factor);
  above_ = sent(tables.legendre.above);
  below_ = sent(tables.legendre.below);
}

void GpuTables::send_nodes(const RecurrenceTables& tables) {
  std::vector<GpuNode> nodes;
  for (const LineGroups::Group& group : tables.groups.groups()) {
    for (std::size_t l = 0; l < group.lines; ++l) {
      nodes.push_back({group.y[l], static_cast<std::uint32_t>(group.first_start),
                       static_cast<std::int32_t>(group.blocks), static_cast<std::int32_t>(l)});
    }
  }
  nodes_ = sent(nodes);
  starts_at_ = copy_to_device(tables.groups.starts_at());
  starts_ = copy_to_device(tables.groups.start_values());
  panels_ = sent(panels_on_host_);
  panel_weights_ = copy_to_device(tables.weights.all());
}

// Rows by k instead of blocks of k, padded with zero steps.
void GpuTables::send_basis(const RecurrenceTables& tables) {
  const LineBasis& basis = tables.basis;
  const auto degrees = static_cast<std::size_t>(order_) + 1;
  std::vector<std::size_t> rows;
  std::size_t length = 0;
  for (std::size_t k = 0; k < degrees; ++k) {
    rows.push_back(length);
    length += (degrees - k + kStartSteps - 1) / kStartSteps * kStartSteps;
  }
  const Unset<double> slope(length), factor(length);
  parallel_for({.count = degrees, .nanoseconds = 3.0 * order_}, [&](std::size_t k) {
    const std::size_t block = k / kRecurrenceBlock;
    const int parity = static_cast<int>(k % 2);
    for (std::size_t j = 0; j < degrees - k; ++j) {
      const std::size_t from = j * kRecurrenceBlock + k % kRecurrenceBlock;
      slope[rows[k] + j] = basis.slope(block)[from];
      factor[rows[k] + j] =
          basis.factor(block)[from] * tables.rotation.scale(static_cast<int>(k + j), parity)[k / 2];
    }
    const std::size_t end = k + 1 < degrees ? rows[k + 1] : length;
    for (std::size_t i = rows[k] + degrees - k; i < end; ++i) slope[i] = factor[i] = 0;
  });
  rows_ = sent(rows);
  slope_ = slope.sent();
  factor_ = factor.sent();
}

void GpuTables::send_rotation(const RecurrenceTables& tables) {
  const DegreeRotation& rotation = tables.rotation;
  const auto count = static_cast<std::size_t>(order_) + 1;
  std::vector<GpuDegree> degrees;
  for (int n = 0; n <= order_; ++n) {
    degrees.push_back(
        {moment_position(Family::kZernike, n, n % 2), zernike_norm(n, 0), zernike_norm(n, 1)});
  }
  const std::size_t length = degree_row(order_ + 1, 0);
  const Unset<double2> recurrence(length), factors(length);
  const Unset<int2> turning(length);
  const Unset<double> scale(length);
  parallel_for({.count = count, .nanoseconds = 10.0 * order_}, [&](std::size_t degree) {
    const int n = static_cast<int>(degree);
    for (int parity = 0; parity < 2 && parity <= n; ++parity) {
      const RotationColumn column = rotation.column(n, parity);
      const std::size_t row = degree_row(n, parity);
      for (std::size_t i = 0; i < column.terms; ++i) {
        const std::size_t k = 2 * i + static_cast<std::size_t>(parity);
        const int m = column.first_repetition + 2 * static_cast<int>(i);
        recurrence[row + i] = {column.slope[i], column.shift[i]};
        factors[row + i] = {column.forward[i], column.backward[i]};
        turning[row + i] = {static_cast<int>(DegreeRotation::turning_index(n, parity, m)),
                            column.ends[i / kRepetitionGroup]};
        scale[row + i] =
            rotation.scale(n, parity)[i] *
            tables.basis.factor(
                k / kRecurrenceBlock)[(degree - k) * kRecurrenceBlock + k % kRecurrenceBlock];
      }
    }
  });
  degrees_ = sent(degrees);
  recurrence_ = recurrence.sent();
  factors_ = factors.sent();
  turning_ = turning.sent();
  scale_ = scale.sent();
}

LineArrays GpuTables::lines() const {
  return {lines_.data(), x_.data(), column_.data(), weight_.data(), columns_.data(), size_};
}

LegendreArrays GpuTables::legendre() const {
  return {legendre_slope_.data(), legendre_factor_.data(), above_.data(), below_.data()};
}

NodeArrays GpuTables::nodes() const {
  return {nodes_.data(), static_cast<int>(nodes_.size()), starts_at_.data(), starts_.data()};
}

BasisArrays GpuTables::basis() const {
  return {order_, rows_.data(), slope_.data(), factor_.data()};
}

RotationArrays GpuTables::rotation() const {
  return {order_,          degrees_.data(), recurrence_.data(),
          factors_.data(), turning_.data(), scale_.data()};
}

}  // namespace leafglyph::gpu
