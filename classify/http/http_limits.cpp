#include "classify/http/http_limits.h"

#include <algorithm>
#include <system_error>
#include <utility>

#include "classify/http/http_message.h"
#include "features/base/memory.h"

namespace leafglyph {

std::size_t BodyBudget::share_of_memory(std::size_t largest) {
  constexpr std::size_t kPart = 4;  // the rest is for images and models
  return std::max(available_memory_bytes() / kPart, largest);
}

BodyBudget::Share::Share(BodyBudget& budget, std::size_t bytes) : budget_(budget), bytes_(bytes) {
  const std::lock_guard lock(budget_.mutex_);
  if (bytes > budget_.left_) throw BusyError();
  budget_.left_ -= bytes;
}

BodyBudget::Share::~Share() {
  const std::lock_guard lock(budget_.mutex_);
  budget_.left_ += bytes_;
}

bool ConnectionThreads::take(Descriptor& connection) {
  const std::lock_guard lock(mutex_);
  const std::size_t needed = busy_ + waiting_.size() + 1;
  if (needed > most_) return false;
  try {
    if (needed > threads_.size()) threads_.emplace_back([this] { work(); });
  } catch (const std::system_error&) {  // this process may have no more threads
    return false;
  }
  waiting_.push_back(std::move(connection));
  changed_.notify_one();
  return true;
}

void ConnectionThreads::work() {
  std::unique_lock lock(mutex_);
  while (true) {
    changed_.wait(lock, [this] { return stopping_ || !waiting_.empty(); });
    if (waiting_.empty()) return;
    Descriptor connection = std::move(waiting_.front());
    waiting_.pop_front();
    ++busy_;
    lock.unlock();
    serve_(std::move(connection));
    lock.lock();
    --busy_;
  }
}

ConnectionThreads::~ConnectionThreads() {
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
  }
  changed_.notify_all();
  for (std::thread& thread : threads_) thread.join();
}

}  // namespace leafglyph
