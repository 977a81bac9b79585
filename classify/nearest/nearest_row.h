// Squared distances between many rows by matrix products, |x - y|^2 = |x|^2 + |y|^2 - 2 x.y. This
// is many times faster than summing squared differences, but loses digits, and which ones depends
// on how the products are blocked. Code that needs exact distances uses the products only to find
// the rows that may be nearest, and sums the differences for those.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <span>
#include <vector>

namespace leafglyph {

/// Number of queries from which products are faster than direct distances.
inline constexpr std::size_t kProductQueries = 20;

/// Bound on the combined error of |x - y|^2 by float products (squared norms and a product of
/// `terms` terms, each rounded to 2^-24) and of the direct sum of squared differences.
inline double product_error_bound(double query_norm, double largest_norm, std::size_t terms) {
  const double sum = query_norm + largest_norm;
  return 2.0 * (static_cast<double>(terms) + 8.0) * 0x1p-24 * sum * sum;
}

/// Finds exactly the nearest of some rows to queries, comparing only some of the columns.
class NearestRow {
 public:
  struct Columns {
    std::size_t first = 0, count = 0;
  };
  /// A distance between two rows that increases with the sum of their squared differences in the
  /// columns, computed in float.
  using Distance = std::function<float(const float*, const float*)>;
  /// Rows from begin to end - 1, which a query skips.
  struct Gap {
    std::size_t begin = 0, end = 0;
  };
  struct Found {
    float distance = std::numeric_limits<float>::infinity();
    std::size_t row = 0;  ///< the first of equally near ones
  };

  /// Searches `rows`, each `stride` numbers long. `query_count` is the expected number of queries:
  /// below kProductQueries, 0 included, distances are summed directly, with the same result. Row i
  /// belongs to group groups[i], counted from 0; without groups, all rows form one group. Rows and
  /// groups must outlive the object.
  NearestRow(std::span<const float> rows, std::size_t stride, Columns columns, Distance distance,
             std::size_t query_count, std::span<const std::uint32_t> groups = {});

  /// For each of `queries`, which are rows of the same stride, the nearest row of each group
  /// outside the query's gap, query by query. The distance is infinite if there is none. A query's
  /// result does not depend on the others.
  std::vector<Found> of(std::span<const float> queries, std::span<const Gap> gaps) const;

 private:
  double square_of(const float* row) const;
  std::size_t group_of(std::size_t row) const { return groups_.empty() ? 0 : groups_[row]; }
  void take(const float* query, std::size_t row, std::span<Found> nearest) const;
  void by_distances(const float* query, Gap gap, std::span<Found> nearest) const;
  void by_products(std::span<const float> queries, std::span<const Gap> gaps,
                   std::span<Found> nearest) const;

  std::span<const float> rows_;
  std::size_t stride_, count_;
  Columns columns_;
  Distance distance_;
  std::span<const std::uint32_t> groups_;
  std::size_t group_count_ = 1;
  std::vector<float> squares_;  // |y|^2 of each row; empty: distances are summed directly
  double largest_norm_ = 0;
};

}  // namespace leafglyph
