#include "features/base/threads.h"

#include <omp.h>

#include <algorithm>
#include <string>

#include "features/base/errors.h"
#include "features/base/limits.h"

namespace leafglyph {
void set_thread_count(int threads) {
  const int most = std::max(kMaxThreads, kMaxThreadsAProcessor * omp_get_num_procs());
  if (threads < 0 || threads > most) {
    throw UsageError(std::to_string(threads) + " threads; use 1 to " + std::to_string(most) +
                     ", or 0 for as many as there are processors");
  }
  // OpenBLAS's OpenMP build follows this setting, and runs on one thread inside a parallel section.
  omp_set_num_threads(threads == 0 ? omp_get_num_procs() : threads);
}

int thread_count() { return omp_get_max_threads(); }

}  // namespace leafglyph
