// Shared by the GPU parts of bench_published: how kernels of the literature and plans are timed.
#pragma once

#include <algorithm>
#include <complex>
#include <cstdio>
#include <vector>

#include "gpu/plans.h"
#include "tools/bench/timing.h"
#include "tools/literature/bench/bench_published.h"
#include "tools/literature/cuda/published.h"

namespace leafglyph {

using Moments = std::vector<std::complex<double>>;

inline constexpr int kPublishedRepeats = 3;

/// The result with the median time of three after a warm-up; the first one if it takes over 1 s.
template <class Call>
auto median_of_three(const Call& call) {
  std::vector<decltype(call())> results;
  results.push_back(call());
  if (results.front().seconds > 1.0) return results.front();
  for (int i = 0; i < kPublishedRepeats; ++i) results.push_back(call());
  results.erase(results.begin());  // the warm-up
  std::sort(results.begin(), results.end(),
            [](const auto& a, const auto& b) { return a.seconds < b.seconds; });
  return results[kPublishedRepeats / 2];
}

/// Seconds of LeafGlyph's own plan on the GPU, transfers included. Writes its moments to `moments`.
/// A tenth of a second of runs: a GPU that has been idle is slower at first.
inline double time_ours(const MomentSpec& spec, const ArraySize& size, Precision precision,
                        const ImageBatch& batch, Moments& moments) {
  PlanOptions options = for_many_images();
  options.device.kind = DeviceChoice::Kind::kCuda;
  options.precision = precision;
  const auto plan = make_moment_plan(spec, size, options);
  moments.resize(plan->moment_count());
  return median_seconds({0.1, 501}, [&] { plan->moments(batch, moments); });
}

inline void print_steps(const std::vector<gpu::published::Step>& steps, double seconds) {
  std::printf("   ");
  for (const gpu::published::Step& step : steps) {
    std::printf(" %s %.4g s (%.1f%%)", step.name.c_str(), step.seconds,
                100.0 * step.seconds / seconds);
  }
  std::printf("\n");
}

}  // namespace leafglyph
