// Benchmark of loops spread over threads: what a loop costs beside its work, and how much later the
// worst ones end.
//
//   bench_threads [THREADS...]     default: 2, 4, 8, ... and all that the process may use
//
// said: the loop states its work, and one that is too short stays on its thread. The last rows run
// short and long loops in turn, and `changing` gives the short ones two threads. Each cell is mean,
// median, 99 % and worst in microseconds.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <numeric>
#include <vector>

#include "features/base/threads.h"
#include "tools/bench/timing.h"

namespace leafglyph {
namespace {

// Additions that depend on each other take about this long on current processors.
constexpr double kNanosecondsPerStep = 1.4;

void spend(double nanoseconds) {
  volatile double sum = 1.0;
  double x = sum;
  for (auto i = static_cast<long>(nanoseconds / kNanosecondsPerStep); i > 0; --i) {
    x = x * 1.0000001 + 1e-9;
  }
  sum = x;
}

struct Kind {
  std::size_t count;
  double nanoseconds;
};
constexpr Kind kShort = {4, 1'000};
constexpr Kind kMiddle = {64, 1'000};
constexpr Kind kLong = {64, 10'000};

void run(const Kind& kind, bool said) {
  parallel_for({.count = kind.count, .nanoseconds = said ? kind.nanoseconds : 0.0},
               [&](std::size_t) { spend(kind.nanoseconds); });
}

template <class Call>
void print(const char* what, const Call& call) {
  constexpr int kRepeats = 1000;
  std::vector<double> times;
  call();
  for (int i = 0; i < kRepeats; ++i) times.push_back(1e6 * seconds_of(call));
  std::sort(times.begin(), times.end());
  const double mean = std::accumulate(times.begin(), times.end(), 0.0) / kRepeats;
  std::printf("  %-32s %9.1f %9.1f %9.1f %9.1f\n", what, mean, times[kRepeats / 2],
              times[kRepeats * 99 / 100], times.back());
  std::fflush(stdout);
}

void print_all() {
  print("4 x 1 us", [] { run(kShort, false); });
  print("4 x 1 us, said", [] { run(kShort, true); });
  print("64 x 1 us", [] { run(kMiddle, false); });
  print("64 x 10 us", [] { run(kLong, false); });
  print("4 x 1, then 64 x 10 us", [] {
    run(kShort, false);
    run(kLong, false);
  });
  print("4 x 1, said, then 64 x 10 us", [] {
    run(kShort, true);
    run(kLong, true);
  });
}

void print_changing(int threads) {
  print("changing, then 64 x 10 us", [threads] {
    set_thread_count(2);
    run(kShort, false);
    set_thread_count(threads);
    run(kLong, false);
  });
}

}  // namespace
}  // namespace leafglyph

int main(int argc, char** argv) {
  using namespace leafglyph;
  std::vector<int> counts;
  for (int i = 1; i < argc; ++i) counts.push_back(std::atoi(argv[i]));
  if (counts.empty()) {
    for (int threads = 2; threads < processor_count(); threads *= 2) counts.push_back(threads);
    counts.push_back(processor_count());
  }
  for (const int threads : counts) {
    set_thread_count(threads);
    std::printf("%d threads of %d processors%15s %9s %9s %9s\n", threads, processor_count(), "mean",
                "median", "99 %", "worst");
    print_all();
    print_changing(threads);
  }
  return 0;
}
