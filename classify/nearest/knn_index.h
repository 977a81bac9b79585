// Exact nearest neighbours among stored feature rows: wraps FAISS's flat index.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "classify/nearest/nearest_row.h"
#include "features/base/names.h"
#include "gpu/devices.h"

namespace leafglyph {

/// Distance between two rows.
enum class Metric {
  kEuclidean,  ///< sqrt(sum (x - y)^2)
  kCosine,     ///< 1 - x.y / (|x| |y|), as | x/|x| - y/|y| |^2 / 2; a zero row stays zero
};
template <>
inline constexpr Names<Metric, 2> kNamesOf<Metric> = {
    "metric", {{{Metric::kEuclidean, "euclidean"}, {Metric::kCosine, "cosine"}}}};

/// The distance of rows from their squared Euclidean distance. The cosine's is that of normalised
/// rows, because 1 - x.y would lose the digits of small distances.
float distance_of_square(Metric metric, float square);

/// The Euclidean length of a row.
double norm(std::span<const float> row);

/// One stored row and its distance from the query.
struct Neighbour {
  std::int64_t row = 0;  ///< position of the stored row, in the order of adding
  float distance = 0.0F;
  friend bool operator==(const Neighbour&, const Neighbour&) = default;
};

/// Stands where there is no further neighbour: farther than any.
inline constexpr Neighbour kNoNeighbour = {std::numeric_limits<std::int64_t>::max(),
                                           std::numeric_limits<float>::infinity()};

/// The order of neighbours: by distance, and by row among equal distances.
bool nearer(const Neighbour& a, const Neighbour& b);

/// The k nearest stored rows of each query: neighbour j of query i is entries[i * k + j]. Each
/// list is ordered by distance, and by row among equal distances, so that it is unique.
struct NeighbourLists {
  std::size_t k = 0;
  std::vector<Neighbour> entries;

  std::size_t count() const { return k == 0 ? 0 : entries.size() / k; }
  std::span<const Neighbour> of(std::size_t query) const {
    return std::span(entries).subspan(query * k, k);
  }
};

/// An exact index of float rows. A query's result is the same to the last bit, however many other
/// queries and threads there are. Several threads may search at the same time.
class KnnIndex {
 public:
  /// Throws UsageError when the dimension is 0.
  KnnIndex(Metric metric, std::size_t dimension);
  ~KnnIndex();
  KnnIndex(KnnIndex&& other) noexcept;
  KnnIndex& operator=(KnnIndex&& other) noexcept;

  Metric metric() const { return metric_; }
  std::size_t dimension() const { return dimension_; }
  std::size_t size() const;  ///< number of stored rows

  /// Appends rows; component j of row i is rows[i * dimension() + j]. Throws UsageError when the
  /// size is not a multiple of the dimension. Throws InputError when a value is not finite, or when
  /// a row, as it is compared, is longer than 2^62, so that squared distances would exceed the
  /// range of float.
  void add(std::span<const float> rows);

  /// The k nearest rows of each query (layout as in add). Throws UsageError when k is 0 or more
  /// than size(), InputError for a query that add would refuse.
  NeighbourLists search(std::span<const float> queries, std::size_t k) const;

  /// The k nearest other rows of every stored row (leave-one-out). Throws UsageError when k is 0
  /// or not less than size().
  NeighbourLists search_others(std::size_t k) const;

  /// An object that finds the nearest row of each group for `query_count` queries from
  /// prepared_queries. groups[i] is the group of row i, counted from 0. The index and the groups
  /// must outlive it.
  NearestRow nearest_of_groups(std::span<const std::uint32_t> groups,
                               std::size_t query_count) const;
  /// Queries as the index compares them. Throws what search throws.
  std::vector<float> prepared_queries(std::span<const float> queries) const;

  /// Number of component comparisons (queries x rows x components) from which a search is large. A
  /// smaller search finishes on the CPU before a GPU would have started.
  static constexpr double kLargeSearch = 1e10;
  /// Large searches find their candidates on this GPU from now on. The results stay the same.
  void use_gpu(const gpu::GpuDevice& gpu, double large_search = kLargeSearch) {
    gpu_ = gpu;
    large_search_ = large_search;
  }

  /// The stored row, as the index compares it (of length 1 for kCosine).
  std::vector<float> row(std::int64_t position) const;

  /// Every stored row, as the index compares them; layout as in add.
  std::span<const float> rows() const;
  /// An index of the rows() of another index, with the same results to the last bit. Throws what
  /// add throws.
  static KnnIndex of_rows(Metric metric, std::size_t dimension, std::span<const float> rows);

 private:
  struct Impl;
  NeighbourLists search_prepared(std::span<const float> queries, std::size_t k) const;
  void search_part(std::span<const float> queries, std::span<Neighbour> lists, std::size_t k) const;
  void search_on_gpu(std::span<const float> queries, NeighbourLists& lists) const;
  void check_rows(std::span<const float> rows, const char* what) const;
  void check_lengths(std::span<const float> rows, const char* what) const;
  std::vector<float> prepared(std::span<const float> rows, const char* what) const;

  Metric metric_;
  std::size_t dimension_;
  std::unique_ptr<Impl> impl_;
  std::optional<gpu::GpuDevice> gpu_;
  double large_search_ = kLargeSearch;
};

}  // namespace leafglyph
