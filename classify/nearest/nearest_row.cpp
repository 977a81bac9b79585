#include "classify/nearest/nearest_row.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "classify/table/algebra.h"

namespace leafglyph {
namespace {

constexpr float kFar = std::numeric_limits<float>::infinity();
// Rows and queries per matrix product, few enough for the product to stay in the cache.
constexpr std::size_t kRowsATime = 256;
constexpr std::size_t kQueriesATime = 64;

}  // namespace

NearestRow::NearestRow(std::span<const float> rows, std::size_t stride, Columns columns,
                       Distance distance, std::size_t query_count,
                       std::span<const std::uint32_t> groups)
    : rows_(rows),
      stride_(stride),
      count_(rows.size() / stride),
      columns_(columns),
      distance_(std::move(distance)),
      groups_(groups) {
  if (!groups.empty()) group_count_ = *std::ranges::max_element(groups) + std::size_t{1};
  if (query_count < kProductQueries) return;
  squares_.reserve(count_);
  for (std::size_t i = 0; i < count_; ++i) {
    const double square = square_of(&rows[i * stride]);
    squares_.push_back(static_cast<float>(square));
    largest_norm_ = std::max(largest_norm_, std::sqrt(square));
  }
}

double NearestRow::square_of(const float* row) const {
  double sum = 0;
#pragma omp simd reduction(+ : sum)
  for (std::size_t j = columns_.first; j < columns_.first + columns_.count; ++j) {
    sum += static_cast<double>(row[j]) * row[j];
  }
  return sum;
}

std::vector<NearestRow::Found> NearestRow::of(std::span<const float> queries,
                                              std::span<const Gap> gaps) const {
  std::vector<Found> all(gaps.size() * group_count_);
  const std::size_t together = squares_.empty() ? 1 : kQueriesATime;
  for (std::size_t q = 0; q < gaps.size(); q += together) {
    const std::size_t query_count = std::min(together, gaps.size() - q);
    const auto nearest = std::span(all).subspan(q * group_count_, query_count * group_count_);
    if (squares_.empty()) {
      by_distances(&queries[q * stride_], gaps[q], nearest);
    } else {
      by_products(queries.subspan(q * stride_, query_count * stride_), gaps.subspan(q, query_count),
                  nearest);
    }
  }
  return all;
}

// Must be called with increasing rows, so that the first of equally near rows wins.
void NearestRow::take(const float* query, std::size_t row, std::span<Found> nearest) const {
  const float distance = distance_(query, &rows_[row * stride_]);
  Found& found = nearest[group_of(row)];
  if (distance < found.distance) found = {distance, row};
}

void NearestRow::by_distances(const float* query, Gap gap, std::span<Found> nearest) const {
  for (std::size_t row = 0; row < count_; ++row) {
    if (row < gap.begin || row >= gap.end) take(query, row, nearest);
  }
}

// Blocks of rows are multiplied by all queries. A row is compared exactly if its squared distance
// by products is within twice the error bound of the lowest one in its group so far.
void NearestRow::by_products(std::span<const float> queries, std::span<const Gap> gaps,
                             std::span<Found> nearest) const {
  const std::size_t query_count = gaps.size();
  std::vector<float> of_query(query_count), margin(query_count),
      lowest(query_count * group_count_, kFar);
  for (std::size_t q = 0; q < query_count; ++q) {
    const double square = square_of(&queries[q * stride_]);
    of_query[q] = static_cast<float>(square);
    const double error = product_error_bound(std::sqrt(square), largest_norm_, columns_.count);
    margin[q] = std::nextafter(static_cast<float>(2 * error), kFar);
  }
  std::vector<float> products(std::min(kRowsATime, count_) * query_count);
  for (std::size_t first = 0; first < count_; first += kRowsATime) {
    const std::size_t rows = std::min(kRowsATime, count_ - first);
    product_tn({&rows_[first * stride_ + columns_.first], rows, stride_},
               {&queries[columns_.first], query_count, stride_}, columns_.count, products);
    for (std::size_t q = 0; q < query_count; ++q) {
      for (std::size_t i = 0; i < rows; ++i) {
        const std::size_t row = first + i;
        const float square = squares_[row] + of_query[q] - 2 * products[q * rows + i];
        float& low = lowest[q * group_count_ + group_of(row)];
        // Written so that a NaN does not skip the row.
        if (square > low + margin[q]) continue;
        if (row >= gaps[q].begin && row < gaps[q].end) continue;
        low = std::min(low, square);
        take(&queries[q * stride_], row, nearest.subspan(q * group_count_, group_count_));
      }
    }
  }
}

}  // namespace leafglyph
