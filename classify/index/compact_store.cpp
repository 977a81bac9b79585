#include "classify/index/compact_store.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "classify/index/index_rows.h"
#include "classify/nearest/knn_index.h"
#include "features/base/errors.h"
#include "features/base/statistics.h"

namespace leafglyph {
namespace {

// The block with its rows projected; those without numbers stay without.
StoreBlock projected_block(StoreBlock block, const RowProjection& projection) {
  const std::size_t columns = projection.columns(), directions = projection.directions();
  std::vector<float> with_numbers;
  for (std::size_t r = 0; r < block.rows.size(); ++r) {
    if (!has_numbers(block.rows[r].state)) continue;
    const auto row = std::span(block.values).subspan(r * columns, columns);
    with_numbers.insert(with_numbers.end(), row.begin(), row.end());
  }
  const std::vector<float> made = projection.apply(with_numbers);
  block.values.assign(block.rows.size() * directions, std::numeric_limits<float>::quiet_NaN());
  std::size_t next = 0;
  for (std::size_t r = 0; r < block.rows.size(); ++r) {
    if (!has_numbers(block.rows[r].state)) continue;
    std::copy_n(&made[next], directions, &block.values[r * directions]);
    next += directions;
  }
  return block;
}

StoreHeader compact_header(const FeatureStore& store, const CompactSpec& spec) {
  StoreHeader header = store.header();
  if (spec.projection) header = projected(std::move(header), *spec.projection);
  header.values = spec.values;
  return header;
}

void write_compact(const FeatureStore& store, const CompactSpec& spec,
                   const std::filesystem::path& folder) {
  const StoreHeader header = compact_header(store, spec);
  NewStore compact(folder, header);
  for (std::size_t b = 0; b < header.blocks(); ++b) {
    throw_if_interrupted();
    StoreBlock block = store.read_block(b);
    if (spec.projection) block = projected_block(std::move(block), *spec.projection);
    if (const std::string beyond = beyond_values(header, block.values); !beyond.empty()) {
      throw InputError(store.folder().string() + ": " + beyond);
    }
    compact.add(block);
  }
  compact.finish(header);
}

std::uint64_t bytes_of(const std::filesystem::path& folder) {
  std::uint64_t bytes = 0;
  for (const std::string& name : store_files(folder)) {
    bytes += std::filesystem::file_size(folder / name);
  }
  return bytes;
}

/// Some rows of a store as an index compares them.
struct Sample {
  std::size_t columns = 0;
  std::vector<float> values;
  std::vector<std::string> labels;

  std::span<const float> row(std::size_t i) const {
    return std::span(values).subspan(i * columns, columns);
  }
};

// `rows`: of the store.
Sample sample_of(const FeatureStore& store, std::size_t rows, const ColumnScaling& scaling) {
  Sample sample{store.header().columns.size(), {}, {}};
  std::size_t seen = 0;
  for (std::size_t b = 0; b < store.header().blocks(); ++b) {
    throw_if_interrupted();
    const StoreBlock block = store.read_block(b);
    for (std::size_t r = 0; r < block.rows.size(); ++r) {
      if (!has_numbers(block.rows[r].state)) continue;
      if (!is_chosen(seen++, rows, CompactReport::kComparedRows)) continue;
      const auto row = std::span(block.values).subspan(r * sample.columns, sample.columns);
      sample.values.insert(sample.values.end(), row.begin(), row.end());
      sample.labels.push_back(block.rows[r].label);
    }
  }
  scaling.apply(sample.values);
  return sample;
}

double distance(const Sample& sample, std::size_t a, std::size_t b) {
  double sum = 0;
  for (std::size_t c = 0; c < sample.columns; ++c) {
    sum += std::pow(static_cast<double>(sample.row(a)[c]) - sample.row(b)[c], 2);
  }
  return std::sqrt(sum);
}

// The nearest other rows of each query.
std::vector<std::vector<std::size_t>> nearest_others(const Sample& sample,
                                                     std::span<const std::size_t> queries) {
  KnnIndex index(Metric::kEuclidean, sample.columns);
  index.add(sample.values);
  std::vector<float> rows;
  for (const std::size_t q : queries) {
    rows.insert(rows.end(), sample.row(q).begin(), sample.row(q).end());
  }
  const std::size_t k = std::min(CompactReport::kNearest + 1, index.size());
  const NeighbourLists lists = index.search(rows, k);
  std::vector<std::vector<std::size_t>> others(queries.size());
  for (std::size_t q = 0; q < queries.size(); ++q) {
    for (const Neighbour& neighbour : lists.of(q)) {
      const auto row = static_cast<std::size_t>(neighbour.row);
      if (row != queries[q] && others[q].size() + 1 < k) others[q].push_back(row);
    }
  }
  return others;
}

double correlation_of(std::span<const double> a, std::span<const double> b) {
  const auto n = static_cast<double>(a.size());
  double mean_a = 0, mean_b = 0, aa = 0, bb = 0, ab = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    mean_a += a[i] / n;
    mean_b += b[i] / n;
  }
  for (std::size_t i = 0; i < a.size(); ++i) {
    aa += (a[i] - mean_a) * (a[i] - mean_a);
    bb += (b[i] - mean_b) * (b[i] - mean_b);
    ab += (a[i] - mean_a) * (b[i] - mean_b);
  }
  return aa > 0 && bb > 0 ? ab / std::sqrt(aa * bb) : 0;
}

void compare(const Sample& before, const Sample& after, bool is_projected, CompactReport& report) {
  report.compared = before.labels.size();
  report.queries = std::min(report.compared, CompactReport::kQueries);
  std::vector<std::size_t> queries;
  for (std::size_t q = 0; q < report.queries; ++q) {
    queries.push_back(q * report.compared / report.queries);
  }
  const auto was = nearest_others(before, queries), is = nearest_others(after, queries);
  std::vector<double> changes, all_before, all_after;
  std::size_t same = 0, kept = 0, listed = 0, own_before = 0, own_after = 0;
  for (std::size_t q = 0; q < queries.size(); ++q) {
    const std::size_t query = queries[q];
    same += was[q].front() == is[q].front();
    for (const std::size_t row : was[q]) {
      ++listed;
      kept += std::ranges::find(is[q], row) != is[q].end();
      const double distance_before = distance(before, query, row);
      if (distance_before > 0) {
        changes.push_back(std::abs(distance(after, query, row) / distance_before - 1));
      }
    }
    for (const std::size_t other : queries) {
      if (other >= query) break;
      all_before.push_back(distance(before, query, other));
      all_after.push_back(distance(after, query, other));
    }
    const std::string& label = before.labels[query];
    if (label.empty()) continue;
    ++report.labelled;
    own_before += before.labels[was[q].front()] == label;
    own_after += before.labels[is[q].front()] == label;
  }
  const auto share = [](std::size_t part, std::size_t whole) {
    return whole == 0 ? 0 : static_cast<double>(part) / static_cast<double>(whole);
  };
  report.same_nearest = share(same, queries.size());
  report.kept = share(kept, listed);
  report.before.same_label = share(own_before, report.labelled);
  report.after.same_label = share(own_after, report.labelled);
  report.correlation = correlation_of(all_before, all_after);
  if (is_projected || changes.empty()) return;
  report.median_change = quantile(changes, 0.5);
  report.usual_change = quantile(changes, 0.95);
}

}  // namespace

CompactReport compact_store(const FeatureStore& store, const CompactSpec& spec,
                            const std::filesystem::path& folder) {
  store.check_complete();
  if (store.is_at(folder)) {
    throw UsageError(folder.string() +
                     ": is the store itself; name another folder for the smaller one");
  }
  CompactReport report;
  const ColumnScaling before = scaling_of({&store, 1}, report.rows);
  if (report.rows < 2) {
    throw InputError(store.folder().string() + ": has fewer than two rows to compare");
  }
  write_compact(store, spec, folder);
  const FeatureStore compact = FeatureStore::open(folder);
  const ColumnScaling after = scaling_of({&compact, 1}, report.rows);
  compare(sample_of(store, report.rows, before), sample_of(compact, report.rows, after),
          !compact.header().projection.empty() && store.header().projection.empty(), report);
  report.before.bytes = bytes_of(store.folder());
  report.after.bytes = bytes_of(folder);
  return report;
}

}  // namespace leafglyph
