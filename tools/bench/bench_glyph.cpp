// Benchmarks of the character tasks on the default font. They time the work of the commands without
// the start of the process.
#include <benchmark/benchmark.h>

#include "classify/glyph/glyph_statistics.h"
#include "classify/glyph/lookalikes.h"
#include "features/distance/pairwise.h"

namespace leafglyph {
namespace {

GlyphSelection published_selection() {
  GlyphSelection selection;
  selection.leave_out = U"邯";
  return selection;
}

PlanOptions cpu() {
  PlanOptions options;
  options.device.kind = DeviceChoice::Kind::kCpu;
  return options;
}

// All of `glyph stats --config configs/gb2312_published.yaml`: both families, three parts each, and
// the rotation check.
void Statistics(benchmark::State& state) {
  const GlyphStatisticsOptions options;
  for (auto _ : state) {
    benchmark::DoNotOptimize(glyph_statistics(published_selection(), options, cpu()));
  }
}
BENCHMARK(Statistics)->Unit(benchmark::kMillisecond)->UseRealTime();

// The 22,858,941 distances between rows of `dimension` numbers.
void PairwiseDistances(benchmark::State& state) {
  const auto dimension = static_cast<std::size_t>(state.range(0));
  constexpr std::size_t kCount = 6762;
  std::vector<double> values(kCount * dimension);
  std::uint32_t bits = 1;
  for (double& value : values) {
    bits = bits * 1664525U + 1013904223U;
    value = bits * 0x1p-33;
  }
  const FeatureRows rows{values, dimension, 1};
  for (auto _ : state) benchmark::DoNotOptimize(pairwise_statistics(rows, {}));
  state.SetItemsProcessed(state.iterations() * static_cast<std::int64_t>(kCount) * (kCount - 1) /
                          2);
}
BENCHMARK(PairwiseDistances)->Arg(4)->Arg(8)->Unit(benchmark::kMillisecond)->UseRealTime();

// Tables from the cache and one result: `glyph similar 己`.
void SimilarFromCache(benchmark::State& state) {
  const LookalikeOptions options;
  benchmark::DoNotOptimize(LookalikeIndex(options).similar(U'己', 10));
  for (auto _ : state) {
    benchmark::DoNotOptimize(LookalikeIndex(options).similar(U'己', 10));
  }
}
BENCHMARK(SimilarFromCache)->Unit(benchmark::kMillisecond)->UseRealTime();

// The same, but the tables are computed.
void SimilarWithoutCache(benchmark::State& state) {
  LookalikeOptions options;
  options.cache_folder.clear();
  for (auto _ : state) {
    benchmark::DoNotOptimize(LookalikeIndex(options).similar(U'己', 10));
  }
}
BENCHMARK(SimilarWithoutCache)->Unit(benchmark::kMillisecond)->UseRealTime();

// Another result from an open index.
void SimilarAgain(benchmark::State& state) {
  const LookalikeIndex index{LookalikeOptions{}};
  for (auto _ : state) benchmark::DoNotOptimize(index.similar(U'赢', 10));
}
BENCHMARK(SimilarAgain)->Unit(benchmark::kMillisecond)->UseRealTime();

}  // namespace
}  // namespace leafglyph

BENCHMARK_MAIN();
