#include "classify/table/feature_table.h"

#include <fmt/format.h>

#include <algorithm>

#include "features/base/errors.h"
#include "features/base/threads.h"
#include "features/moments/ball_moments.h"

namespace leafglyph {
namespace {

/// Columns of a table that are copied together.
struct ColumnRange {
  std::size_t first, count;
};

// The moments of a row, n and m; on the ball the norms, n and l.
std::vector<MomentIndex> row_indices(const FeatureLayout& layout) {
  return is_spherical(layout.family) ? ball_norm_indices(layout.order)
                                     : moment_indices(layout.family, layout.order);
}

}  // namespace

bool is_beside_channels(std::string_view group) {
  return group == kMeasuresGroup || group == kColourMeasuresGroup || group == kNetworkGroup ||
         group == kJoinedGroup;
}

std::size_t FeatureLayout::width(std::size_t group) const {
  const ColumnGroup& columns = groups.at(group);
  if (columns.kind != ColumnKind::kMoments) return columns.columns.size();
  return is_spherical(family) ? ball_norm_count(order) : moment_count(family, order);
}

std::size_t FeatureLayout::start(std::size_t group) const {
  std::size_t first = 0;
  for (std::size_t g = 0; g < group; ++g) first += width(g);
  return first;
}

std::vector<ColumnKind> FeatureLayout::kinds() const {
  std::vector<ColumnKind> kinds;
  for (std::size_t g = 0; g < groups.size(); ++g)
    kinds.insert(kinds.end(), width(g), groups[g].kind);
  return kinds;
}

std::vector<std::string> FeatureLayout::group_names() const {
  std::vector<std::string> names;
  for (const ColumnGroup& group : groups) names.push_back(group.name);
  return names;
}

std::optional<std::size_t> FeatureLayout::find(std::string_view column) const {
  for (std::size_t g = 0; g < groups.size(); ++g) {
    const auto at = std::ranges::find(groups[g].columns, column);
    if (at == groups[g].columns.end()) continue;
    return start(g) + static_cast<std::size_t>(at - groups[g].columns.begin());
  }
  return std::nullopt;
}

std::vector<std::string> column_names(const FeatureLayout& layout) {
  std::vector<std::string> names;
  const std::vector<MomentIndex> indices = row_indices(layout);
  for (const ColumnGroup& group : layout.groups) {
    names.insert(names.end(), group.columns.begin(), group.columns.end());
    if (group.kind != ColumnKind::kMoments) continue;
    const std::string start = group.name.empty() ? "" : group.name + "_";
    for (const MomentIndex& index : indices) {
      names.push_back(
          fmt::format("{}{}_{}_{}", start, layout.family.row().letter, index.n, index.m));
    }
  }
  return names;
}

std::string column_name(const FeatureLayout& layout, std::size_t column) {
  std::size_t g = 0;
  for (; column >= layout.width(g); ++g) column -= layout.width(g);
  const ColumnGroup& group = layout.groups[g];
  if (group.kind != ColumnKind::kMoments) return group.columns[column];
  const MomentIndex index = row_indices(layout)[column];
  return fmt::format("{} |Z({},{})|", group.name, index.n, index.m);
}

namespace {

// The rows one after another. Several threads read files faster than one.
void copy_rows(std::span<const float* const> rows, std::size_t columns, float* copies) {
  parallel_for({rows.size(), /*at_a_time=*/64, /*serial=*/256},
               [&](std::size_t i) { std::copy_n(rows[i], columns, copies + i * columns); });
}

}  // namespace

std::span<const float> FeatureTable::part(std::size_t first, std::size_t count,
                                          LargeVector<float>& copy) const {
  const std::size_t columns = layout.columns();
  if (lying.rows.empty()) return std::span(values).subspan(first * columns, count * columns);
  const auto rows = std::span(lying.rows).subspan(first, count);
  const auto apart = std::ranges::adjacent_find(
      rows, [&](const float* row, const float* next) { return row + columns != next; });
  if (!rows.empty() && apart == rows.end()) return {rows.front(), count * columns};
  copy.resize(count * columns);
  copy_rows(rows, columns, copy.data());
  return copy;
}

FeatureTable held(FeatureTable table) {
  if (table.lying.rows.empty()) return table;
  std::vector<float> values(table.rows() * table.layout.columns());
  copy_rows(table.lying.rows, table.layout.columns(), values.data());
  table.lying.files.check();
  table.values = std::move(values);
  table.lying = {};
  return table;
}

FeatureTable select_columns(const FeatureTable& table, int order,
                            std::span<const std::string> groups) {
  const FeatureLayout& from = table.layout;
  if (order > from.order) {
    throw UsageError(fmt::format("order {} of features computed to order {}", order, from.order));
  }
  FeatureTable selected;
  selected.layout.family = from.family;
  selected.layout.order = order;
  std::vector<ColumnRange> ranges;
  for (const std::string& name : groups) {
    const auto at = std::ranges::find(from.groups, name, &ColumnGroup::name);
    if (at == from.groups.end()) {
      throw UsageError("channel '" + name + "' is not among the computed ones");
    }
    selected.layout.groups.push_back(*at);
    // Moments of lower orders come first.
    ranges.push_back({from.start(static_cast<std::size_t>(at - from.groups.begin())),
                      selected.layout.width(ranges.size())});
  }
  const auto append = [&](std::span<const float> row, std::vector<float>& values) {
    for (const ColumnRange& range : ranges) {
      const auto part = row.subspan(range.first, range.count);
      values.insert(values.end(), part.begin(), part.end());
    }
  };
  selected.values.reserve(table.rows() * selected.layout.columns());
  for (std::size_t i = 0; i < table.rows(); ++i) append(table.row(i), selected.values);
  table.lying.files.check();
  selected.prior = table.prior;
  selected.augmented.of = table.augmented.of;
  selected.augmented.values.reserve(table.augmented.of.size() * selected.layout.columns());
  for (std::size_t i = 0; i < table.augmented.of.size(); ++i) {
    append(table.augmented_row(i), selected.augmented.values);
  }
  return selected;
}

FeatureTable select_rows(const FeatureTable& table, std::span<const std::size_t> rows) {
  FeatureTable selected{table.layout, {}};
  selected.prior = table.prior;
  selected.values.reserve(rows.size() * table.layout.columns());
  for (const std::size_t i : rows) {
    const auto row = table.row(i);
    selected.values.insert(selected.values.end(), row.begin(), row.end());
  }
  table.lying.files.check();
  if (table.augmented.of.empty()) return selected;
  const std::size_t none = rows.size();
  std::vector<std::size_t> position(table.rows(), none);
  for (std::size_t i = 0; i < rows.size(); ++i) position[rows[i]] = i;
  for (std::size_t i = 0; i < table.augmented.of.size(); ++i) {
    if (position[table.augmented.of[i]] == none) continue;
    const auto row = table.augmented_row(i);
    selected.augmented.of.push_back(position[table.augmented.of[i]]);
    selected.augmented.values.insert(selected.augmented.values.end(), row.begin(), row.end());
  }
  return selected;
}

std::vector<int> select_labels(std::span<const int> labels, std::span<const std::size_t> rows) {
  std::vector<int> selected;
  selected.reserve(rows.size());
  for (const std::size_t i : rows) selected.push_back(labels[i]);
  return selected;
}

}  // namespace leafglyph
