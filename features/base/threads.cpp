#include "features/base/threads.h"

#include <omp.h>

#include <algorithm>
#include <atomic>
#include <exception>
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
  // OpenBLAS's OpenMP build follows this setting, and uses one thread inside a parallel region.
  omp_set_num_threads(threads == 0 ? omp_get_num_procs() : threads);
}

int thread_count() { return omp_in_parallel() != 0 ? 1 : omp_get_max_threads(); }

namespace {

// Keeps the exception of the lowest round among those that threw on any thread.
class FirstFailure {
 public:
  bool any() const { return any_.load(std::memory_order_relaxed); }

  template <class Work>
  void guard(std::size_t round, const Work& work) noexcept {
    try {
      work();
    } catch (...) {
      any_ = true;
#pragma omp critical(leafglyph_parallel_for)
      if (!failure_ || round < round_) {
        round_ = round;
        failure_ = std::current_exception();
      }
    }
  }

  // A round of a loop, unless one has thrown.
  void run(std::size_t round, const RoundJob& job) noexcept {
    if (any()) return;
    guard(round, [&] {
      throw_if_interrupted();
      job(round);
    });
  }

  void rethrow() const {
    if (failure_) std::rethrow_exception(failure_);
  }

 private:
  std::atomic<bool> any_ = false;
  std::size_t round_ = 0;
  std::exception_ptr failure_;
};

}  // namespace

void parallel_for(const Rounds& rounds, const RoundJob& job) {
  if (rounds.helps_within && omp_in_parallel() != 0 && rounds.count > rounds.serial) {
    // Threads that wait for the end of the outer loop take tasks.
    FirstFailure failure;
#pragma omp taskloop grainsize(rounds.at_a_time) shared(failure, rounds, job)
    for (std::size_t i = 0; i < rounds.count; ++i) failure.run(i, job);
    failure.rethrow();
    return;
  }
  parallel_for_with_scratch(rounds,
                            [&job]() -> RoundJob { return [&job](std::size_t i) { job(i); }; });
}

void parallel_for_with_scratch(const Rounds& rounds, const std::function<RoundJob()>& make_job) {
  FirstFailure failure;
#pragma omp parallel if (rounds.count > rounds.serial)
  {
    RoundJob job;
    failure.guard(0, [&] { job = make_job(); });
#pragma omp for schedule(dynamic, rounds.at_a_time)
    for (std::size_t i = 0; i < rounds.count; ++i) failure.run(i, job);
  }
  failure.rethrow();
}

}  // namespace leafglyph
