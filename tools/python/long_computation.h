// Computations beside Python: without its lock, on the threads that were set, ended by Ctrl-C.
#pragma once

#include <pybind11/pybind11.h>

#include <csignal>
#include <type_traits>
#include <utility>

#include "features/base/errors.h"

namespace leafglyph::python {

/// Threads of every computation from now on, as set_thread_count.
void set_threads(int threads);
int threads();

/// While it lives, SIGINT also requests an interruption, where Python handles it and this is its
/// main thread, the one that is to raise KeyboardInterrupt. Other handlers and other threads are
/// left alone.
class InterruptibleScope {
 public:
  InterruptibleScope();
  ~InterruptibleScope();
  InterruptibleScope(const InterruptibleScope&) = delete;
  InterruptibleScope& operator=(const InterruptibleScope&) = delete;

 private:
  bool installed_ = false;
};

/// The number of threads is each thread's own in OpenMP.
void use_threads();

/// Runs work() without the GIL, which the caller holds; it must not touch Python. Interrupted comes
/// out as what Python's handler of Ctrl-C raises, KeyboardInterrupt by default.
template <class Work>
std::invoke_result_t<Work> without_gil(Work&& work) {
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
