#include "features/parallel_for.h"

#include <atomic>
#include <exception>

namespace leafglyph {

void parallel_for(std::size_t count, const std::function<void(std::size_t)>& job) {
  if (count == 1) return job(0);
  std::exception_ptr failure;
  std::size_t failed = count;
  std::atomic<bool> stop = false;
#pragma omp parallel for schedule(dynamic)
  for (std::size_t i = 0; i < count; ++i) {
    if (stop) continue;
    try {
      job(i);
    } catch (...) {
      stop = true;
#pragma omp critical(leafglyph_parallel_for)
      if (i < failed) {
        failed = i;
        failure = std::current_exception();
      }
    }
  }
  if (failure) std::rethrow_exception(failure);
}

}  // namespace leafglyph
