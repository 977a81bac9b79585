#include "tools/python/long_computation.h"

#include <pthread.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <csignal>
#include <mutex>

#include "features/base/errors.h"
#include "features/base/threads.h"

namespace leafglyph::python {
namespace {

// Until a number is set, that of thread_count() applies.
constexpr int kUnset = -1;
std::atomic<int> wanted_threads{kUnset};

// Whether this process has computed, and whether it was forked from one that had.
std::atomic<bool> has_computed{false};
std::atomic<bool> is_forked{false};

// The data that a signal handler can access. Only the main thread writes it.
struct sigaction previous_action;

bool is_main_thread() { return ::syscall(SYS_gettid) == ::getpid(); }

void handle(int signal) {
  request_interruption();
  previous_action.sa_handler(signal);  // Python's, which makes it raise KeyboardInterrupt
}

/// The threads that have released the GIL, for the end of Python. Never destroyed, since threads
/// may outlive the library's objects.
struct Computations {
  std::mutex mutex;
  std::condition_variable changed;
  int running = 0;         // without the GIL
  int returning = 0;       // waiting for it
  bool ending = false;     // no thread but the main one starts another
  bool abandoned = false;  // none of those still running takes the GIL again
};
Computations& computations() {
  static auto* const all = new Computations;  // NOLINT: see there
  return *all;
}

// Computations look whether they should stop far more often than this.
constexpr std::chrono::seconds kPatience{10};

void stop_computations() {
  const pybind11::gil_scoped_release release;  // on the main thread, which Python never ends
  Computations& all = computations();
  std::unique_lock lock(all.mutex);
  all.ending = true;
  if (all.running > 0) request_interruption();
  const auto are_done = [&] { return all.running == 0 && all.returning == 0; };
  all.abandoned = !all.changed.wait_for(lock, kPatience, are_done);
  all.changed.wait(lock, [&] { return all.returning == 0; });
  if (!all.abandoned) withdraw_interruption();
}

}  // namespace

void stop_computations_at_exit() {
  pybind11::module_::import("atexit").attr("register")(pybind11::cpp_function(&stop_computations));
}

ReleasedGil::ReleasedGil() {
  Computations& all = computations();
  {
    const std::lock_guard lock(all.mutex);
    if (all.ending && !is_main_thread()) {
      PyErr_SetNone(PyExc_SystemExit);
      throw pybind11::error_already_set();
    }
    ++all.running;
  }
  state_ = PyEval_SaveThread();
}

ReleasedGil::~ReleasedGil() {
  Computations& all = computations();
  {
    std::unique_lock lock(all.mutex);
    while (all.abandoned && !is_main_thread()) all.changed.wait(lock);
    --all.running;
    ++all.returning;
  }
  PyEval_RestoreThread(state_);
  const std::lock_guard lock(all.mutex);
  --all.returning;
  all.changed.notify_all();
}

void set_interrupted() {
  const bool is_ending = [] {
    const std::lock_guard lock(computations().mutex);
    return computations().ending;
  }();
  if (is_ending && !is_main_thread()) {
    PyErr_SetNone(PyExc_SystemExit);
  } else if (PyErr_CheckSignals() == 0) {
    PyErr_SetNone(PyExc_KeyboardInterrupt);
  }
}

void watch_forks() {
  ::pthread_atfork([] { computations().mutex.lock(); }, [] { computations().mutex.unlock(); },
                   [] {
                     is_forked = has_computed.load();
                     computations().running = computations().returning = 0;
                     computations().mutex.unlock();
                   });
}

void refuse_after_fork() {
  if (is_forked) {
    throw Error(
        "this process was forked after LeafGlyph had computed, and its threads do not exist here; "
        "start processes with multiprocessing.get_context(\"spawn\") or joblib");
  }
  has_computed = true;
}

void set_threads(int threads) {
  set_default_thread_count(threads);
  wanted_threads = threads;
}

int threads() {
  use_threads();
  return thread_count();
}

void use_threads() {
  if (const int wanted = wanted_threads; wanted != kUnset) set_thread_count(wanted);
}

InterruptibleScope::InterruptibleScope() {
  if (!is_main_thread()) return;
  struct sigaction current {};
  if (::sigaction(SIGINT, nullptr, &current) != 0) return;
  const bool handled = (current.sa_flags & SA_SIGINFO) == 0 && current.sa_handler != SIG_IGN &&
                       current.sa_handler != SIG_DFL && current.sa_handler != handle;
  if (!handled) return;
  previous_action = current;
  struct sigaction ours = current;
  ours.sa_handler = handle;
  installed_ = ::sigaction(SIGINT, &ours, nullptr) == 0;
}

InterruptibleScope::~InterruptibleScope() {
  if (!installed_) return;
  ::sigaction(SIGINT, &previous_action, nullptr);
  withdraw_interruption();
}

}  // namespace leafglyph::python
