#include "features/distance/pairwise.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <list>
#include <mutex>
#include <numeric>
#include <string>

#include "features/base/errors.h"
#include "features/base/limits.h"
#include "features/base/threads.h"
#include "features/distance/pairwise_kernels.h"

namespace leafglyph {
namespace {

// A tile compares kTileRows rows with kTileColumns others, whose components stay in the cache.
constexpr std::size_t kTileRows = 128;
constexpr std::size_t kTileColumns = 1024;
// With up to this many bins, two pairs are counted by one addition, in a table of bins x bins.
constexpr std::size_t kFewBins = 32;

struct Tile {
  std::size_t row;
  std::size_t column;
};

// The tiles that contain a pair first < second.
std::vector<Tile> make_tiles(std::size_t count) {
  std::vector<Tile> tiles;
  for (std::size_t row = 0; row < count; row += kTileRows) {
    const std::size_t first = (row + 1) / kTileColumns * kTileColumns;
    for (std::size_t column = first; column < count; column += kTileColumns) {
      tiles.push_back({row, column});
    }
  }
  return tiles;
}

// Keeps the `limit` smallest of the pairs it is offered, in a heap with the largest on top.
class ClosestPairs {
 public:
  explicit ClosestPairs(std::size_t limit) : limit_(limit) {}

  double threshold() const {
    if (limit_ == 0) return -1.0;
    return pairs_.size() < limit_ ? std::numeric_limits<double>::infinity()
                                  : pairs_.front().distance;
  }
  void offer(const PairDistance& pair) {
    if (pairs_.size() == limit_) {
      if (!(pair < pairs_.front())) return;
      std::pop_heap(pairs_.begin(), pairs_.end());
      pairs_.back() = pair;
    } else {
      pairs_.push_back(pair);
    }
    std::push_heap(pairs_.begin(), pairs_.end());
  }
  const std::vector<PairDistance>& pairs() const { return pairs_; }

 private:
  std::size_t limit_;
  std::vector<PairDistance> pairs_;
};

// What one thread collects.
class Gatherer {
 public:
  Gatherer(const PairwiseColumns& columns, std::size_t count, const PairwiseOptions& options)
      : columns_(columns),
        count_(count),
        bins_{options.bin_width, 1.0 / options.bin_width, static_cast<double>(options.bins)},
        kernels_(pairwise_kernels()),
        closest_(options.closest) {
    const std::size_t bins = options.bins + 1;
    counts_.assign(bins, 0);
    if (bins > kFewBins) return;
    for (auto& counts : counts_of_two_) counts.assign(bins * bins, 0);
  }

  // Adds all pairs of the tile and returns the sum of their distances.
  double add(const Tile& tile) {
    double sum = 0.0;
    const std::size_t row_end = std::min(tile.row + kTileRows, count_);
    const std::size_t last = std::min(tile.column + kTileColumns, count_);
    for (std::size_t row = tile.row; row < row_end; ++row) {
      const std::size_t first = std::max(tile.column, row + 1);
      if (first >= last) continue;
      const RowStatistics statistics =
          kernels_.compare(columns_, row, first, last, bins_, distances_, numbers_);
      sum += statistics.sum;
      largest_ = std::max(largest_, statistics.largest);
      count_bins(last - first);
      if (statistics.smallest <= closest_.threshold()) offer(row, first, last);
    }
    return sum;
  }

  void merge_into(std::vector<std::uint64_t>& counts, ClosestPairs& closest,
                  double& largest) const {
    const std::size_t bins = counts.size();
    for (std::size_t k = 0; k < bins; ++k) counts[k] += counts_[k];
    for (const auto& of_two : counts_of_two_) {
      for (std::size_t k = 0; k < of_two.size(); ++k) {
        counts[k / bins] += of_two[k];
        counts[k % bins] += of_two[k];
      }
    }
    for (const PairDistance& pair : closest_.pairs()) closest.offer(pair);
    largest = std::max(largest, largest_);
  }

 private:
  // Alternates between two tables, so that equal bins in succession do not wait for each other's
  // addition.
  void count_bins(std::size_t pairs) {
    std::size_t j = 0;
    if (!counts_of_two_[0].empty()) {
      const auto bins = static_cast<std::int32_t>(counts_.size());
      for (; j + 4 <= pairs; j += 4) {
        const std::int32_t* four = numbers_ + j;
        ++counts_of_two_[0][static_cast<std::size_t>(four[0] * bins + four[1])];
        ++counts_of_two_[1][static_cast<std::size_t>(four[2] * bins + four[3])];
      }
    }
    for (; j < pairs; ++j) ++counts_[static_cast<std::size_t>(numbers_[j])];
  }

  void offer(std::size_t row, std::size_t first, std::size_t last) {
    for (std::size_t j = first; j < last; ++j) {
      const double distance = distances_[j - first];
      if (distance <= closest_.threshold()) closest_.offer({row, j, distance});
    }
  }

  PairwiseColumns columns_;
  std::size_t count_;
  PairwiseBins bins_;
  const PairwiseKernels& kernels_;
  ClosestPairs closest_;
  std::vector<std::uint64_t> counts_;            // of pairs counted one by one
  std::vector<std::uint64_t> counts_of_two_[2];  // empty if there are many bins
  double largest_ = 0.0;
  double distances_[kTileColumns];
  std::int32_t numbers_[kTileColumns];
};

// Counts the pairs that lie before each of some limits, for one thread.
class NearerPairs {
 public:
  // The limits are sorted.
  NearerPairs(const PairwiseColumns& columns, std::size_t count, std::span<const double> limits)
      : columns_(columns),
        count_(count),
        limits_(limits),
        kernels_(pairwise_kernels()),
        counts_(limits.size(), 0) {}

  void add(const Tile& tile) {
    const std::size_t row_end = std::min(tile.row + kTileRows, count_);
    const std::size_t last = std::min(tile.column + kTileColumns, count_);
    for (std::size_t row = tile.row; row < row_end; ++row) {
      const std::size_t first = std::max(tile.column, row + 1);
      if (first >= last) continue;
      kernels_.compare(columns_, row, first, last, {1.0, 1.0, 1.0}, distances_, numbers_);
      for (std::size_t j = 0; j < last - first; ++j) {
        if (distances_[j] >= limits_.back()) continue;
        const auto beyond = std::upper_bound(limits_.begin(), limits_.end(), distances_[j]);
        ++counts_[static_cast<std::size_t>(beyond - limits_.begin())];
      }
    }
  }
  // Pairs between a limit and the one before it.
  const std::vector<std::uint64_t>& counts() const { return counts_; }

 private:
  PairwiseColumns columns_;
  std::size_t count_;
  std::span<const double> limits_;
  const PairwiseKernels& kernels_;
  std::vector<std::uint64_t> counts_;
  double distances_[kTileColumns];
  std::int32_t numbers_[kTileColumns];
};

std::vector<double> transposed(const FeatureRows& rows) {
  const std::size_t count = rows.count();
  std::vector<double> components(rows.values.size());
  for (std::size_t i = 0; i < count; ++i) {
    for (std::size_t c = 0; c < rows.dimension; ++c) {
      components[c * count + i] = rows.values[i * rows.dimension + c];
    }
  }
  return components;
}

}  // namespace

void validate(const FeatureRows& rows) {
  if (rows.dimension == 0 || rows.values.size() % rows.dimension != 0) {
    throw UsageError(std::to_string(rows.values.size()) + " values are not whole rows of " +
                     std::to_string(rows.dimension));
  }
  if (rows.groups == 0 || rows.dimension % rows.groups != 0) {
    throw UsageError("rows of " + std::to_string(rows.dimension) + " values do not fall into " +
                     std::to_string(rows.groups) + " equal groups");
  }
  for (std::size_t k = 0; k < rows.values.size(); ++k) {
    if (!std::isfinite(rows.values[k])) {
      throw InputError("feature " + std::to_string(k % rows.dimension) + " of row " +
                       std::to_string(k / rows.dimension) + " is not finite");
    }
  }
}

void validate(const PairwiseOptions& options, std::size_t count) {
  if (count < 2) {
    throw UsageError(std::to_string(count) + " rows have no pairs; give two or more");
  }
  if (!(options.bin_width > 0.0) || !std::isfinite(options.bin_width)) {
    throw UsageError("bin width " + std::to_string(options.bin_width) + "; use more than 0");
  }
  if (options.bins < 1 || options.bins > kMaxBins) {
    throw UsageError(std::to_string(options.bins) + " bins; use 1 to " + std::to_string(kMaxBins));
  }
  const std::uint64_t pairs = static_cast<std::uint64_t>(count) * (count - 1) / 2;
  if (options.closest > pairs) {
    throw UsageError(std::to_string(options.closest) + " closest pairs asked for, but " +
                     std::to_string(count) + " rows have only " + std::to_string(pairs));
  }
}

double pair_distance(const FeatureRows& rows, std::size_t i, std::size_t j) {
  const std::vector<double> both = [&] {
    std::vector<double> components(2 * rows.dimension);
    for (std::size_t c = 0; c < rows.dimension; ++c) {
      components[2 * c] = rows.values[i * rows.dimension + c];
      components[2 * c + 1] = rows.values[j * rows.dimension + c];
    }
    return components;
  }();
  double distance = 0.0;
  std::int32_t bin = 0;
  pairwise_kernels().compare({both.data(), 2, rows.groups, rows.dimension / rows.groups},
                             /*row=*/0, /*first=*/1, /*last=*/2, {1.0, 1.0, 1.0}, &distance, &bin);
  return distance;
}

std::vector<std::uint64_t> pairs_nearer(const FeatureRows& rows,
                                        std::span<const double> distances) {
  validate(rows);
  if (distances.empty()) return {};
  std::vector<double> limits(distances.begin(), distances.end());
  std::sort(limits.begin(), limits.end());
  const std::size_t count = rows.count();
  const std::vector<double> components = transposed(rows);
  const PairwiseColumns columns{components.data(), count, rows.groups,
                                rows.dimension / rows.groups};
  const std::vector<Tile> tiles = make_tiles(count);
  std::list<NearerPairs> counters;  // one per thread
  std::mutex adding;
  parallel_for_with_scratch({tiles.size()}, [&]() -> RoundJob {
    const std::lock_guard lock(adding);
    counters.emplace_back(columns, count, limits);
    return [&, own = &counters.back()](std::size_t t) { own->add(tiles[t]); };
  });
  std::vector<std::uint64_t> before(limits.size(), 0);
  for (const NearerPairs& counter : counters) {
    for (std::size_t k = 0; k < before.size(); ++k) before[k] += counter.counts()[k];
  }
  std::partial_sum(before.begin(), before.end(), before.begin());
  std::vector<std::uint64_t> nearer;
  for (const double distance : distances) {
    const auto place = std::lower_bound(limits.begin(), limits.end(), distance);
    nearer.push_back(before[static_cast<std::size_t>(place - limits.begin())]);
  }
  return nearer;
}

PairwiseStatistics pairwise_statistics(const FeatureRows& rows, const PairwiseOptions& options) {
  validate(rows);
  const std::size_t count = rows.count();
  validate(options, count);
  const std::vector<double> components = transposed(rows);
  const PairwiseColumns columns{components.data(), count, rows.groups,
                                rows.dimension / rows.groups};
  const std::vector<Tile> tiles = make_tiles(count);
  std::vector<double> sums(tiles.size());
  PairwiseStatistics statistics;
  statistics.pairs = static_cast<std::uint64_t>(count) * (count - 1) / 2;
  statistics.counts.assign(options.bins + 1, 0);
  ClosestPairs closest(options.closest);
  std::list<Gatherer> gatherers;  // one per thread
  std::mutex adding;
  parallel_for_with_scratch({tiles.size()}, [&]() -> RoundJob {
    const std::lock_guard lock(adding);
    gatherers.emplace_back(columns, count, options);
    return [&, own = &gatherers.back()](std::size_t t) { sums[t] = own->add(tiles[t]); };
  });
  for (const Gatherer& gatherer : gatherers) {
    gatherer.merge_into(statistics.counts, closest, statistics.largest);
  }
  // Summed in the order of the tiles, whichever thread computed them.
  statistics.mean =
      std::accumulate(sums.begin(), sums.end(), 0.0) / static_cast<double>(statistics.pairs);
  statistics.closest = closest.pairs();
  std::sort(statistics.closest.begin(), statistics.closest.end());
  const std::uint64_t total =
      std::accumulate(statistics.counts.begin(), statistics.counts.end(), std::uint64_t{0});
  if (total != statistics.pairs) {
    throw Error("the histogram holds " + std::to_string(total) + " pairs instead of " +
                std::to_string(statistics.pairs));
  }
  return statistics;
}

}  // namespace leafglyph
