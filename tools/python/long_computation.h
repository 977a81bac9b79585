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

/// Releases the GIL, which the caller must hold, and runs work(), which must not touch Python. If
/// work() throws Interrupted, Python sees what its Ctrl-C handler raises, by default
/// KeyboardInterrupt.
template <class Work>
std::invoke_result_t<Work> without_gil(Work&& work) {
  refuse_after_fork();
  const InterruptibleScope scope;
  try {
    const pybind11::gil_scoped_release release;
    use_threads();
    return std::forward<Work>(work)();
  } catch (const Interrupted&) {
    if (PyErr_CheckSignals() == 0) PyErr_SetNone(PyExc_KeyboardInterrupt);
    throw pybind11::error_already_set();
  }
}

}  // namespace leafglyph::python
