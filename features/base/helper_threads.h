// The threads that help with the short loops of the host beside a GPU (HelpedLoops in threads.h).
#pragma once

#include <functional>

namespace leafglyph {

/// Runs `work` on the calling thread and, as far as they come before it has returned there, on up
/// to `most` threads of a small pool. Returns when all that have begun have ended. `work` takes
/// pieces of a common task until none is left, and must not throw.
///
/// The caller of an OpenMP loop waits for every thread of the team, even for one that has no
/// processor just then and no work, and the threads of a team that becomes smaller end. Here a
/// thread that comes too late is not missed, and the threads stay, asleep. The pool has at most
/// kMostHelpers threads, which are started when first asked for. They end with the process. A
/// forked process has none until it asks for them itself; no loop may be running at the fork.
void run_with_helpers(int most, const std::function<void()>& work);

inline constexpr int kMostHelpers = 31;

/// Whether the calling thread is running a `work`.
bool is_in_helped_loop();

/// How many threads the pool has now.
int helper_count();

}  // namespace leafglyph
