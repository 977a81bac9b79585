#include "classify/nearest/knn_index.h"

#include <faiss/IndexFlat.h>
#include <faiss/utils/distances.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <numeric>

#include "classify/support/faiss_row.h"
#include "features/base/errors.h"
#include "features/base/threads.h"
#include "gpu/distance/nearest_candidates.h"

namespace leafglyph {
namespace {

void normalise(std::span<float> row) {
  double sum = 0.0;
  for (const float v : row) sum += static_cast<double>(v) * v;
  if (sum == 0.0) return;
  const double scale = 1.0 / std::sqrt(sum);
  for (float& v : row) v = static_cast<float>(v * scale);
}

Neighbour neighbour_of(Metric metric, FaissRow row, float value) {
  return {static_cast<std::int64_t>(row), distance_of_square(metric, value)};
}

// Searches one query with FAISS, which then sums every distance directly. If equal distances
// straddle the end of the list, FAISS keeps an arbitrary choice of them. The list is therefore
// extended until it ends with a greater distance, and cut after ordering by row.
void search_one(const faiss::IndexFlat& index, Metric metric, const float* query,
                std::span<Neighbour> out) {
  const auto total = static_cast<std::size_t>(index.ntotal);
  std::size_t length = std::min(total, out.size() + 1);
  std::vector<float> values;
  std::vector<FaissRow> rows;
  while (true) {
    values.resize(length);
    rows.resize(length);
    index.search(/*n=*/1, query, static_cast<FaissRow>(length), values.data(), rows.data());
    const bool tie_at_end = distance_of_square(metric, values[length - 1]) ==
                            distance_of_square(metric, values[out.size() - 1]);
    if (!tie_at_end || length == total) break;
    length = std::min(total, 2 * length);
  }
  std::vector<Neighbour> found(length);
  for (std::size_t i = 0; i < length; ++i) found[i] = neighbour_of(metric, rows[i], values[i]);
  std::sort(found.begin(), found.end(), nearer);
  std::copy_n(found.begin(), out.size(), out.begin());
}

// Up to this length, squared distances between rows, and the sums that FAISS forms for them, fit
// into a float. Rows at an infinite distance would not be found at all.
constexpr double kLongestRow = 0x1p62;

// Number of extra candidates that a search by products lists. The second number is for queries that
// the first leaves uncertain, which happens among thousands of similar rows.
constexpr std::array<std::size_t, 2> kMoreCandidates = {16, 1024};
// Candidates are held for this many queries at a time: 20 MB, including what FAISS holds.
constexpr std::size_t kQueriesHeld = 512;

// The nearest of the candidates, with distances summed directly as in search_one. Returns false if
// a row that is not a candidate might be as near as the last result.
bool search_candidates(const faiss::IndexFlat& index, Metric metric, const float* query,
                       std::span<const FaissRow> rows, float farthest_by_product,
                       double error_bound, std::span<Neighbour> out) {
  std::vector<float> values(rows.size());
  index.compute_distance_subset(/*n=*/1, query, static_cast<FaissRow>(rows.size()), values.data(),
                                rows.data());
  std::vector<std::size_t> order(rows.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return nearer(neighbour_of(metric, rows[a], values[a]),
                  neighbour_of(metric, rows[b], values[b]));
  });
  const bool all_rows = rows.size() == static_cast<std::size_t>(index.ntotal);
  const double last = values[order[out.size() - 1]];
  if (!all_rows && !(last < static_cast<double>(farthest_by_product) - error_bound)) return false;
  for (std::size_t i = 0; i < out.size(); ++i) {
    out[i] = neighbour_of(metric, rows[order[i]], values[order[i]]);
  }
  return true;
}

}  // namespace

float distance_of_square(Metric metric, float square) {
  switch (metric) {
    case Metric::kEuclidean:
      return std::sqrt(square);
    case Metric::kCosine:
      return 0.5F * square;
  }
  return square;
}

double norm(std::span<const float> row) {
  double sum = 0.0;
  for (const float v : row) sum += static_cast<double>(v) * v;
  return std::sqrt(sum);
}

bool nearer(const Neighbour& a, const Neighbour& b) {
  return a.distance != b.distance ? a.distance < b.distance : a.row < b.row;
}

struct KnnIndex::Impl {
  faiss::IndexFlat index;
  double largest_norm = 0.0;  // of the stored rows

  void add(std::span<const float> rows) {
    const auto d = static_cast<std::size_t>(index.d);
    for (std::size_t i = 0; i < rows.size(); i += d) {
      largest_norm = std::max(largest_norm, norm(rows.subspan(i, d)));
    }
    index.add(static_cast<FaissRow>(rows.size() / d), rows.data());
  }
};

KnnIndex::KnnIndex(Metric metric, std::size_t dimension) : metric_(metric), dimension_(dimension) {
  if (dimension == 0) throw UsageError("an index needs rows of at least one number");
  impl_ = std::make_unique<Impl>(
      Impl{faiss::IndexFlat(static_cast<FaissRow>(dimension), faiss::METRIC_L2),
           /*largest_norm=*/0.0});
}

KnnIndex::~KnnIndex() = default;
KnnIndex::KnnIndex(KnnIndex&& other) noexcept = default;
KnnIndex& KnnIndex::operator=(KnnIndex&& other) noexcept = default;

std::size_t KnnIndex::size() const { return static_cast<std::size_t>(impl_->index.ntotal); }

void KnnIndex::check_rows(std::span<const float> rows, const char* what) const {
  if (rows.size() % dimension_ != 0) {
    throw UsageError(fmt::format("{} of {} numbers do not divide into rows of {}", what,
                                 rows.size(), dimension_));
  }
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if (!std::isfinite(rows[i])) {
      throw InputError(fmt::format("{}: row {}, component {} is not finite", what, i / dimension_,
                                   i % dimension_));
    }
  }
}

void KnnIndex::check_lengths(std::span<const float> rows, const char* what) const {
  for (std::size_t i = 0; i < rows.size(); i += dimension_) {
    const double length = norm(rows.subspan(i, dimension_));
    if (length > kLongestRow) {
      throw InputError(
          fmt::format("{}: row {} is {} long, too long for distances; use smaller weights", what,
                      i / dimension_, length));
    }
  }
}

std::vector<float> KnnIndex::prepared(std::span<const float> rows, const char* what) const {
  check_rows(rows, what);
  std::vector<float> copy(rows.begin(), rows.end());
  if (metric_ == Metric::kCosine) {
    for (std::size_t i = 0; i < copy.size(); i += dimension_) {
      normalise(std::span(copy).subspan(i, dimension_));
    }
  }
  check_lengths(copy, what);
  return copy;
}

void KnnIndex::add(std::span<const float> rows) { impl_->add(prepared(rows, "index rows")); }

NeighbourLists KnnIndex::search_prepared(std::span<const float> queries, std::size_t k) const {
  NeighbourLists lists;
  lists.k = k;
  const std::size_t count = queries.size() / dimension_;
  lists.entries.resize(count * k);
  const double comparisons = static_cast<double>(queries.size()) * static_cast<double>(size());
  if (gpu_ && comparisons >= large_search_) {
    search_on_gpu(queries, lists);
    return lists;
  }
  for (std::size_t first = 0; first < count; first += kQueriesHeld) {
    const std::size_t held = std::min(kQueriesHeld, count - first);
    search_part(queries.subspan(first * dimension_, held * dimension_),
                std::span(lists.entries).subspan(first * k, held * k), k);
  }
  return lists;
}

// The k nearest rows of each query, one list after another. Lists candidates by matrix products and
// compares those exactly. Queries that remain uncertain are searched one at a time.
void KnnIndex::search_part(std::span<const float> queries, std::span<Neighbour> lists,
                           std::size_t k) const {
  const faiss::IndexFlat& index = impl_->index;
  // Starting a team of threads costs more than one query, and far more if other programs keep the
  // processor busy.
  constexpr std::size_t kQueriesATime = 16;
  std::vector<std::size_t> uncertain(queries.size() / dimension_);
  std::iota(uncertain.begin(), uncertain.end(), std::size_t{0});
  for (const std::size_t more : kMoreCandidates) {
    if (uncertain.size() < kProductQueries) break;
    const std::size_t query_count = uncertain.size(), candidates = std::min(size(), k + more);
    std::vector<float> values(query_count * candidates), query_rows;
    std::vector<FaissRow> rows(query_count * candidates);
    for (const std::size_t q : uncertain) {
      const auto query = queries.subspan(q * dimension_, dimension_);
      query_rows.insert(query_rows.end(), query.begin(), query.end());
    }
    index.search(static_cast<FaissRow>(query_count), query_rows.data(),
                 static_cast<FaissRow>(candidates), values.data(), rows.data());
    std::vector<std::uint8_t> certain(query_count);
    parallel_for({query_count, kQueriesATime, /*serial=*/kQueriesATime}, [&](std::size_t i) {
      const auto query = queries.subspan(uncertain[i] * dimension_, dimension_);
      certain[i] = search_candidates(
          index, metric_, query.data(), std::span(rows).subspan(i * candidates, candidates),
          values[(i + 1) * candidates - 1],
          product_error_bound(norm(query), impl_->largest_norm, dimension_),
          lists.subspan(uncertain[i] * k, k));
    });
    std::size_t left = 0;
    for (std::size_t i = 0; i < query_count; ++i) {
      if (!certain[i]) uncertain[left++] = uncertain[i];
    }
    uncertain.resize(left);
  }
  parallel_for({uncertain.size(), kQueriesATime, /*serial=*/kQueriesATime}, [&](std::size_t i) {
    const std::size_t q = uncertain[i];
    search_one(index, metric_, queries.data() + q * dimension_, lists.subspan(q * k, k));
  });
}

// The candidates from the GPU form an index of their own, which is searched like the whole index.
// Distances are the same, and ties keep their order because row numbers increase.
void KnnIndex::search_on_gpu(std::span<const float> queries, NeighbourLists& lists) const {
  const std::span stored(impl_->index.get_xb(), size() * dimension_);
  const gpu::CandidateLists found =
      gpu::nearest_candidates(stored, queries, dimension_, lists.k, *gpu_);
  parallel_for({queries.size() / dimension_, /*at_a_time=*/16}, [&](std::size_t query) {
    const auto out = std::span(lists.entries).subspan(query * lists.k, lists.k);
    const float* values = queries.data() + query * dimension_;
    if (found.counts[query] > found.capacity) {  // very many equal distances
      search_one(impl_->index, metric_, values, out);
      return;
    }
    const auto rows = std::span(found.rows).subspan(query * found.capacity, found.counts[query]);
    std::vector<float> near;
    near.reserve(rows.size() * dimension_);
    for (const std::int32_t row : rows) {
      const auto components =
          stored.subspan(static_cast<std::size_t>(row) * dimension_, dimension_);
      near.insert(near.end(), components.begin(), components.end());
    }
    faiss::IndexFlat candidates(impl_->index.d, impl_->index.metric_type);
    candidates.add(static_cast<FaissRow>(rows.size()), near.data());
    search_one(candidates, metric_, values, out);
    for (Neighbour& neighbour : out) neighbour.row = rows[static_cast<std::size_t>(neighbour.row)];
  });
}

NeighbourLists KnnIndex::search(std::span<const float> queries, std::size_t k) const {
  if (k == 0 || k > size()) {
    throw UsageError(fmt::format(
        "k = {} nearest of {} stored rows: choose k from 1 to the number of rows", k, size()));
  }
  return search_prepared(prepared_queries(queries), k);
}

std::vector<float> KnnIndex::prepared_queries(std::span<const float> queries) const {
  return prepared(queries, "queries");
}

NearestRow KnnIndex::nearest_of_groups(std::span<const std::uint32_t> groups,
                                       std::size_t query_count) const {
  const auto distance = [metric = metric_, d = dimension_](const float* a, const float* b) {
    return distance_of_square(metric, faiss::fvec_L2sqr(a, b, d));
  };
  return NearestRow(rows(), dimension_, {0, dimension_}, distance, query_count, groups);
}

NeighbourLists KnnIndex::search_others(std::size_t k) const {
  if (k == 0 || k >= size()) {
    throw UsageError(fmt::format(
        "k = {} nearest others of {} stored rows: choose k from 1 to the number of rows less one",
        k, size()));
  }
  const std::span stored(impl_->index.get_xb(), size() * dimension_);
  const NeighbourLists with_self = search_prepared(stored, k + 1);
  NeighbourLists lists;
  lists.k = k;
  lists.entries.reserve(size() * k);
  for (std::size_t i = 0; i < size(); ++i) {
    std::size_t taken = 0;
    for (const Neighbour& neighbour : with_self.of(i)) {
      // A row with many exact copies at lower positions may be missing from its own list.
      if (neighbour.row == static_cast<std::int64_t>(i) || taken == k) continue;
      lists.entries.push_back(neighbour);
      ++taken;
    }
  }
  return lists;
}

std::vector<float> KnnIndex::row(std::int64_t position) const {
  if (position < 0 || static_cast<std::size_t>(position) >= size()) {
    throw UsageError(fmt::format("row {} of an index of {} rows", position, size()));
  }
  const float* first = impl_->index.get_xb() + static_cast<std::size_t>(position) * dimension_;
  return {first, first + dimension_};
}

std::span<const float> KnnIndex::rows() const {
  return {impl_->index.get_xb(), size() * dimension_};
}

KnnIndex KnnIndex::of_rows(Metric metric, std::size_t dimension, std::span<const float> rows) {
  KnnIndex index(metric, dimension);
  index.check_rows(rows, "index rows");
  index.check_lengths(rows, "index rows");
  index.impl_->add(rows);
  return index;
}

}  // namespace leafglyph
