// Nearest neighbours: against brute force in double, and the guarantees of knn_index.h.
#include "classify/nearest/knn_index.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>
#include <set>

#include "classify/nearest/group_search.h"
#include "features/base/errors.h"
#include "gpu/devices.h"

namespace leafglyph {
namespace {

constexpr unsigned kKnnIndexSeed = 20240917;

std::vector<float> random_rows(std::size_t count, std::size_t dimension, unsigned seed) {
  std::mt19937 generator(seed);
  std::normal_distribution<float> normal(3.0F, 1.0F);
  std::vector<float> rows(count * dimension);
  for (float& v : rows) v = normal(generator);
  return rows;
}

double brute_distance(Metric metric, const float* x, const float* y, std::size_t dimension) {
  double l2 = 0.0;
  double xy = 0.0;
  double xx = 0.0;
  double yy = 0.0;
  for (std::size_t j = 0; j < dimension; ++j) {
    const double a = x[j];
    const double b = y[j];
    l2 += (a - b) * (a - b);
    xy += a * b;
    xx += a * a;
    yy += b * b;
  }
  if (metric == Metric::kEuclidean) return std::sqrt(l2);
  return 1.0 - xy / std::sqrt(xx * yy);
}

class KnnMetric : public ::testing::TestWithParam<Metric> {};

// oracle: distances equal those of brute force in double; ties between rows are allowed, but no row
// may appear twice and each reported distance must be that of the reported row.
TEST_P(KnnMetric, AgreesWithBruteForceByDistance) {
  SCOPED_TRACE(kKnnIndexSeed);
  constexpr std::size_t kDimension = 37;
  constexpr std::size_t kRows = 300;
  constexpr std::size_t kQueries = 50;
  constexpr std::size_t kNeighbours = 9;
  // Float sums of 37 terms: 37 * 2^-24 relative, and the same for the cosine on values about 1.
  constexpr double kTolerance = 5e-6;
  const auto rows = random_rows(kRows, kDimension, kKnnIndexSeed);
  const auto queries = random_rows(kQueries, kDimension, kKnnIndexSeed + 1);
  KnnIndex index(GetParam(), kDimension);
  index.add(rows);
  const NeighbourLists lists = index.search(queries, kNeighbours);
  ASSERT_EQ(lists.count(), kQueries);
  for (std::size_t q = 0; q < kQueries; ++q) {
    std::vector<double> all(kRows);
    for (std::size_t r = 0; r < kRows; ++r) {
      all[r] =
          brute_distance(GetParam(), &queries[q * kDimension], &rows[r * kDimension], kDimension);
    }
    std::vector<double> sorted = all;
    std::sort(sorted.begin(), sorted.end());
    std::set<std::int64_t> seen;
    const auto list = lists.of(q);
    for (std::size_t j = 0; j < kNeighbours; ++j) {
      EXPECT_TRUE(seen.insert(list[j].row).second) << "row " << list[j].row << " twice";
      const double scale = std::max(1.0, sorted[j]);
      EXPECT_LE(std::abs(list[j].distance - sorted[j]), kTolerance * scale) << "query " << q;
      EXPECT_LE(std::abs(list[j].distance - all[static_cast<std::size_t>(list[j].row)]),
                kTolerance * scale)
          << "query " << q;
    }
  }
}

// Searches the groups of each query, and compares with an index of only their rows.
void expect_groups_are_searched(Metric metric, float offset) {
  constexpr std::size_t kDimension = 24, kRows = 300, kQueries = 150, kGroups = 9, kNearest = 12;
  std::vector<float> rows = random_rows(kRows, kDimension, kKnnIndexSeed + 5);
  std::copy_n(rows.begin(), 10 * kDimension, rows.begin() + 200 * kDimension);  // equal rows
  std::vector<float> queries = random_rows(kQueries, kDimension, kKnnIndexSeed + 6);
  std::copy_n(rows.begin(), 20 * kDimension, queries.begin());
  for (float& v : rows) v += offset;
  for (float& v : queries) v += offset;
  std::mt19937 generator(kKnnIndexSeed);
  std::vector<std::uint32_t> of_rows(kRows);
  for (std::uint32_t& group : of_rows) group = static_cast<std::uint32_t>(generator() % kGroups);
  std::vector<std::vector<std::uint32_t>> probing(kGroups);
  for (std::uint32_t q = 0; q < kQueries; ++q) {
    for (std::vector<std::uint32_t>& group : probing) {
      if (generator() % 3 != 0) group.push_back(q);
    }
  }
  // The known lists are of the first rows, the index is of the others.
  constexpr std::size_t kKnown = 100;
  const auto rows_of = [&](std::uint32_t q, std::size_t begin, std::size_t end) {
    std::vector<std::int64_t> chosen;
    for (std::size_t i = begin; i < end; ++i) {
      if (std::ranges::binary_search(probing[of_rows[i]], q)) {
        chosen.push_back(static_cast<std::int64_t>(i));
      }
    }
    return chosen;
  };
  const auto nearest_of = [&](std::uint32_t q, const std::vector<std::int64_t>& chosen) {
    KnnIndex index(metric, kDimension);
    for (const std::int64_t row : chosen) {
      index.add(std::span(rows).subspan(static_cast<std::size_t>(row) * kDimension, kDimension));
    }
    NeighbourLists lists = index.search(std::span(queries).subspan(q * kDimension, kDimension),
                                        std::min(kNearest, chosen.size()));
    for (Neighbour& found : lists.entries) found.row = chosen[static_cast<std::size_t>(found.row)];
    lists.entries.resize(kNearest, kNoNeighbour);
    return lists.entries;
  };
  NeighbourLists known{kNearest, {}};
  for (std::uint32_t q = 0; q < kQueries; ++q) {
    const auto list = nearest_of(q, rows_of(q, 0, kKnown));
    known.entries.insert(known.entries.end(), list.begin(), list.end());
  }
  KnnIndex index(metric, kDimension);
  index.add(std::span(rows).subspan(kKnown * kDimension));
  const ProbedGroups groups{std::span(of_rows).subspan(kKnown), probing};
  const NeighbourLists found = search_groups(index, queries, groups, known);
  ASSERT_EQ(found.count(), kQueries);
  for (std::uint32_t q = 0; q < kQueries; ++q) {
    std::vector<Neighbour> both(known.of(q).begin(), known.of(q).end());
    for (Neighbour neighbour : found.of(q)) {
      if (neighbour != kNoNeighbour) neighbour.row += kKnown;
      both.push_back(neighbour);
    }
    std::ranges::sort(both, nearer);
    both.resize(kNearest);
    EXPECT_EQ(both, nearest_of(q, rows_of(q, 0, kRows))) << "query " << q;
  }
}

// oracle: the nearest rows of all groups that a query probes are those of an index of only these
// rows, also where lists of other rows are known already; far from the origin products lose most.
TEST_P(KnnMetric, SearchesTheGroupsOfEachQuery) {
  expect_groups_are_searched(GetParam(), 0);
  expect_groups_are_searched(GetParam(), 300);
}

// invariant: one query and a thousand give the same bits (FAISS changes its algorithm at 20).
void expect_one_and_many_agree(Metric metric, float offset, float scale) {
  constexpr std::size_t kDimension = 64;
  constexpr std::size_t kQueries = 1000;
  auto rows = random_rows(400, kDimension, kKnnIndexSeed);
  for (float& v : rows) v = offset + scale * v;
  std::copy_n(rows.begin(), 20 * kDimension, rows.begin() + 100 * kDimension);
  std::vector<float> queries = random_rows(kQueries, kDimension, kKnnIndexSeed + 2);
  for (float& v : queries) v = offset + scale * v;
  std::copy_n(rows.begin(), 30 * kDimension, queries.begin());
  KnnIndex index(metric, kDimension);
  index.add(rows);
  const NeighbourLists together = index.search(queries, 7);
  for (std::size_t q = 0; q < kQueries; ++q) {
    const NeighbourLists alone =
        index.search(std::span(queries).subspan(q * kDimension, kDimension), 7);
    const auto expected = together.of(q);
    ASSERT_TRUE(std::equal(expected.begin(), expected.end(), alone.entries.begin()))
        << "query " << q;
  }
}

// agreement: one query at a time and a thousand at once.
TEST_P(KnnMetric, OneQueryAndAThousandAgreeToTheBit) {
  expect_one_and_many_agree(GetParam(), 0.0F, 1.0F);
}

// agreement: the same, far from the origin, where |x|^2 + |y|^2 - 2 x.y in float loses every digit.
TEST_P(KnnMetric, OneQueryAndAThousandAgreeFarFromTheOrigin) {
  expect_one_and_many_agree(GetParam(), 500.0F, 0.01F);
}

// invariant: an index rebuilt from another index's rows predicts the same, to the last bit.
TEST_P(KnnMetric, IsMadeAgainFromItsRows) {
  const auto rows = random_rows(60, 12, kKnnIndexSeed);
  const auto queries = random_rows(25, 12, kKnnIndexSeed + 3);
  KnnIndex index(GetParam(), 12);
  index.add(rows);
  const KnnIndex copy = KnnIndex::of_rows(GetParam(), 12, index.rows());
  EXPECT_EQ(copy.size(), index.size());
  EXPECT_EQ(copy.search(queries, 5).entries, index.search(queries, 5).entries);
}

// invariant: every row is found, at any distance; rows so far away that distances would be infinite
// are refused. The cosine compares directions only.
TEST_P(KnnMetric, FindsRowsAtEveryDistanceThatItTakes) {
  constexpr float kLongest = 0x1p62F;
  const std::vector<float> rows = {-kLongest, 0, 0, kLongest, 1, 2};
  std::vector<float> queries;  // twenty or more are searched by products
  for (int i = 0; i < 25; ++i) queries.insert(queries.end(), {kLongest, 0});
  const KnnIndex index = [&] {
    KnnIndex made(GetParam(), 2);
    made.add(rows);
    return made;
  }();
  for (const std::size_t count : {1U, 25U}) {
    const NeighbourLists lists = index.search(std::span(queries).first(count * 2), 3);
    for (std::size_t q = 0; q < count; ++q) {
      std::set<std::int64_t> found;
      for (const Neighbour& neighbour : lists.of(q)) {
        EXPECT_TRUE(std::isfinite(neighbour.distance));
        found.insert(neighbour.row);
      }
      EXPECT_EQ(found, (std::set<std::int64_t>{0, 1, 2}));
    }
  }
  const std::vector<float> longer = {0, 0x1.1p62F};
  EXPECT_THROW(KnnIndex::of_rows(GetParam(), 2, longer), InputError);
  KnnIndex other(GetParam(), 2);
  if (GetParam() == Metric::kCosine) {
    other.add(longer);
    EXPECT_EQ(other.search(longer, 1).entries, (std::vector<Neighbour>{{0, 0.0F}}));
  } else {
    EXPECT_THROW(other.add(longer), InputError);
    EXPECT_THROW(index.search(longer, 1), InputError);
  }
}

INSTANTIATE_TEST_SUITE_P(All, KnnMetric, ::testing::Values(Metric::kEuclidean, Metric::kCosine),
                         [](const auto& param_info) {
                           return std::string(name_of(param_info.param));
                         });

// invariant: among equal distances, lower rows come first, also at the end of the list.
TEST(KnnIndexTest, TiesAreTakenByRow) {
  KnnIndex index(Metric::kEuclidean, 2);
  std::vector<float> rows;
  for (int i = 0; i < 40; ++i) rows.insert(rows.end(), {5.0F, 5.0F});
  const std::vector<float> near = {1.0F, 0.0F, 0.0F, 1.0F, -1.0F, 0.0F, 0.0F, -1.0F};
  rows.insert(rows.end(), near.begin(), near.end());
  index.add(rows);
  const std::vector<float> origin = {0.0F, 0.0F};
  for (std::size_t k = 1; k <= 6; ++k) {
    const NeighbourLists lists = index.search(origin, k);
    for (std::size_t j = 0; j < k; ++j) {
      EXPECT_EQ(lists.entries[j].row,
                j < 4 ? 40 + static_cast<std::int64_t>(j) : static_cast<std::int64_t>(j) - 4)
          << "k " << k << ", neighbour " << j;
    }
  }
}

// invariant: leave-one-out lists are those of an index without the row, duplicates included.
TEST(KnnIndexTest, SearchOthersLeavesOutTheRowItself) {
  constexpr std::size_t kDimension = 3;
  auto rows = random_rows(30, kDimension, kKnnIndexSeed);
  for (std::size_t i = 0; i < 8; ++i) {
    std::copy_n(rows.begin(), kDimension, rows.begin() + (20 + i) * kDimension);
  }
  KnnIndex index(Metric::kEuclidean, kDimension);
  index.add(rows);
  const NeighbourLists others = index.search_others(4);
  ASSERT_EQ(others.count(), 30U);
  for (std::size_t i = 0; i < 30; ++i) {
    KnnIndex rest(Metric::kEuclidean, kDimension);
    rest.add(std::span(rows).first(i * kDimension));
    rest.add(std::span(rows).subspan((i + 1) * kDimension));
    const NeighbourLists expected =
        rest.search(std::span(rows).subspan(i * kDimension, kDimension), 4);
    for (std::size_t j = 0; j < 4; ++j) {
      const std::int64_t row = expected.entries[j].row;
      EXPECT_EQ(others.of(i)[j].row, row + (row >= static_cast<std::int64_t>(i) ? 1 : 0));
      EXPECT_EQ(others.of(i)[j].distance, expected.entries[j].distance);
    }
  }
}

// agreement: a GPU gives the same predictions as the CPU, including ties and repeated rows
TEST(KnnIndexTest, FindsTheSameOnAGpu) {
  const gpu::GpuInventory found = gpu::find_gpus();
  if (found.devices.empty()) GTEST_SKIP() << found.reason;
  std::mt19937 generator(311);
  std::uniform_int_distribution<int> value(-3, 3);  // few values: many equal distances
  for (const Metric metric : {Metric::kEuclidean, Metric::kCosine}) {
    for (const std::size_t dimension : {1U, 4U, 33U}) {
      std::vector<float> rows(500 * dimension);
      for (float& v : rows) v = static_cast<float>(value(generator)) * 0.37F;
      KnnIndex index(metric, dimension);
      index.add(rows);
      const auto expected = index.search(rows, 7);
      const auto others = index.search_others(7);
      index.use_gpu(found.devices[0], /*large_search=*/0.0);
      EXPECT_EQ(index.search(rows, 7).entries, expected.entries) << name_of(metric);
      EXPECT_EQ(index.search_others(7).entries, others.entries) << name_of(metric);
    }
  }
}

// mechanics: what is refused, and how.
TEST(KnnIndexTest, RefusesWhatItCannotSearch) {
  KnnIndex index(Metric::kEuclidean, 2);
  index.add(std::vector<float>{0, 0, 1, 1});
  const std::vector<float> query = {0, 0};
  EXPECT_THROW(index.search(query, 0), UsageError);
  EXPECT_THROW(index.search(query, 3), UsageError);
  EXPECT_THROW(index.search_others(2), UsageError);
  EXPECT_THROW(index.search(std::vector<float>{1, 2, 3}, 1), UsageError);
  EXPECT_THROW(index.search(std::vector<float>{1, std::numeric_limits<float>::quiet_NaN()}, 1),
               InputError);
  EXPECT_THROW(index.add(std::vector<float>{std::numeric_limits<float>::infinity(), 0}),
               InputError);
  EXPECT_THROW(KnnIndex(Metric::kEuclidean, 0), UsageError);
  EXPECT_THROW(KnnIndex::of_rows(Metric::kEuclidean, 0, query), UsageError);
  EXPECT_THROW(KnnIndex::of_rows(Metric::kEuclidean, 3, query), UsageError);
  EXPECT_THROW(KnnIndex::of_rows(Metric::kEuclidean, 1,
                                 std::vector<float>{std::numeric_limits<float>::infinity()}),
               InputError);
  EXPECT_THROW(from_name<Metric>("euclid"), UsageError);
}

// oracle: a zero row has no direction; it is half as far from every other row as an orthogonal one.
TEST(KnnIndexTest, ZeroRowsUnderCosine) {
  KnnIndex index(Metric::kCosine, 2);
  index.add(std::vector<float>{0, 0, 3, 0, 0, 4});
  const NeighbourLists lists = index.search(std::vector<float>{0, 0, 5, 0}, 3);
  EXPECT_EQ(lists.entries, (std::vector<Neighbour>{
                               {0, 0.0F}, {1, 0.5F}, {2, 0.5F}, {1, 0.0F}, {0, 0.5F}, {2, 1.0F}}));
}

}  // namespace
}  // namespace leafglyph
