#include "features/threads.h"

#include <omp.h>

#include <string>

#include "features/errors.h"

namespace leafglyph {

void set_thread_count(int threads) {
  if (threads < 0) {
    throw UsageError(std::to_string(threads) + " threads; use 1 or more, or 0 for all");
  }
  // OpenBLAS's OpenMP build follows this setting, and runs on one thread inside a parallel section.
  omp_set_num_threads(threads == 0 ? omp_get_num_procs() : threads);
}

int thread_count() { return omp_get_max_threads(); }

}  // namespace leafglyph
