// Timing for the GPU benchmarks: medians of repeated runs.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <vector>

#include "gpu/cuda/cuda_raii.h"

namespace leafglyph {

/// Median seconds of a call, host clock, after a warm-up call; the call must wait for its work.
template <class Call>
double median_seconds(int repeats, Call&& call) {
  call();
  std::vector<double> seconds;
  for (int i = 0; i < repeats; ++i) {
    const auto start = std::chrono::steady_clock::now();
    call();
    seconds.push_back(
        std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count());
  }
  std::nth_element(seconds.begin(), seconds.begin() + repeats / 2, seconds.end());
  return seconds[static_cast<std::size_t>(repeats / 2)];
}

/// Median seconds of GPU time of work that the call puts on the stream.
template <class Call>
double median_gpu_seconds(int repeats, const gpu::Stream& stream, Call&& call) {
  gpu::Event start;
  gpu::Event end;
  std::vector<double> seconds;
  for (int i = -1; i < repeats; ++i) {  // the first is the warm-up
    start.record(stream);
    call();
    end.record(stream);
    end.wait();
    if (i >= 0)
      seconds.push_back(static_cast<double>(gpu::milliseconds_between(start, end)) * 1e-3);
  }
  std::nth_element(seconds.begin(), seconds.begin() + repeats / 2, seconds.end());
  return seconds[static_cast<std::size_t>(repeats / 2)];
}

}  // namespace leafglyph
