// Squared distances of many rows from many by products, |x - y|^2 = |x|^2 + |y|^2 - 2 x.y: many
// times faster than sums of differences, but digits are lost and depend on how the products are
// blocked. What is to be exact takes from them the rows that may be nearest, and sums for those.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <span>
#include <vector>

namespace leafglyph {

/// From so many queries on products pay.
inline constexpr std::size_t kProductQueries = 20;

/// Bound on the error of |x - y|^2 by products in float (squared norms and product of `terms`
/// terms, each rounded to 2^-24) and on that of the sum of the squared differences together.
inline double product_error_bound(double query_norm, double largest_norm, std::size_t terms) {
  const double sum = query_norm + largest_norm;
  return 2.0 * (static_cast<double>(terms) + 8.0) * 0x1p-24 * sum * sum;
}

/// The nearest of some rows to queries, in some of the columns, exactly.
class NearestRow {
 public:
  struct Columns {
    std::size_t first = 0, count = 0;
  };
  /// A distance of two rows that grows with the sum of their squared differences in the columns,
  /// taken in float.
  using Distance = std::function<float(const float*, const float*)>;
  /// Rows that a query leaves out: begin to end - 1.
  struct Gap {
    std::size_t begin = 0, end = 0;
  };
  struct Found {
    float distance = std::numeric_limits<float>::infinity();
    std::size_t row = 0;  ///< the first among equally near ones
  };

  /// Of `rows`, each `stride` numbers long. `asked` says how many queries there will be: few are
  /// answered by distances alone, with the same result, and so are all where it is 0. Row i belongs
  /// to the group groups[i], from 0; none given: all are one. Rows and groups must outlive the
  /// object.
  NearestRow(std::span<const float> rows, std::size_t stride, Columns columns, Distance distance,
             std::size_t query_count, std::span<const std::uint32_t> groups = {});

  /// For each of `queries`, rows of the same stride, the nearest row of each group that is not in
  /// the query's gap, query by query; infinitely far where there is none. A query's result does not
  /// depend on the others.
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
  std::vector<float> squares_;  // |y|^2 of each row; empty: distances alone
  double largest_norm_ = 0;
};

}  // namespace leafglyph
