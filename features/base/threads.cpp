#include "features/base/threads.h"

#include <omp.h>

#include <algorithm>
#include <string>

#include "features/base/errors.h"

namespace leafglyph {
namespace {

// More threads than this do not compute faster, and libgomp, which keeps its list of them on the
// stack, ends the process when it cannot start as many as it was told.
constexpr int kThreadsAProcessor = 4;
constexpr int kThreadsAnywhere = 64;

}  // namespace

void set_thread_count(int threads) {
  const int most = std::max(kThreadsAnywhere, kThreadsAProcessor * omp_get_num_procs());
  if (threads < 0 || threads > most) {
    throw UsageError(std::to_string(threads) + " threads; use 1 to " + std::to_string(most) +
                     ", or 0 for as many as there are processors");
  }
  // OpenBLAS's OpenMP build follows this setting, and runs on one thread inside a parallel section.
  omp_set_num_threads(threads == 0 ? omp_get_num_procs() : threads);
}

int thread_count() { return omp_get_max_threads(); }

}  // namespace leafglyph
