// Statistics of all pairwise distances.
#include "features/distance/pairwise.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <random>

#include "features/base/errors.h"
#include "features/base/threads.h"

namespace leafglyph {
namespace {

constexpr unsigned kPairwiseSeed = 20240611;

// Values on a coarse grid, so that equal distances and distances on bin edges occur.
std::vector<double> gridded_rows(std::size_t count, std::size_t dimension) {
  std::mt19937 random(kPairwiseSeed);
  std::uniform_int_distribution<int> step(0, 8);
  std::vector<double> values(count * dimension);
  for (double& value : values) value = step(random) / 8.0;
  return values;
}

// The definition: a double loop over the pairs, with the distances sorted.
std::vector<PairDistance> brute_force(const FeatureRows& rows) {
  std::vector<PairDistance> pairs;
  const std::size_t length = rows.dimension / rows.groups;
  for (std::size_t i = 0; i < rows.count(); ++i) {
    for (std::size_t j = i + 1; j < rows.count(); ++j) {
      double sum = 0.0;
      for (std::size_t g = 0; g < rows.groups; ++g) {
        double squares = 0.0;
        for (std::size_t c = g * length; c < (g + 1) * length; ++c) {
          const double d =
              rows.values[i * rows.dimension + c] - rows.values[j * rows.dimension + c];
          squares += d * d;
        }
        sum += std::sqrt(squares);
      }
      pairs.push_back({i, j, sum / static_cast<double>(rows.groups)});
    }
  }
  std::sort(pairs.begin(), pairs.end());
  return pairs;
}

struct Shape {
  std::size_t count, dimension, groups;
};

// oracle: counts, mean, closest pairs and largest distance from the double loop, for sizes around
// the tile edges and every remainder of the kernel's unrolled loop. Powers of two as group counts
// and grid steps make the oracle's distances exact to the last bit.
TEST(Pairwise, AgreesWithADoubleLoop) {
  for (const Shape& shape : {Shape{2, 1, 1}, Shape{3, 4, 1}, Shape{129, 8, 1}, Shape{700, 5, 1},
                             Shape{1030, 6, 2}, Shape{1100, 12, 4}}) {
    SCOPED_TRACE(::testing::Message() << shape.count << " rows of " << shape.dimension << " in "
                                      << shape.groups << " groups, seed " << kPairwiseSeed);
    const auto values = gridded_rows(shape.count, shape.dimension);
    const FeatureRows rows{values, shape.dimension, shape.groups};
    const auto expected = brute_force(rows);
    PairwiseOptions options;
    options.bin_width = 0.125;
    options.bins = 6;
    options.closest = std::min<std::size_t>(expected.size(), 25);
    const PairwiseStatistics statistics = pairwise_statistics(rows, options);
    std::vector<std::uint64_t> counts(options.bins + 1);
    double sum = 0.0;
    for (const PairDistance& pair : expected) {
      std::size_t bin = 0;
      while (bin < options.bins && pair.distance >= static_cast<double>(bin + 1) * 0.125) ++bin;
      ++counts[bin];
      sum += pair.distance;
    }
    EXPECT_EQ(statistics.pairs, expected.size());
    EXPECT_EQ(statistics.counts, counts);
    // Two summation orders of a million numbers of order 1.
    EXPECT_NEAR(statistics.mean, sum / static_cast<double>(expected.size()), 1e-12);
    EXPECT_EQ(statistics.largest, expected.back().distance);
    ASSERT_EQ(statistics.closest.size(), options.closest);
    for (std::size_t k = 0; k < options.closest; ++k) {
      EXPECT_EQ(statistics.closest[k], expected[k]) << "place " << k;
    }
    for (std::size_t k = 0; k < expected.size(); k += 97) {
      EXPECT_EQ(pair_distance(rows, expected[k].first, expected[k].second), expected[k].distance);
    }
  }
}

// oracle: the double loop; limits are distances of pairs, which equal ones do not precede, others
// between them, beyond all and below all, in any order
TEST(Pairwise, CountsNearerPairsAsADoubleLoop) {
  for (const Shape& shape : {Shape{2, 1, 1}, Shape{129, 8, 2}, Shape{1100, 4, 1}}) {
    const auto values = gridded_rows(shape.count, shape.dimension);
    const FeatureRows rows{values, shape.dimension, shape.groups};
    const auto pairs = brute_force(rows);
    const std::vector<double> limits = {1e9,
                                        pairs[pairs.size() / 2].distance,
                                        0.0,
                                        0.4711,
                                        pairs.back().distance,
                                        pairs.front().distance};
    std::vector<std::uint64_t> expected;
    for (const double limit : limits) {
      expected.push_back(static_cast<std::uint64_t>(std::count_if(
          pairs.begin(), pairs.end(), [&](const auto& pair) { return pair.distance < limit; })));
    }
    EXPECT_EQ(pairs_nearer(rows, limits), expected) << shape.count << " rows";
  }
  EXPECT_TRUE(pairs_nearer({gridded_rows(3, 2), 2}, {}).empty());
}

// invariant: bins of an eighth of the width, which are counted one by one, add up to bins few
// enough to be counted in pairs.
TEST(Pairwise, CountsManyBinsAsFew) {
  for (const std::size_t count : {2U, 3U, 5U, 1030U}) {
    SCOPED_TRACE(::testing::Message() << count << " rows, seed " << kPairwiseSeed);
    const auto values = gridded_rows(count, 4);
    const FeatureRows rows{values, 4, 1};
    const auto few = pairwise_statistics(rows, {1.0, 31, 0}).counts;
    const auto many = pairwise_statistics(rows, {0.125, 248, 0}).counts;
    for (std::size_t bin = 0; bin < few.size(); ++bin) {
      const auto first = many.begin() + static_cast<std::ptrdiff_t>(8 * bin);
      const auto last = bin + 1 < few.size() ? first + 8 : many.end();
      EXPECT_EQ(few[bin], std::accumulate(first, last, std::uint64_t{0})) << "bin " << bin;
    }
  }
}

// oracle: a distance of exactly k * width belongs to bin k, even if k * width is rounded.
TEST(Pairwise, PutsADistanceOnAnEdgeIntoTheUpperBin) {
  set_thread_count(1);  // hundreds of tiny calls
  for (const double width : {0.01, 0.1, 0.3, 1.0 / 3.0}) {
    for (std::size_t k = 1; k <= 100; ++k) {
      const double edge = static_cast<double>(k) * width;
      for (const double distance : {edge, std::nextafter(edge, 0.0)}) {
        const std::vector<double> values = {0.0, distance};
        const auto statistics = pairwise_statistics({values, 1, 1}, {width, 100, 0});
        const std::size_t bin = distance < edge ? k - 1 : k;
        EXPECT_EQ(statistics.counts[bin], 1U) << width << " * " << k << ", " << distance;
      }
    }
  }
  set_thread_count(0);
}

// invariant: the number of threads changes nothing, to the last bit.
TEST(Pairwise, DoesNotDependOnTheThreads) {
  const auto values = gridded_rows(2500, 7);
  const FeatureRows rows{values, 7, 1};
  const PairwiseOptions options{0.05, 40, 100};
  set_thread_count(1);
  const auto one = pairwise_statistics(rows, options);
  set_thread_count(5);
  const auto five = pairwise_statistics(rows, options);
  set_thread_count(0);
  EXPECT_EQ(one.counts, five.counts);
  EXPECT_EQ(one.mean, five.mean);
  EXPECT_EQ(one.largest, five.largest);
  EXPECT_EQ(one.closest, five.closest);
}

// mechanics: what is refused.
TEST(Pairwise, RefusesWhatItCannotCompare) {
  std::vector<double> values = {0.0, 1.0, 2.0, 3.0, 4.0, 5.0};
  const auto run = [&](std::size_t dimension, std::size_t groups, const PairwiseOptions& options) {
    return pairwise_statistics({values, dimension, groups}, options);
  };
  EXPECT_NO_THROW(run(2, 1, {0.1, 10, 3}));
  EXPECT_THROW(run(2, 1, {0.1, 10, 4}), UsageError);
  EXPECT_THROW(run(2, 1, {0.0, 10, 1}), UsageError);
  EXPECT_THROW(run(2, 1, {std::numeric_limits<double>::quiet_NaN(), 10, 1}), UsageError);
  EXPECT_THROW(run(2, 1, {0.1, 0, 1}), UsageError);
  EXPECT_THROW(run(4, 1, {0.1, 10, 1}), UsageError);
  EXPECT_THROW(run(0, 1, {0.1, 10, 1}), UsageError);
  EXPECT_THROW(run(2, 0, {0.1, 10, 1}), UsageError);
  EXPECT_THROW(run(3, 2, {0.1, 10, 1}), UsageError);
  EXPECT_THROW(run(6, 1, {0.1, 10, 0}), UsageError);  // one row has no pairs
  values[3] = std::numeric_limits<double>::quiet_NaN();
  EXPECT_THROW(run(2, 1, {0.1, 10, 1}), InputError);
}

}  // namespace
}  // namespace leafglyph
