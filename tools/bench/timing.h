// Timing for the benchmarks: medians of repeated runs, measured by the host's clock.
#pragma once

#include <chrono>
#include <cstddef>
#include <utility>
#include <vector>

#include "features/base/statistics.h"

namespace leafglyph {

/// How often a call runs: at least three times, then until one of the limits is reached.
struct RunLimits {
  double seconds;    ///< of all runs together
  std::size_t runs;  ///< maximum number of runs
};

/// Seconds of one call, which must wait until its work is done.
template <class Call>
double seconds_of(Call&& call) {
  const auto start = std::chrono::steady_clock::now();
  call();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

/// Median seconds of a call after a warm-up call.
template <class Call>
double median_seconds(const RunLimits& limits, Call&& call) {
  call();
  std::vector<double> seconds;
  double total = 0.0;
  while (seconds.size() < 3 || (total < limits.seconds && seconds.size() < limits.runs)) {
    seconds.push_back(seconds_of(call));
    total += seconds.back();
  }
  return median(std::move(seconds));
}

/// Median seconds of a fixed number of calls after a warm-up call.
template <class Call>
double median_seconds(int repeats, Call&& call) {
  call();
  std::vector<double> seconds;
  seconds.reserve(static_cast<std::size_t>(repeats));
  for (int i = 0; i < repeats; ++i) seconds.push_back(seconds_of(call));
  return median(std::move(seconds));
}

}  // namespace leafglyph
