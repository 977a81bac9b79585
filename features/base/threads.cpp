#include "features/base/threads.h"

#include <omp.h>
#include <sched.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstdlib>
#include <exception>
#include <mutex>
#include <string>

#include "features/base/control_groups.h"
#include "features/base/errors.h"
#include "features/base/limits.h"
#include "features/base/team.h"

namespace leafglyph {
namespace {

// Waking a team and waiting for its end takes about this long, and longer the larger it is
// (tools/bench/bench_threads).
constexpr double kTeamNanoseconds = 10'000;
constexpr double kTeamNanosecondsPerThread = 500;

// The setting of a thread is the one that OpenMP keeps, which BLAS and FAISS follow. Whether it has
// been set.
thread_local bool is_set = false;

// Of threads that set none themselves; 0: none was set.
std::atomic<int> default_threads = 0;

int affinity_count() {
  cpu_set_t set;
  // Fails on hosts with more processors than a cpu_set_t has; OpenMP can count those.
  return ::sched_getaffinity(0, sizeof set, &set) == 0 ? CPU_COUNT(&set) : omp_get_num_procs();
}

int counted_processors() {
  const double granted = std::ceil(processors_of_groups("/proc/self/cgroup", "/sys/fs/cgroup"));
  return static_cast<int>(std::clamp<double>(affinity_count(), 1.0, std::max(1.0, granted)));
}

int default_thread_count() {
  if (const int threads = default_threads; threads > 0) return threads;
  const int of_openmp = omp_get_max_threads();
  return std::getenv("OMP_NUM_THREADS") != nullptr ? of_openmp
                                                   : std::min(of_openmp, processor_count());
}

void use(int threads) {
  omp_set_num_threads(threads);
  is_set = true;
}

int valid(int threads) {
  const int processors = processor_count();
  const int most = std::max(kMaxThreads, kMaxThreadsAProcessor * processors);
  if (threads < 0 || threads > most) {
    throw UsageError(std::to_string(threads) + " threads; use 1 to " + std::to_string(most) +
                     ", or 0 for as many as there are processors");
  }
  return threads == 0 ? processors : threads;
}

}  // namespace

int processor_count() {
  static const int count = counted_processors();
  return count;
}

std::string_view processor_limit() {
  const int affinity = affinity_count();
  if (processor_count() < affinity) return "control groups";
  return affinity < ::sysconf(_SC_NPROCESSORS_ONLN) ? "affinity" : "";
}

void set_thread_count(int threads) { use(valid(threads)); }

void set_default_thread_count(int threads) {
  default_threads = valid(threads);
  use(default_threads);
}

int thread_count() {
  if (is_in_loop()) return 1;
  if (!is_set) use(default_thread_count());
  return omp_get_max_threads();
}

int threads_for(const Rounds& rounds) {
  if (rounds.count <= rounds.serial) return 1;
  const int threads = thread_count();
  const double team = kTeamNanoseconds + kTeamNanosecondsPerThread * threads;
  const double work = static_cast<double>(rounds.count) * rounds.nanoseconds;
  return work > 0.0 && work < team ? 1 : threads;
}

SmallTeams::SmallTeams(int most) {
  if (!is_set) use(default_thread_count());
  before_ = omp_get_max_threads();
  use(std::min(before_, std::max(1, most)));
}
SmallTeams::~SmallTeams() { use(before_); }

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
      const std::lock_guard lock(mutex_);
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
  std::mutex mutex_;
  std::size_t round_ = 0;
  std::exception_ptr failure_;
};

// Whether threads that the outer loop leaves idle take part in one of its rounds.
bool is_helped(const Rounds& rounds) {
  return rounds.helps_within && is_in_loop() && rounds.count > rounds.serial;
}

}  // namespace

void parallel_for(const Rounds& rounds, const RoundJob& job) {
  parallel_for_with_scratch(rounds,
                            [&job]() -> RoundJob { return [&job](std::size_t i) { job(i); }; });
}

void parallel_for_with_scratch(const Rounds& rounds, const std::function<RoundJob()>& make_job) {
  FirstFailure failure;
  std::atomic<std::size_t> next = 0;
  const auto take_rounds = [&] {
    RoundJob job;
    failure.guard(0, [&] { job = make_job(); });
    while (next < rounds.count && !failure.any()) {
      const std::size_t first = next.fetch_add(rounds.at_a_time);
      const std::size_t end = std::min(rounds.count, first + rounds.at_a_time);
      for (std::size_t i = first; i < end; ++i) failure.run(i, job);
    }
  };
  const int threads = threads_for(rounds);
  if (threads > 1 || is_helped(rounds)) {
    const std::size_t pieces = (rounds.count + rounds.at_a_time - 1) / rounds.at_a_time;
    run_together(threads, pieces, take_rounds);
  } else {
    take_rounds();
  }
  failure.rethrow();
}

}  // namespace leafglyph
