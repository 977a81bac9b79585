#include "classify/serve/work_queue.h"

#include "classify/http/http_message.h"
#include "features/base/threads.h"

namespace leafglyph {

WorkQueue::WorkQueue(std::size_t workers, std::size_t most_waiting, int threads)
    : most_waiting_(most_waiting) {
  for (std::size_t i = 0; i < workers; ++i) {
    workers_.emplace_back([this, threads] { work(threads); });
  }
}

WorkQueue::~WorkQueue() {
  {
    const std::lock_guard lock(mutex_);
    ending_ = true;
  }
  changed_.notify_all();
  for (std::thread& worker : workers_) worker.join();
}

void WorkQueue::run(const std::function<void()>& job) {
  Task task{job};
  std::unique_lock lock(mutex_);
  if (waiting_.size() >= most_waiting_ + idle_) throw BusyError();
  waiting_.push_back(&task);
  changed_.notify_one();
  done_.wait(lock, [&task] { return task.done; });
  lock.unlock();
  if (task.failure) std::rethrow_exception(task.failure);
}

void WorkQueue::work(int threads) {
  set_thread_count(threads);  // OpenMP's setting is each thread's own
  std::unique_lock lock(mutex_);
  while (true) {
    ++idle_;
    changed_.wait(lock, [this] { return ending_ || !waiting_.empty(); });
    --idle_;
    if (waiting_.empty()) return;
    Task& task = *waiting_.front();
    waiting_.pop_front();
    lock.unlock();
    try {
      task.job();
    } catch (...) {
      task.failure = std::current_exception();
    }
    lock.lock();
    task.done = true;
    done_.notify_all();
  }
}

}  // namespace leafglyph
