#include "features/base/parallel_for.h"

#include <atomic>
#include <exception>

#include "features/base/interrupt.h"

namespace leafglyph {
namespace {

// The exception of the lowest round among those that threw on any thread.
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
    for (std::size_t i = 0; i < rounds.count; ++i) {
      if (failure.any()) continue;
      failure.guard(i, [&] {
        throw_if_interrupted();
        job(i);
      });
    }
  }
  failure.rethrow();
}

}  // namespace leafglyph
