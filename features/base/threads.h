// The one place that sets how many threads LeafGlyph uses, and loops spread over them. Every
// parallel loop goes through here: only here is decided how many threads a loop deserves, and what
// becomes of an exception.
#pragma once

#include <cstddef>
#include <functional>
#include <string_view>

namespace leafglyph {

/// How many processors this process may use: those of its affinity (a Slurm job, taskset), and at
/// most what its control groups grant (a container, cpu.max), rounded up.
int processor_count();

/// What makes processor_count() less than the host's processors: "affinity" or "control groups";
/// empty where nothing does.
std::string_view processor_limit();

/// Sets the number of threads of the calling thread's loops, of OpenMP and of BLAS; 0 means
/// processor_count(). Throws UsageError when negative, or above 64 and four times the number of
/// processors.
void set_thread_count(int threads);

/// The same for the calling thread and for all that never set theirs.
void set_default_thread_count(int threads);

/// The number of threads that parallel sections use now: one within another. A thread that has set
/// none takes the default on its first call, for OpenMP and BLAS, too: what
/// set_default_thread_count or OMP_NUM_THREADS says, and otherwise processor_count().
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
  /// About how long a thread takes for a round, where that is little: a loop that is done before
  /// other threads have begun runs on the calling thread, as above. 0: long.
  double nanoseconds = 0.0;
};

/// How many threads the loop deserves here: one if it is short or in a round of another loop, and
/// otherwise all that may be used.
int threads_for(const Rounds& rounds);

/// Until the end of the scope, loops of the calling thread, and those of BLAS, have at most so many
/// threads. For what the host does beside GPUs: such loops are short, and a team as large as a host
/// of many cores waits for whichever of its threads has no processor just then, because CUDA's own
/// threads or neighbours have it. Encloses whole calls, since BLAS's teams that change their size
/// cost.
class SmallTeams {
 public:
  explicit SmallTeams(int most);
  ~SmallTeams();
  SmallTeams(const SmallTeams&) = delete;
  SmallTeams& operator=(const SmallTeams&) = delete;

 private:
  int before_;
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
