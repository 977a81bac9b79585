// What takes a processor's time is done by a few workers, in the order of asking; what would wait
// too long is refused.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <deque>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

namespace leafglyph {

class WorkQueue {
 public:
  /// `most_waiting`: jobs that may wait while every worker has one. Each worker computes on
  /// `threads` threads (threads.h).
  WorkQueue(std::size_t workers, std::size_t most_waiting, int threads);
  /// Waits for the jobs.
  ~WorkQueue();
  WorkQueue(const WorkQueue&) = delete;
  WorkQueue& operator=(const WorkQueue&) = delete;

  /// Waits until a worker has done the job, and throws what it threw. Throws BusyError when too
  /// many wait.
  void run(const std::function<void()>& job);

 private:
  void work(int threads);

  std::size_t most_waiting_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<std::function<void()>> waiting_;
  std::size_t idle_ = 0;
  bool ending_ = false;
  std::vector<std::thread> workers_;
};

}  // namespace leafglyph
