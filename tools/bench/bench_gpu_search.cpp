
#include <algorithm>
#include <cstdio>
#include <random>
#include <string>
#include <vector>

#include "gpu/devices.h"
#include "gpu/distance/nearest_candidates.h"
#include "tools/bench/gpu_timing.h"

namespace leafglyph {
namespace {

constexpr int kRepeats = 5;

template <class T>
std::vector<T> random_values(std::size_t count, unsigned seed) {
  std::mt19937 generator(seed);
  std::normal_distribution<T> value(T{0}, T{1});
  std::vector<T> values(count);
  for (T& v : values) v = value(generator);
  return values;
}

void bench_candidates(const gpu::GpuDevice& gpu) {
  constexpr std::size_t kRows = 200'000;
  constexpr std::size_t kQueries = 10'000;
  constexpr std::size_t kDimension = 64;
  const auto rows = random_values<float>(kRows * kDimension, 1);
  const auto queries = random_values<float>(kQueries * kDimension, 2);
  gpu::CandidateLists lists;
  const double seconds = median_seconds(
      kRepeats, [&] { lists = gpu::nearest_candidates(rows, queries, kDimension, 10, gpu); });
  std::size_t most = 0;
  for (const auto count : lists.counts) most = std::max<std::size_t>(most, count);
  std::printf("\n10 nearest of %zu rows of %zu numbers for %zu queries, host to host: %.1f ms,\n",
              kRows, kDimension, kQueries, seconds * 1e3);
  std::printf("  %.2f tera-differences/s; at most %zu candidates for the processor to order\n",
              static_cast<double>(kRows * kQueries * kDimension) / seconds * 1e-12, most);
}

}  // namespace

void bench_search() {
  std::string reason;
  const gpu::GpuDevice gpu = select_gpus({DeviceChoice::Kind::kCuda, 0}, reason).front();
  bench_candidates(gpu);
}

}  // namespace leafglyph
