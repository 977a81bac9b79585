#include "features/base/errors.h"

#include <atomic>
#include <cerrno>

#include "features/base/text.h"

namespace leafglyph {

Error::Error(const std::string& message, ExitCode code)
    : std::runtime_error(printable(message)), code_(code) {}

bool is_shortage(int error) {
  return error == EMFILE || error == ENFILE || error == ENOMEM || error == ENOBUFS ||
         error == EAGAIN;
}

namespace {

// A signal handler can only reach a global. Nothing outside the functions below uses it.
std::atomic<bool> requested{false};
static_assert(std::atomic<bool>::is_always_lock_free, "a signal handler may not wait for a lock");

}  // namespace

bool request_interruption() noexcept { return requested.exchange(true); }

void withdraw_interruption() noexcept { requested = false; }

bool interrupted() noexcept { return requested.load(std::memory_order_relaxed); }

void throw_if_interrupted() {
  if (interrupted()) throw Interrupted();
}

}  // namespace leafglyph
