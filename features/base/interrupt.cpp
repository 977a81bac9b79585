#include "features/base/interrupt.h"

#include <atomic>

namespace leafglyph {
namespace {

// A signal handler can reach nothing but a global; it is touched below only.
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
