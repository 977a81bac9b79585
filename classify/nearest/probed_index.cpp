#include "classify/nearest/probed_index.h"

#include <faiss/utils/distances.h>
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <utility>

#include "classify/support/half_values.h"
#include "features/base/errors.h"
#include "features/base/threads.h"

namespace leafglyph {
namespace {

// The first place of each class, and the end.
std::vector<std::size_t> starts_of(std::span<const std::uint32_t> classes) {
  std::vector<std::size_t> starts(1);
  for (const std::uint32_t of_row : classes) {
    if (of_row + std::size_t{2} > starts.size()) starts.resize(of_row + std::size_t{2});
    ++starts[of_row + std::size_t{1}];
  }
  for (std::size_t c = 1; c < starts.size(); ++c) starts[c] += starts[c - 1];
  return starts;
}

}  // namespace

HalfRowsMaker::HalfRowsMaker(std::span<const std::uint32_t> classes, std::size_t dimension)
    : classes_(classes),
      metric_(Metric::kCosine, dimension),
      next_(starts_of(classes)),
      values_(classes.size() * dimension) {}

void HalfRowsMaker::add(std::span<const float> rows) {
  const std::vector<float> prepared = metric_.prepared_queries(rows);
  const std::size_t d = metric_.dimension();
  std::vector<std::size_t> places(prepared.size() / d);
  for (std::size_t& place : places) place = next_[classes_[added_++]]++;
  parallel_for({places.size(), /*at_a_time=*/256, /*serial=*/256}, [&](std::size_t i) {
    to_half(std::span(prepared).subspan(i * d, d), std::span(values_).subspan(places[i] * d, d));
  });
}

HalfRows HalfRowsMaker::finish() {
  if (added_ != classes_.size()) throw UsageError("HalfRowsMaker: rows are missing");
  return [d = metric_.dimension(),
          values = std::make_shared<const std::vector<Half>>(std::move(values_))](
             std::size_t first, std::size_t count, std::vector<Half>&) {
    return std::span<const Half>(*values).subspan(first * d, count * d);
  };
}

// Means are not compared by the cosine: that of a class amid the others has no direction.
ProbedIndex::ProbedIndex(std::span<const std::uint32_t> classes, std::span<const float> means,
                         std::size_t dimension, HalfRows rows)
    : means_(Metric::kEuclidean, dimension),
      rows_(std::move(rows)),
      order_(classes.size()),
      starts_(starts_of(classes)) {
  if (means.size() != (starts_.size() - 1) * dimension) {
    throw UsageError("ProbedIndex: the means do not fit the classes");
  }
  means_.add(means);
  std::vector<std::size_t> next = starts_;
  for (std::size_t i = 0; i < classes.size(); ++i) {
    order_[next[classes[i]]++] = static_cast<std::uint32_t>(i);
  }
}

// As many classes as have that many rows in all, whichever they are.
std::size_t ProbedIndex::classes_with(std::size_t rows) const {
  std::vector<std::size_t> sizes;
  for (std::size_t c = 1; c < starts_.size(); ++c) sizes.push_back(starts_[c] - starts_[c - 1]);
  std::ranges::sort(sizes);
  std::size_t count = 0, sum = 0;
  while (sum < rows) sum += sizes[count++];
  return count;
}

// Adds the rows of a class to those that the query was compared with.
void ProbedIndex::compare(std::span<const float> query, std::uint32_t of_class,
                          std::vector<Neighbour>& compared) const {
  const std::size_t d = dimension(), first = starts_[of_class];
  const std::size_t count = starts_[of_class + std::size_t{1}] - first;
  std::vector<Half> copy;
  const std::span<const Half> stored = rows_(first, count, copy);
  std::vector<float> row(d);
  for (std::size_t i = 0; i < count; ++i) {
    to_float(stored.subspan(i * d, d), row);
    const float square = faiss::fvec_L2sqr(query.data(), row.data(), d);
    if (!std::isfinite(square)) {
      throw FormatError(fmt::format("training leaf {} has a row that is not finite; train again",
                                    order_[first + i]));
    }
    compared.push_back({order_[first + i], distance_of_square(Metric::kCosine, square)});
  }
}

ProbedIndex::Found ProbedIndex::search(std::span<const float> queries, std::size_t k,
                                       std::size_t classes) const {
  if (k == 0 || k > size()) {
    throw UsageError(fmt::format(
        "k = {} nearest of {} stored rows: choose k from 1 to the number of rows", k, size()));
  }
  const std::size_t d = dimension();
  const std::size_t probed =
      std::min(means_.size(), std::max({kProbedClasses, classes, classes_with(k)}));
  const NeighbourLists near_means = means_.search(queries, probed);
  const KnnIndex metric(Metric::kCosine, d);
  const std::vector<float> sought = metric.prepared_queries(queries);
  Found found{{k, std::vector<Neighbour>(near_means.count() * k)}, {}};
  found.of_classes.resize(near_means.count());
  parallel_for({near_means.count(), /*at_a_time=*/4, /*serial=*/4}, [&](std::size_t q) {
    const auto query = std::span<const float>(sought).subspan(q * d, d);
    std::vector<Neighbour> near, other;
    for (std::size_t c = 0; c < probed; ++c) {
      const bool is_probed = c < kProbedClasses || near.size() < k;
      if (!is_probed && c >= classes) break;
      std::vector<Neighbour>& compared = is_probed ? near : other;
      const auto before = static_cast<std::ptrdiff_t>(compared.size());
      compare(query, static_cast<std::uint32_t>(near_means.of(q)[c].row), compared);
      found.of_classes[q].push_back(
          *std::min_element(compared.begin() + before, compared.end(), nearer));
    }
    std::ranges::sort(found.of_classes[q], nearer);
    const auto end = near.begin() + static_cast<std::ptrdiff_t>(k);
    std::partial_sort(near.begin(), end, near.end(), nearer);
    std::copy(near.begin(), end, &found.nearest.entries[q * k]);
  });
  return found;
}

}  // namespace leafglyph
