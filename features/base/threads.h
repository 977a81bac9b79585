// The one place that sets how many threads LeafGlyph uses, and loops spread over them. Every loop
// whose rounds may throw or allocate goes through here: an exception that leaves an OpenMP section
// ends the process.
#pragma once

#include <cstddef>
#include <functional>

namespace leafglyph {

/// Sets the number of threads of OpenMP and of BLAS; 0 means all that the process may use.
/// Throws UsageError when negative, or above 64 and four times the number of processors.
void set_thread_count(int threads);

/// The number of threads that parallel sections use now: one within another.
int thread_count();

/// The rounds 0 to count - 1 of a loop, and how they are distributed.
struct Rounds {
  std::size_t count = 0;
  std::size_t at_a_time = 1;  ///< rounds that a thread takes together
  /// Up to this many rounds run on the calling thread, outside of a parallel section, so that each
  /// may have one of its own.
  std::size_t serial = 1;
  /// If this loop runs in a round of another one, threads that the other leaves idle take part. The
  /// rounds must then not use what belongs to a thread, and no lock may be held around the loop.
  bool helps_within = false;
};

/// The work of one round, by its number.
using RoundJob = std::function<void(std::size_t)>;

/// Runs job(0) to job(count - 1), each on one thread, in any order. Once a job has thrown, no
/// further one is started; of several exceptions the one of the lowest number is thrown. Throws
/// Interrupted when interrupted() between rounds.
void parallel_for(const Rounds& rounds, const RoundJob& job);
inline void parallel_for(std::size_t count, const RoundJob& job) {
  parallel_for(Rounds{count}, job);
}

/// The same with a job per thread, returned by make_job(): its working memory is created once per
/// thread. Throws what make_job throws, too.
void parallel_for_with_scratch(const Rounds& rounds, const std::function<RoundJob()>& make_job);

}  // namespace leafglyph
