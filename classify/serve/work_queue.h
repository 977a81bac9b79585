// A few workers run computations in the order of the requests. Requests that would wait too long
// are refused.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <deque>
#include <exception>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

namespace leafglyph {

class WorkQueue {
 public:
  /// `most_waiting`: how many jobs may wait while every worker is busy. Each worker computes on
  /// `threads` threads (threads.h).
  WorkQueue(std::size_t workers, std::size_t most_waiting, int threads);
  /// Waits for all jobs.
  ~WorkQueue();
  WorkQueue(const WorkQueue&) = delete;
  WorkQueue& operator=(const WorkQueue&) = delete;

  /// Waits until a worker has run the job, and throws what the job threw. Throws BusyError when too
  /// many jobs are waiting.
  void run(const std::function<void()>& job);

 private:
  /// A job and its outcome. It belongs to the thread that waits for it, so that an exception is
  /// freed by the thread that handles it.
  struct Task {
    const std::function<void()>& job;
    std::exception_ptr failure{};
    bool done = false;
  };

  void work(int threads);

  std::size_t most_waiting_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::condition_variable done_;
  std::deque<Task*> waiting_;
  std::size_t idle_ = 0;
  bool ending_ = false;
  std::vector<std::thread> workers_;
};

}  // namespace leafglyph
