#include "classify/knn/feature_table.h"

#include <fmt/format.h>

#include <algorithm>

#include "features/base/errors.h"

namespace leafglyph {
std::vector<std::string> column_names(const FeatureLayout& layout) {
  std::vector<std::string> names;
  const std::vector<MomentIndex> indices = moment_indices(layout.family, layout.order);
  for (const std::string& channel : layout.channels) {
    const std::string start = channel.empty() ? "" : channel + "_";
    for (const MomentIndex& index : indices) {
      names.push_back(
          fmt::format("{}{}_{}_{}", start, layout.family.row().letter, index.n, index.m));
    }
  }
  names.insert(names.end(), layout.measures.begin(), layout.measures.end());
  return names;
}

std::string column_name(const FeatureLayout& layout, std::size_t column) {
  const std::size_t width = layout.columns_per_channel();
  const std::size_t moments = width * layout.channels.size();
  if (column >= moments) return layout.measures.at(column - moments);
  const MomentIndex index = moment_indices(layout.family, layout.order)[column % width];
  return fmt::format("{} |Z({},{})|", layout.channels[column / width], index.n, index.m);
}

FeatureTable select_columns(const FeatureTable& table, int order,
                            std::span<const std::string> channels) {
  return select_columns(table, order, channels, table.layout.measures);
}

FeatureTable select_columns(const FeatureTable& table, int order,
                            std::span<const std::string> channels,
                            std::span<const std::string> measures) {
  const FeatureLayout& from = table.layout;
  if (order > from.order) {
    throw UsageError(fmt::format("order {} of features computed to order {}", order, from.order));
  }
  std::vector<std::size_t> starts;
  for (const std::string& channel : channels) {
    const auto at = std::find(from.channels.begin(), from.channels.end(), channel);
    if (at == from.channels.end()) {
      throw UsageError("channel '" + channel + "' is not among the computed ones");
    }
    starts.push_back(static_cast<std::size_t>(at - from.channels.begin()) *
                     from.columns_per_channel());
  }
  std::vector<std::size_t> places;  // of the measures, among those of the table
  for (const std::string& measure : measures) {
    const auto at = std::find(from.measures.begin(), from.measures.end(), measure);
    if (at == from.measures.end()) {
      throw UsageError("measure '" + measure + "' is not among the computed ones");
    }
    places.push_back(static_cast<std::size_t>(at - from.measures.begin()));
  }
  FeatureTable selected;
  selected.layout = from;
  selected.layout.measures.assign(measures.begin(), measures.end());
  selected.layout.order = order;
  selected.layout.channels.assign(channels.begin(), channels.end());
  const std::size_t width = selected.layout.columns_per_channel();
  const auto append = [&](std::span<const float> row, std::vector<float>& values) {
    for (const std::size_t start : starts) {
      const auto part = row.subspan(start, width);
      values.insert(values.end(), part.begin(), part.end());
    }
    const auto of_row = row.last(from.measures.size());
    for (const std::size_t place : places) values.push_back(of_row[place]);
  };
  selected.values.reserve(table.rows() * selected.layout.columns());
  for (std::size_t i = 0; i < table.rows(); ++i) append(table.row(i), selected.values);
  selected.augmented.of = table.augmented.of;
  selected.augmented.values.reserve(table.augmented.of.size() * selected.layout.columns());
  for (std::size_t i = 0; i < table.augmented.of.size(); ++i) {
    append(table.augmented_row(i), selected.augmented.values);
  }
  return selected;
}

FeatureTable select_rows(const FeatureTable& table, std::span<const std::size_t> rows) {
  FeatureTable selected{table.layout, {}};
  selected.values.reserve(rows.size() * table.layout.columns());
  for (const std::size_t i : rows) {
    const auto row = table.row(i);
    selected.values.insert(selected.values.end(), row.begin(), row.end());
  }
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
