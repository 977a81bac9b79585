#include "classify/serve/http_limits.h"

#include <algorithm>
#include <utility>

#include "classify/serve/http_message.h"
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

EnqueueResult ConnectionThreads::enqueue(std::function<void()> connection) {
  if (!take(connection)) connection();
  return static_cast<EnqueueResult>(true);
}

bool ConnectionThreads::take(std::function<void()>& connection) {
  const std::lock_guard lock(mutex_);
  if (busy_ + waiting_.size() >= most_) return false;
  waiting_.push_back(std::move(connection));
  if (busy_ + waiting_.size() > threads_.size()) threads_.emplace_back([this] { serve(); });
  changed_.notify_one();
  return true;
}

void ConnectionThreads::serve() {
  std::unique_lock lock(mutex_);
  while (true) {
    changed_.wait(lock, [this] { return stopping_ || !waiting_.empty(); });
    if (waiting_.empty()) return;
    const std::function<void()> connection = std::move(waiting_.front());
    waiting_.pop_front();
    ++busy_;
    lock.unlock();
    connection();
    lock.lock();
    --busy_;
  }
}

void ConnectionThreads::shutdown() {
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
  }
  changed_.notify_all();
  for (std::thread& thread : threads_) thread.join();
}

}  // namespace leafglyph
