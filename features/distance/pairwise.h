// Statistics of the distances between all pairs of feature rows, without storing the distances.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace leafglyph {

/// Feature rows to compare: component c of row i is values[i * dimension + c]. A row consists of
/// `groups` parts of equal length. The distance of two rows is the mean of the parts' Euclidean
/// distances,
///   d(i, j) = 1/G sum_g sqrt( sum_{c in g} (x_ic - x_jc)^2 ),
/// which for one group is the Euclidean distance. The caller applies any weights to the values.
struct FeatureRows {
  std::span<const double> values;
  std::size_t dimension = 0;
  std::size_t groups = 1;

  std::size_t count() const { return dimension == 0 ? 0 : values.size() / dimension; }
};

/// Throws UsageError when the sizes do not fit, InputError when a value is not finite.
void validate(const FeatureRows& rows);

/// d(i, j), with the arithmetic of pairwise_statistics to the last bit.
double pair_distance(const FeatureRows& rows, std::size_t i, std::size_t j);

struct PairwiseOptions {
  double bin_width = 0.01;
  std::size_t bins = 10;     ///< bins of that width; one more takes all larger distances
  std::size_t closest = 10;  ///< number of closest pairs to report

  friend bool operator==(const PairwiseOptions&, const PairwiseOptions&) = default;
};

/// Two rows, first < second, and their distance.
struct PairDistance {
  std::size_t first = 0;
  std::size_t second = 0;
  double distance = 0.0;
  friend auto operator<=>(const PairDistance& a, const PairDistance& b) {
    if (a.distance != b.distance) {
      return a.distance < b.distance ? std::partial_ordering::less : std::partial_ordering::greater;
    }
    if (a.first != b.first) return std::partial_ordering(a.first <=> b.first);
    return std::partial_ordering(a.second <=> b.second);
  }
  friend bool operator==(const PairDistance&, const PairDistance&) = default;
};

struct PairwiseStatistics {
  std::uint64_t pairs = 0;  ///< n (n - 1) / 2
  /// counts[k]: pairs with k w <= d < (k + 1) w for the bin width w, where edges are the product k
  /// * w rounded to double. The last of the bins + 1 elements counts the pairs with d >= bins * w.
  std::vector<std::uint64_t> counts;
  double mean = 0.0;     ///< of all pairs
  double largest = 0.0;  ///< largest distance
  /// The closest pairs in increasing order of distance, then of first, then of second row.
  std::vector<PairDistance> closest;
};

/// Compares every pair once, on all threads. The result does not depend on the number of threads.
/// Throws as validate does; UsageError for fewer than two rows, a bin width that is not positive,
/// no bins, or more closest pairs than there are pairs; Error when the histogram's total is not the
/// number of pairs.
PairwiseStatistics pairwise_statistics(const FeatureRows& rows, const PairwiseOptions& options);

/// For each of the distances how many pairs of rows are nearer, on all threads. Throws as
/// validate(rows).
std::vector<std::uint64_t> pairs_nearer(const FeatureRows& rows, std::span<const double> distances);

/// Throws the UsageErrors of pairwise_statistics for `count` rows.
void validate(const PairwiseOptions& options, std::size_t count);

}  // namespace leafglyph
