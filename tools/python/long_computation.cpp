#include "tools/python/long_computation.h"

#include <pthread.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <csignal>

#include "features/base/errors.h"
#include "features/base/threads.h"

namespace leafglyph::python {
namespace {

// Until a number is set, OpenMP's default applies.
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

}  // namespace

void watch_forks() {
  ::pthread_atfork(nullptr, nullptr, [] { is_forked = has_computed.load(); });
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
  set_thread_count(threads);
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
