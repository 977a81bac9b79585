#include "classify/nearest/group_search.h"

#include <faiss/utils/distances.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "classify/table/algebra.h"
#include "features/base/errors.h"
#include "features/base/threads.h"

namespace leafglyph {
namespace {

/// A row that may be among the nearest of a query, by their product.
struct Candidate {
  std::uint32_t query, row;
  float square;
};

// Candidates of this many pairs of queries and rows are held at a time: 4 MB.
constexpr double kPairsHeld = 0x1p17;

/// The rows of an index, one group after another.
struct GroupedRows {
  std::vector<std::uint32_t> order;  // numbers of the rows in the index
  std::vector<std::size_t> starts;   // of each group in `order`, and the end
  std::vector<float> rows;           // copied, so that a group is one matrix
  std::vector<double> squares;       // of their lengths
};

GroupedRows grouped(std::span<const float> rows, std::size_t dimension,
                    std::span<const std::uint32_t> groups) {
  GroupedRows grouped;
  std::vector<std::uint32_t>& order = grouped.order;
  order.resize(groups.size());
  std::iota(order.begin(), order.end(), 0U);
  std::ranges::stable_sort(order, {}, [&](std::uint32_t row) { return groups[row]; });
  for (std::size_t i = 0; i < order.size(); ++i) {
    if (i == 0 || groups[order[i]] != groups[order[i - 1]]) grouped.starts.push_back(i);
    const auto row = rows.subspan(order[i] * dimension, dimension);
    grouped.rows.insert(grouped.rows.end(), row.begin(), row.end());
    grouped.squares.push_back(norm(row) * norm(row));
  }
  grouped.starts.push_back(order.size());
  return grouped;
}

}  // namespace

// Rows of a group are multiplied by the queries that probe it. Those that may be among the nearest
// by these products are then compared exactly, the nearest first, until no other can be nearer.
NeighbourLists search_groups(const KnnIndex& index, std::span<const float> queries,
                             const ProbedGroups& groups, const NeighbourLists& known) {
  constexpr std::size_t kQueriesATime = 64;
  const std::vector<float> sought = index.prepared_queries(queries);
  const std::size_t count = known.count(), d = index.dimension(), k = known.k;
  if (sought.size() != count * d || groups.of_rows.size() != index.size()) {
    throw UsageError("the groups or lists of a search do not fit its queries and rows");
  }
  std::vector<double> norms(count);
  for (std::size_t q = 0; q < count; ++q) norms[q] = norm(std::span(sought).subspan(q * d, d));
  NeighbourLists lists{k, std::vector<Neighbour>(count * k, kNoNeighbour)};
  if (index.size() == 0) return lists;
  const GroupedRows stored = grouped(index.rows(), d, groups.of_rows);
  // The largest row bounds the rounding of all products, so that no bound is looked up per pair.
  const double largest_norm = std::sqrt(std::ranges::max(stored.squares));
  const auto lower_bound_of = [&](const Candidate& candidate) {
    const double error = product_error_bound(norms[candidate.query], largest_norm, d);
    return distance_of_square(index.metric(),
                              std::max(0.0F, static_cast<float>(candidate.square - error)));
  };
  const std::size_t group_count = stored.starts.size() - 1;
  const auto probing = [&](std::size_t g) -> std::span<const std::uint32_t> {
    return groups.queries[groups.of_rows[stored.order[stored.starts[g]]]];
  };
  double pairs = 0;
  for (std::size_t g = 0; g < group_count; ++g) {
    pairs += static_cast<double>(probing(g).size()) *
             static_cast<double>(stored.starts[g + 1] - stored.starts[g]);
  }
  // As if every query probed equally many rows.
  const double share = std::min(1.0, kPairsHeld / std::max(1.0, pairs));
  const auto held =
      std::max(kQueriesATime, static_cast<std::size_t>(share * static_cast<double>(count)));
  for (std::size_t first = 0; first < count; first += held) {
    const std::size_t end = std::min(count, first + held);
    std::vector<std::vector<Candidate>> of_groups(group_count), of_queries(end - first);
    parallel_for(group_count, [&](std::size_t g) {
      const std::size_t start = stored.starts[g], members = stored.starts[g + 1] - start;
      const auto all = probing(g);
      // Queries ascend, so those held now are one range.
      const auto begin = std::ranges::lower_bound(all, first);
      const std::span some(begin, std::lower_bound(begin, all.end(), end));
      std::vector<float> together, products;
      for (std::size_t i = 0; i < some.size(); i += kQueriesATime) {
        const auto part = some.subspan(i, std::min(kQueriesATime, some.size() - i));
        together.clear();
        for (const std::uint32_t q : part) {
          together.insert(together.end(), &sought[q * d], &sought[q * d] + d);
        }
        products.resize(part.size() * members);
        // One product of matrices for many queries, not one of vectors for each: a row is read once
        // for all of them.
        product_tn({&stored.rows[start * d], members, d}, {together.data(), part.size(), d}, d,
                   products);
        for (std::size_t j = 0; j < products.size(); ++j) {
          const std::uint32_t q = part[j / members];
          const std::size_t row = start + j % members;
          // |x - y|^2 = |x|^2 + |y|^2 - 2 xy. The terms of near rows cancel, so they are added in
          // double; the rounding of the product itself is in the bound.
          const double square = stored.squares[row] + norms[q] * norms[q] - 2.0 * products[j];
          const Candidate candidate{q, static_cast<std::uint32_t>(row), static_cast<float>(square)};
          if (lower_bound_of(candidate) > known.of(q).back().distance) continue;
          of_groups[g].push_back(candidate);
        }
      }
    });
    // From the lists of groups, each filled by one thread, to those of queries: no two threads
    // append to one list, and the order does not depend on their number.
    for (const std::vector<Candidate>& candidates : of_groups) {
      for (const Candidate& candidate : candidates) {
        of_queries[candidate.query - first].push_back(candidate);
      }
    }
    parallel_for({end - first, kQueriesATime, /*serial=*/kQueriesATime}, [&](std::size_t i) {
      const std::size_t q = first + i;
      std::ranges::sort(of_queries[i], {}, &Candidate::square);
      const auto list = std::span(lists.entries).subspan(q * k, k);
      const float farthest = known.of(q).back().distance;
      for (const Candidate& candidate : of_queries[i]) {
        // Squares ascend, and with them the bound: no later candidate can be nearer.
        if (lower_bound_of(candidate) > std::min(farthest, list.back().distance)) break;
        const Neighbour found{
            static_cast<std::int64_t>(stored.order[candidate.row]),
            distance_of_square(
                index.metric(),
                // As KnnIndex::search computes it, so that the distances are equal to the last bit.
                faiss::fvec_L2sqr(&sought[q * d], &stored.rows[candidate.row * d], d))};
        if (found.distance > farthest || !nearer(found, list.back())) continue;
        const auto place = std::ranges::upper_bound(list, found, nearer);
        std::shift_right(place, list.end(), 1);
        *place = found;
      }
    });
  }
  return lists;
}

}  // namespace leafglyph
