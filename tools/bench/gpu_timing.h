// Timing for the GPU benchmarks: medians of repeated runs, timed by the GPU.
#pragma once

#include <vector>

#include "gpu/cuda/cuda_raii.h"
#include "tools/bench/timing.h"

namespace leafglyph {

/// Median GPU seconds of the work that `call` puts on the stream, after a warm-up call.
template <class Call>
double median_gpu_seconds(int repeats, const gpu::Stream& stream, Call&& call) {
  gpu::Event start;
  gpu::Event end;
  std::vector<double> seconds;
  for (int i = -1; i < repeats; ++i) {  // the first run is the warm-up
    start.record(stream);
    call();
    end.record(stream);
    end.wait();
    if (i >= 0)
      seconds.push_back(static_cast<double>(gpu::milliseconds_between(start, end)) * 1e-3);
  }
  return median(std::move(seconds));
}

/// Prints the time of a search for nearest-neighbour candidates in a large set.
void bench_search();

}  // namespace leafglyph
