// Nearest candidates on the GPU against the CPU. Skipped without a GPU.
#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <vector>

#include "features/base/errors.h"
#include "gpu/devices.h"
#include "gpu/distance/nearest_candidates.h"

namespace leafglyph {
namespace {

constexpr unsigned kGpuSearchSeed = 977;

class GpuSearch : public ::testing::Test {
 protected:
  void SetUp() override {
    const gpu::GpuInventory found = gpu::find_gpus();
    if (found.devices.empty()) GTEST_SKIP() << found.reason;
    gpu_ = found.devices[0];
  }

  gpu::GpuDevice gpu_;
};

// The name makes tools/check/gpu run it under compute-sanitizer, too.
class GpuSanitizedSearch : public GpuSearch {};

std::vector<double> random_rows(std::size_t values, unsigned seed) {
  std::mt19937 generator(seed);
  std::normal_distribution<double> value(0.0, 0.1);
  std::vector<double> rows(values);
  for (double& v : rows) v = value(generator);
  return rows;
}

// The k smallest sums in double; among equal ones, lower rows first.
std::vector<std::int32_t> brute_force(const std::vector<float>& rows, const float* query,
                                      std::size_t dimension, std::size_t k) {
  std::vector<std::pair<double, std::int32_t>> sums;
  for (std::size_t r = 0; r < rows.size() / dimension; ++r) {
    double sum = 0.0;
    for (std::size_t c = 0; c < dimension; ++c) {
      const double d = static_cast<double>(query[c]) - static_cast<double>(rows[r * dimension + c]);
      sum += d * d;
    }
    sums.emplace_back(sum, static_cast<std::int32_t>(r));
  }
  std::sort(sums.begin(), sums.end());
  std::vector<std::int32_t> nearest(k);
  std::transform(sums.begin(), sums.begin() + static_cast<long>(k), nearest.begin(),
                 [](const auto& s) { return s.second; });
  return nearest;
}

// oracle: the candidates contain the exact nearest rows, and are few
TEST_F(GpuSanitizedSearch, CandidatesHoldTheNearest) {
  for (const std::size_t dimension : {1U, 3U, 16U, 45U}) {
    const auto values = random_rows(700 * dimension, kGpuSearchSeed + 1);
    std::vector<float> rows(values.begin(), values.end());
    // repeated rows: equal distances at every rank
    std::copy_n(rows.begin(), 100 * dimension, rows.begin() + static_cast<long>(300 * dimension));
    const std::vector<float> queries(rows.begin(),
                                     rows.begin() + static_cast<long>(70 * dimension));
    for (const std::size_t k : {1U, 5U, 64U, 700U}) {
      const gpu::CandidateLists lists = gpu::nearest_candidates(rows, queries, dimension, k, gpu_);
      for (std::size_t q = 0; q < 70; ++q) {
        ASSERT_GE(lists.counts[q], k);
        ASSERT_LE(lists.counts[q], lists.capacity);
        const auto first = lists.rows.begin() + static_cast<long>(q * lists.capacity);
        const std::vector<std::int32_t> found(first, first + lists.counts[q]);
        ASSERT_TRUE(std::is_sorted(found.begin(), found.end()));
        for (const auto row : brute_force(rows, queries.data() + q * dimension, dimension, k)) {
          ASSERT_TRUE(std::binary_search(found.begin(), found.end(), row))
              << "dimension " << dimension << ", k = " << k << ", query " << q << ", seed "
              << kGpuSearchSeed;
        }
      }
    }
  }
}

// mechanics: more ties than a list can hold are reported, not silently dropped
TEST_F(GpuSearch, ListsThatWouldOverflowSaySo) {
  const std::vector<float> rows(5000, 1.0F);
  const std::vector<float> query(1, 1.0F);
  const auto lists = gpu::nearest_candidates(rows, query, 1, 3, gpu_);
  EXPECT_EQ(lists.counts[0], 5000U);
  EXPECT_GT(lists.counts[0], lists.capacity);
  EXPECT_THROW(gpu::nearest_candidates(rows, query, 1, 0, gpu_), UsageError);
  EXPECT_THROW(gpu::nearest_candidates(rows, query, 1, 5001, gpu_), UsageError);
}

}  // namespace
}  // namespace leafglyph
