// The threads that take part in the loops of threads.h. They sleep when there is nothing to do:
// OpenMP's threads spin for milliseconds after every section, which slows whatever runs between two
// loops on a host that has a processor for each of them, but not a whole core.
#pragma once

#include <cstddef>
#include <functional>

namespace leafglyph {

/// Calls work() on the calling thread and, at the same time, on up to most - 1 others, as they wake
/// up: work() takes rounds until none is left, and who comes later than that is not needed. Returns
/// when all calls have ended. work() must not throw.
///
/// In a call of work(), the threads that the outer loop leaves idle take part in an inner one; the
/// outer and its inner ones together never have more than `threads` of the outermost.
///
/// The threads are the process's, started when they are first needed, and end with it. Loops that
/// run at the same time share them. After a fork the child starts its own.
void run_together(int threads, std::size_t most, const std::function<void()>& work);

/// Whether the calling thread is in a call of work().
bool is_in_loop();

}  // namespace leafglyph
