#include "features/base/helper_threads.h"

#include <omp.h>
#include <pthread.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdlib>
#include <memory>
#include <mutex>
#include <system_error>
#include <thread>
#include <vector>

#include "features/base/threads.h"

namespace leafglyph {
namespace {

// A thread that wakes takes some 50 microseconds to run. Loops often follow each other closely, so
// that it is worth looking for the next one, or the end of this one, for about as long, and where
// there are processors to spare until a GPU has computed an image.
std::chrono::microseconds lookout() {
  constexpr int kMany = 8;
  return std::chrono::microseconds(processor_count() < kMany ? 30 : 1000);
}

thread_local bool in_loop = false;

/// Marks the calling thread while it works.
class InLoop {
 public:
  InLoop() { in_loop = true; }
  ~InLoop() { in_loop = false; }
  InLoop(const InLoop&) = delete;
  InLoop& operator=(const InLoop&) = delete;
};

// Looks for `found` without giving up the processor. Returns what it said last.
template <class Found>
bool look_out(const Found& found) {
  const auto end = std::chrono::steady_clock::now() + lookout();
  while (!found()) {
    if (std::chrono::steady_clock::now() > end) return found();
#if defined(__x86_64__)
    __builtin_ia32_pause();
#endif
  }
  return true;
}

class HelperPool {
 public:
  HelperPool() = default;
  HelperPool(const HelperPool&) = delete;
  HelperPool& operator=(const HelperPool&) = delete;

  void run(int most, const std::function<void()>& work) {
    Loop loop(work, std::min(most, kMostHelpers));
    open(loop);
    {
      const InLoop mark;
      work();
    }
    close(loop);
  }

  // Ends the threads, unless a loop is running: it may be one that the process does not wait for.
  void end() {
    std::vector<std::thread> threads;
    {
      const std::lock_guard lock(mutex_);
      ending_ = true;
      threads.swap(threads_);
      if (running_ > 0) {
        for (std::thread& thread : threads) thread.detach();
        return;
      }
    }
    opened_.notify_all();
    for (std::thread& thread : threads) thread.join();
  }

  int count() {
    const std::lock_guard lock(mutex_);
    return static_cast<int>(threads_.size());
  }

 private:
  struct Loop {
    Loop(const std::function<void()>& loop_work, int most) : work(loop_work), wanted(most) {}

    const std::function<void()>& work;
    int wanted;                  // further helpers
    std::atomic<int> inside{0};  // helpers that are working
    std::condition_variable left;
  };

  void open(Loop& loop) {
    bool wakes = false;
    {
      const std::lock_guard lock(mutex_);
      ++running_;
      if (ending_) return;
      add_threads(loop.wanted);
      loops_.push_back(&loop);
      wakes = loop.wanted > looking_ && asleep_ > 0;
    }
    ++openings_;
    // A helper that comes wakes the next one, so that this thread can begin.
    if (wakes) opened_.notify_one();
  }

  void close(Loop& loop) {
    {
      const std::lock_guard lock(mutex_);
      --running_;
      std::erase(loops_, &loop);
      if (loop.inside == 0) return;
    }
    look_out([&] { return loop.inside == 0; });
    // Under the lock, because the last helper notifies under it: it must not touch what is gone.
    std::unique_lock lock(mutex_);
    loop.left.wait(lock, [&] { return loop.inside == 0; });
  }

  // A system that has no more threads has fewer helpers.
  void add_threads(int wanted) {
    try {
      while (static_cast<int>(threads_.size()) < wanted) {
        threads_.emplace_back([this] { serve(); });
      }
    } catch (const std::system_error&) {
    }
  }

  Loop* wanting() {
    const auto loop = std::ranges::find_if(loops_, [](const Loop* one) { return one->wanted > 0; });
    return loop == loops_.end() ? nullptr : *loop;
  }

  void serve() {
    omp_set_num_threads(1);
    in_loop = true;
    std::unique_lock lock(mutex_);
    while (Loop* loop = next(lock)) {
      --loop->wanted;
      ++loop->inside;
      const bool wakes = asleep_ > 0 && wanting() != nullptr;
      lock.unlock();
      if (wakes) opened_.notify_one();
      loop->work();
      lock.lock();
      loop->wanted = 0;  // nothing is left to do
      if (--loop->inside == 0) loop->left.notify_one();
    }
  }

  // Waits for a loop that wants a helper; null at the end.
  Loop* next(std::unique_lock<std::mutex>& lock) {
    if (Loop* loop = wanting()) return loop;
    const unsigned seen = openings_;
    ++looking_;
    lock.unlock();
    look_out([&] { return openings_ != seen; });
    lock.lock();
    --looking_;
    ++asleep_;
    Loop* loop = nullptr;
    opened_.wait(lock, [&] {
      loop = wanting();
      return loop != nullptr || ending_;
    });
    --asleep_;
    return ending_ ? nullptr : loop;
  }

  std::mutex mutex_;
  std::condition_variable opened_;
  std::vector<std::thread> threads_;
  std::vector<Loop*> loops_;
  std::atomic<unsigned> openings_{0};
  int running_ = 0;
  int looking_ = 0;
  int asleep_ = 0;
  bool ending_ = false;
};

// The pool of this process. It is never destroyed: at the end of the process, threads that nobody
// waits for may still use it.
std::atomic<HelperPool*>& pool() {
  static std::atomic<HelperPool*> of_process = [] {
    std::atexit([] { pool().load()->end(); });
    ::pthread_atfork(nullptr, nullptr, [] { pool() = std::make_unique<HelperPool>().release(); });
    return std::make_unique<HelperPool>().release();
  }();
  return of_process;
}

}  // namespace

void run_with_helpers(int most, const std::function<void()>& work) {
  if (most > 0) return pool().load()->run(most, work);
  const InLoop mark;
  work();
}

bool is_in_helped_loop() { return in_loop; }

int helper_count() { return pool().load()->count(); }

}  // namespace leafglyph
