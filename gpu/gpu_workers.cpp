#include "gpu/gpu_workers.h"

#include <algorithm>

#include "features/base/threads.h"

namespace leafglyph::gpu {

int threads_of_worker(std::size_t workers, int threads) {
  constexpr int kMostOfOne = kMostBesideGpus / 2;
  const int share = std::min(threads, kMostBesideGpus) / static_cast<int>(workers);
  const int spare = std::min(kMostOfOne, threads / 2 / static_cast<int>(workers));
  return std::max({1, share, spare});
}

GpuWorkers::~GpuWorkers() {
  {
    const std::lock_guard lock(mutex_);
    ending_ = true;
  }
  changed_.notify_all();
  threads_.clear();  // joins them
}

void GpuWorkers::on_each(std::size_t count, const std::function<void(std::size_t)>& work,
                         const std::function<void()>& stop) {
  if (count == 1) return work(0);
  start_threads(count - 1);
  Task task{work, stop, count - 1, std::vector<std::exception_ptr>(count)};
  {
    const std::lock_guard lock(mutex_);
    task_ = &task;
    taken_by_ = count;
    ++tasks_;
  }
  changed_.notify_all();
  run(task, 0);
  {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return task.left == 0; });
    task_ = nullptr;
  }
  for (const std::exception_ptr& failure : task.failures) {
    if (failure) std::rethrow_exception(failure);
  }
}

void GpuWorkers::start_threads(std::size_t count) {
  while (threads_.size() < count) {
    threads_.emplace_back([this, number = threads_.size() + 1] { serve(number); });
  }
}

void GpuWorkers::run(Task& task, std::size_t number) const {
  try {
    const SmallTeams teams(loop_threads_);
    task.work(number);
  } catch (...) {
    task.failures[number] = std::current_exception();
    task.stop();  // the others need not continue
  }
}

void GpuWorkers::serve(std::size_t number) {
  std::unique_lock lock(mutex_);
  for (unsigned long seen = 0;;) {
    changed_.wait(lock, [&] {
      return ending_ || (task_ != nullptr && tasks_ != seen && number < taken_by_);
    });
    if (ending_) return;
    seen = tasks_;
    Task& task = *task_;
    lock.unlock();
    run(task, number);
    lock.lock();
    if (--task.left == 0) changed_.notify_all();
  }
}

}  // namespace leafglyph::gpu
