// Nearest rows by products: the same bits as distances to all rows.
#include "classify/nearest/nearest_row.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <random>
#include <string>

namespace leafglyph {
namespace {

constexpr unsigned kNearestRowSeed = 20261123;
constexpr std::size_t kStride = 19, kFirst = 3, kCount = 13;
constexpr NearestRow::Columns kColumns{kFirst, kCount};

float sum_of(const float* a, const float* b) {
  float sum = 0;
  for (std::size_t j = kFirst; j < kFirst + kCount; ++j) sum += (a[j] - b[j]) * (a[j] - b[j]);
  return sum;
}

// Normal deviates times `apart`, plus `offset`.
std::vector<float> random_rows(std::size_t count, float offset, float apart, unsigned seed) {
  std::mt19937 generator(seed);
  std::normal_distribution<float> normal(offset, apart);
  std::vector<float> rows(count * kStride);
  for (float& value : rows) value = normal(generator);
  return rows;
}

// The nearest row of a group, from distances.
NearestRow::Found slow_nearest(std::span<const float> rows, const float* query, NearestRow::Gap gap,
                               std::span<const std::uint32_t> groups, std::uint32_t group) {
  NearestRow::Found nearest;
  for (std::size_t i = 0; i < rows.size() / kStride; ++i) {
    if ((i >= gap.begin && i < gap.end) || groups[i] != group) continue;
    const float distance = sum_of(query, &rows[i * kStride]);
    if (distance < nearest.distance) nearest = {distance, i};
  }
  return nearest;
}

struct Case {
  std::string name;
  float offset, apart;  // far from the origin products lose every digit
  std::uint32_t groups;
};

class NearestRowOf : public ::testing::TestWithParam<Case> {};

// oracle: distances to all rows outside the gap, bit by bit, with more rows and queries than are
// multiplied at a time.
TEST_P(NearestRowOf, IsWhatDistancesGive) {
  SCOPED_TRACE(kNearestRowSeed);
  const Case& param = GetParam();
  constexpr std::size_t kRows = 700, kQueries = 150;
  const auto rows = random_rows(kRows, param.offset, param.apart, kNearestRowSeed);
  const auto queries = random_rows(kQueries, param.offset, param.apart, kNearestRowSeed + 1);
  std::vector<std::uint32_t> groups;
  for (std::uint32_t i = 0; i < kRows; ++i) groups.push_back(i * 7919 % param.groups);
  std::vector<NearestRow::Gap> gaps;
  for (std::size_t q = 0; q < kQueries; ++q) gaps.push_back({4 * q, 4 * q + q % 90});
  const NearestRow nearest(rows, kStride, kColumns, sum_of, kQueries,
                           param.groups == 1 ? std::span<std::uint32_t>() : groups);
  const std::vector<NearestRow::Found> found = nearest.of(queries, gaps);
  ASSERT_EQ(found.size(), kQueries * param.groups);
  for (std::size_t q = 0; q < kQueries; ++q) {
    for (std::uint32_t g = 0; g < param.groups; ++g) {
      const NearestRow::Found expected =
          slow_nearest(rows, &queries[q * kStride], gaps[q], groups, g);
      EXPECT_EQ(found[q * param.groups + g].distance, expected.distance) << q << " " << g;
      EXPECT_EQ(found[q * param.groups + g].row, expected.row) << q << " " << g;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Rows, NearestRowOf,
                         ::testing::Values(Case{"standardised", 0, 1, 1},
                                           Case{"far_off", 1000, 1, 1},
                                           Case{"close", 1000, 1e-3F, 1}, Case{"huge", 0, 1e17F, 1},
                                           Case{"groups", 0, 1, 9},
                                           Case{"close_groups", 1000, 1, 9}),
                         [](const auto& info) { return info.param.name; });

std::vector<float> distances_of(const std::vector<NearestRow::Found>& found) {
  std::vector<float> distances;
  distances.reserve(found.size());
  for (const NearestRow::Found& nearest : found) distances.push_back(nearest.distance);
  return distances;
}

// invariant: rows are their own nearest rows, unless they leave themselves out.
TEST(NearestRowTest, RowsFindThemselvesOrTheirCopies) {
  auto rows = random_rows(60, 0, 1, kNearestRowSeed);
  std::copy_n(rows.begin(), kStride, rows.end() - kStride);
  const NearestRow nearest(rows, kStride, kColumns, sum_of, 60);
  const std::vector<NearestRow::Gap> none(60);
  const auto all = nearest.of(rows, none);
  EXPECT_EQ(distances_of(all), std::vector<float>(60, 0.0F));
  for (std::size_t i = 0; i < 60; ++i) EXPECT_EQ(all[i].row, i % 59) << i;  // the first of the two
  std::vector<NearestRow::Gap> itself;
  for (std::size_t i = 0; i < 60; ++i) itself.push_back({i, i + 1});
  const std::vector<float> others = distances_of(nearest.of(rows, itself));
  EXPECT_EQ(others.front(), 0.0F);
  EXPECT_EQ(others.back(), 0.0F);
  for (std::size_t i = 1; i + 1 < others.size(); ++i) EXPECT_GT(others[i], 0.0F) << i;
}

// mechanics: if every row is left out there is no nearest row.
TEST(NearestRowTest, IsInfinitelyFarWithoutRows) {
  const auto rows = random_rows(40, 0, 1, kNearestRowSeed);
  const std::vector<NearestRow::Gap> all(40, {0, 40});
  for (const std::size_t asked : {1, 40}) {
    const auto found = NearestRow(rows, kStride, kColumns, sum_of, asked)
                           .of(std::span(rows).first(asked * kStride), std::span(all).first(asked));
    EXPECT_EQ(distances_of(found),
              std::vector<float>(asked, std::numeric_limits<float>::infinity()));
  }
}

}  // namespace
}  // namespace leafglyph
