#include "classify/serve/connection_threads.h"

#include <utility>

namespace leafglyph {

void ConnectionThreads::enqueue(std::function<void()> connection) {
  {
    const std::lock_guard lock(mutex_);
    if (busy_ + waiting_.size() < most_) {
      waiting_.push_back(std::move(connection));
      if (busy_ + waiting_.size() > threads_.size()) threads_.emplace_back([this] { serve(); });
      changed_.notify_one();
      return;
    }
  }
  connection();
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
