// Long computations called from Python: they release the GIL, use the threads that were set, and
// stop on Ctrl-C.
#pragma once

#include <pybind11/pybind11.h>

#include <type_traits>
#include <utility>

#include "features/base/errors.h"

namespace leafglyph::python {

/// Sets the number of threads of all later computations, as set_thread_count does.
void set_threads(int threads);
int threads();

/// While it exists, SIGINT also requests an interruption. This applies only if Python handles
/// SIGINT and this is the main thread, where KeyboardInterrupt is raised. Other handlers and other
/// threads are left alone.
class InterruptibleScope {
 public:
  InterruptibleScope();
  ~InterruptibleScope();
  InterruptibleScope(const InterruptibleScope&) = delete;
  InterruptibleScope& operator=(const InterruptibleScope&) = delete;

 private:
  bool installed_ = false;
};

/// Applies the number of threads to the calling thread, because OpenMP keeps it per thread.
void use_threads();

/// Lets refuse_after_fork() notice forks from now on.
void watch_forks();

/// Throws Error in a process that was forked after its parent had computed: the threads of OpenMP
/// do not exist there, and a computation would wait for them forever.
void refuse_after_fork();

/// Stops the computations of other threads when Python ends, and waits for them: a thread that took
/// the GIL later would be ended by Python in the middle of C++. Registers itself with atexit.
void stop_computations_at_exit();

/// Holds the GIL released, as gil_scoped_release does, but counts the computation for the end of
/// Python. The destructor never returns on a thread for which that end did not wait.
class ReleasedGil {
 public:
  /// Throws error_already_set (SystemExit) on a thread other than the main one if Python is ending.
  ReleasedGil();
  ~ReleasedGil();
  ReleasedGil(const ReleasedGil&) = delete;
  ReleasedGil& operator=(const ReleasedGil&) = delete;

 private:
  PyThreadState* state_;
};

/// Sets the exception that Python raises for an interrupted computation: what its Ctrl-C handler
/// raises, by default KeyboardInterrupt; SystemExit, which ends a thread without a word, when
/// Python is ending.
void set_interrupted();

/// Releases the GIL, which the caller must hold, and runs work(), which must not touch Python. If
/// work() throws Interrupted, Python sees the exception of set_interrupted().
template <class Work>
std::invoke_result_t<Work> without_gil(Work&& work) {
  refuse_after_fork();
  const InterruptibleScope scope;
  try {
    const ReleasedGil released;
    use_threads();
    return std::forward<Work>(work)();
  } catch (const Interrupted&) {
    set_interrupted();
    throw pybind11::error_already_set();
  }
}

}  // namespace leafglyph::python
