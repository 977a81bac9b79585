// One persistent thread per GPU, for transforms that several GPUs share.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <exception>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

namespace leafglyph::gpu {

/// The most threads of a loop beside GPUs (SmallTeams): more are not faster
/// (tools/bench/host_threads).
inline constexpr int kMostBesideGpus = 16;

/// How many threads the loops of each of so many workers have on a host of `threads`: a share of
/// kMostBesideGpus, or more, up to 8, if they leave half of the host's threads free.
int threads_of_worker(std::size_t workers, int threads);

/// The calling thread, for the first GPU, and one thread for each further one, which is started
/// when it is first needed and waits, asleep, for the next task.
class GpuWorkers {
 public:
  /// `loop_threads`: of the loops of each.
  explicit GpuWorkers(int loop_threads = 1) : loop_threads_(loop_threads) {}
  ~GpuWorkers();
  GpuWorkers(const GpuWorkers&) = delete;
  GpuWorkers& operator=(const GpuWorkers&) = delete;

  /// Calls work(0) to work(count - 1) at the same time and returns when all have ended. The first
  /// that throws calls `stop`; of several exceptions the one of the lowest number is thrown. Not
  /// for several threads at once.
  void on_each(std::size_t count, const std::function<void(std::size_t)>& work,
               const std::function<void()>& stop);

  /// Threads that have been started.
  std::size_t started() const { return threads_.size(); }

 private:
  struct Task {
    const std::function<void(std::size_t)>& work;
    const std::function<void()>& stop;
    std::size_t left = 0;  // workers that have not ended
    std::vector<std::exception_ptr> failures;
  };

  void start_threads(std::size_t count);
  void serve(std::size_t number);
  void run(Task& task, std::size_t number) const;

  int loop_threads_;
  std::vector<std::jthread> threads_;
  std::mutex mutex_;
  std::condition_variable changed_;
  Task* task_ = nullptr;
  std::size_t taken_by_ = 0;  // workers of the task
  unsigned long tasks_ = 0;   // so far
  bool ending_ = false;
};

}  // namespace leafglyph::gpu
