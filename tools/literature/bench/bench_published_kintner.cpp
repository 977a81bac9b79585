#include <cstdio>
#include <map>
#include <string>
#include <tuple>
#include <vector>

#include "features/base/statistics.h"
#include "tools/literature/bench/published_timing.h"

namespace leafglyph {
namespace {

using namespace gpu::published;
using enum KintnerStrategy;

struct TimedTable {
  const char* place;
  int k;
  std::vector<KintnerStrategy> strategies;
};

std::vector<TimedTable> timed_tables() {
  return {{"jia-6", 1, {kStoreAndReduce, kCopies, kAllocations, kAtomic, kAtomicConstant}},
          {"jia-7", 1, {kAtomicConstant, kFourfold, kEightfold}},
          {"jia-8", 5, {kAtomicConstant, kFourfold, kEightfold}},
          {"jia-9", 9, {kAtomicConstant, kFourfold, kEightfold}}};
}

constexpr int kOrders[] = {100, 200, 300, 400, 500};

double time_strategy(KintnerStrategy strategy, int order, int k, const std::vector<double>& image,
                     int size, const Moments& reference) {
  const Result result =
      median_of_three([&] { return kintner_moments(strategy, order, k, image, size); });
  std::printf("   %s: error %.1e, %.3g MB\n", std::string(kintner_strategy_name(strategy)).c_str(),
              relative_l2(result.moments, reference), 1e-6 * static_cast<double>(result.bytes));
  return result.seconds;
}

// Our own plans for every order, and their moments.
std::map<int, Moments> add_ours(const TimedTable& table, const std::vector<double>& image, int size,
                                PublishedFigures& figures) {
  std::map<int, Moments> references;
  for (const int order : kOrders) {
    const MomentSpec spec{Family::kZernike, order, Method::kSubregion, table.k};
    figures.add(
        {table.place, "ours", std::to_string(order),
         time_ours(spec, size, Precision::kDouble, ImageBatch(image, 1, size), references[order])});
  }
  return references;
}

}  // namespace

void bench_published_kintner(PublishedFigures& figures) {
  const int size = 512;
  const auto image = noise(size);
  std::printf("Kintner's recurrence, %d x %d, double\n", size, size);
  std::map<std::tuple<KintnerStrategy, int, int>, double> measured;  // by strategy, k and order
  for (const TimedTable& table : timed_tables()) {
    const std::map<int, Moments> references = add_ours(table, image, size, figures);
    for (const KintnerStrategy strategy : table.strategies) {
      const std::string row(kintner_strategy_name(strategy));
      for (const int order : kOrders) {
        const std::string column = std::to_string(order);
        if (figures.find(table.place, row, column)) continue;
        double& seconds = measured[{strategy, table.k, order}];
        if (seconds == 0.0) {
          seconds = time_strategy(strategy, order, table.k, image, size, references.at(order));
          if (strategy == kEightfold && (order == 100 || order == 300 || order == 500)) {
            figures.add({"jia-10", std::to_string(table.k), "GPU" + column, seconds});
          }
        }
        figures.add({table.place, row, column, seconds});
      }
    }
  }
}

}  // namespace leafglyph
