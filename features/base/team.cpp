#include "features/base/team.h"

#include <omp.h>
#include <pthread.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <system_error>
#include <thread>

namespace leafglyph {
namespace {

// For so long a thread looks for the next loop before it sleeps: many loops follow each other, with
// a transform on a GPU between them, say, and waking all threads takes longer than a short loop.
constexpr std::chrono::microseconds kLooks{2000};

// Loops that are open at the same time. One more runs on its caller's thread alone.
constexpr std::size_t kPlaces = 256;

// A loop and the loops in its rounds: the most threads that all may have, and those that they have.
// BLAS and FAISS have one in a round.
struct LoopFamily {
  const int most;
  std::atomic<int> active = 1;

  bool enter() {
    if (active.fetch_add(1) < most) return true;
    --active;
    return false;
  }
};

// The family whose rounds the calling thread runs.
thread_local LoopFamily* family_of_thread = nullptr;

// Where an open loop is found. Threads come and go without a lock: sixteen that queue for one take
// longer than a short loop. `state` has the threads that are in the loop, the room for further
// ones, and whether it is closed; only who is in it may use `work`, which the caller keeps until
// then.
class alignas(64) LoopPlace {
 public:
  bool take() { return !is_taken_.load(std::memory_order_relaxed) && !is_taken_.exchange(true); }
  void leave_free() { is_taken_ = false; }

  void open(const std::function<void()>& work, LoopFamily& family, int room) {
    work_ = &work;
    family_ = &family;
    state_ = kRoom * static_cast<std::uint64_t>(room);
  }
  void close() { state_ |= kClosed; }
  bool is_empty() const { return state_ % kClosed == 0; }
  bool has_room() const { return state_ >= kRoom; }

  // A loop of this family, or of any.
  bool enter(const LoopFamily* family) {
    if (family != nullptr && family_ != family) return false;
    std::uint64_t state = state_;
    do {
      if (state < kRoom || (state & kClosed) != 0) return false;
    } while (!state_.compare_exchange_weak(state, state - kRoom + 1));
    return true;
  }
  // For who has entered: another loop may have taken the place just before, and its family may have
  // all its threads.
  bool run(const LoopFamily* family) {
    LoopFamily* const mine = family_;
    if ((family != nullptr && mine != family) || !mine->enter()) return false;
    LoopFamily* const outer = family_of_thread;
    family_of_thread = mine;
    (*work_)();
    family_of_thread = outer;
    --mine->active;
    return true;
  }
  // After a call of work() its rounds are given out, and there is no room. Returns whether the
  // caller may be waiting for this.
  bool leave(bool has_run) {
    std::uint64_t state = state_;
    std::uint64_t after = 0;
    do {
      const bool is_open = (state & kClosed) == 0;
      after = (has_run ? state % kRoom : state + (is_open ? kRoom : 0)) - 1;
    } while (!state_.compare_exchange_weak(state, after));
    return (state & kClosed) != 0;
  }

 private:
  static constexpr std::uint64_t kClosed = std::uint64_t{1} << 31;
  static constexpr std::uint64_t kRoom = std::uint64_t{1} << 32;

  std::atomic<bool> is_taken_ = false;
  std::atomic<std::uint64_t> state_ = kClosed;
  const std::function<void()>* work_ = nullptr;
  std::atomic<LoopFamily*> family_ = nullptr;
};

// Looks for a while whether something has come.
template <class Condition>
bool look_for(const Condition& has_come) {
  const auto end = std::chrono::steady_clock::now() + kLooks;
  while (std::chrono::steady_clock::now() < end) {
    if (has_come()) return true;
  }
  return false;
}

class Team {
 public:
  void run(int threads, std::size_t most, const std::function<void()>& work) {
    LoopFamily own{threads};
    LoopFamily* const outer = family_of_thread;
    LoopFamily& family = outer == nullptr ? own : *outer;
    LoopPlace* const place = free_place();
    const int of_blas = omp_get_max_threads();
    omp_set_num_threads(1);
    if (place != nullptr) {
      open(*place, work, family,
           static_cast<int>(std::min(most, static_cast<std::size_t>(family.most))) - 1);
    }
    family_of_thread = &family;
    work();
    family_of_thread = outer;
    if (place != nullptr) close(*place, outer == nullptr ? &own : nullptr);
    omp_set_num_threads(of_blas);
  }

 private:
  using Lock = std::unique_lock<std::mutex>;

  LoopPlace* free_place() {
    for (std::size_t i = 0; i < kPlaces; ++i) {
      if (!places_[i].take()) continue;
      std::size_t used = used_;
      while (used <= i && !used_.compare_exchange_weak(used, i + 1)) {
      }
      return &places_[i];
    }
    return nullptr;
  }

  void open(LoopPlace& place, const std::function<void()>& work, LoopFamily& family, int room) {
    if (threads_ < room) start_threads(room);
    place.open(work, family, room);
    ++opened_;
    if (&family == family_of_thread) wake_callers();  // they may take part
    wake_two(place);
  }

  // Waits for the other threads. The outermost caller takes part in inner loops meanwhile.
  void close(LoopPlace& place, LoopFamily* outermost) {
    place.close();
    if (outermost != nullptr) --outermost->active;  // this thread has no round
    const auto is_done = [&] {
      while (outermost != nullptr && !place.is_empty() && take_part(outermost)) {
      }
      return place.is_empty();
    };
    if (!look_for(is_done)) {
      ++waiting_;
      while (true) {
        const unsigned long opened = opened_;
        if (is_done()) break;
        Lock lock(mutex_);
        if (!place.is_empty() && opened_ == opened) changed_.wait(lock);
      }
      --waiting_;
    }
    place.leave_free();
  }

  // In an open loop of the family, or in any.
  bool take_part(const LoopFamily* family) {
    const std::size_t used = used_;
    for (std::size_t i = 0; i < used; ++i) {
      if (!places_[i].enter(family)) continue;
      wake_two(places_[i]);
      const bool has_run = places_[i].run(family);
      if (places_[i].leave(has_run)) wake_callers();
      if (has_run) return true;
    }
    return false;
  }

  // Everyone who comes wakes two more, so that the last of many wakes up soon.
  void wake_two(const LoopPlace& place) {
    if (asleep_ == 0 || !place.has_room()) return;
    const Lock lock(mutex_);
    called_.notify_one();
    called_.notify_one();
  }
  void wake_callers() {
    if (waiting_ == 0) return;
    const Lock lock(mutex_);
    changed_.notify_all();
  }

  // A host that allows no more threads does with those it has.
  void start_threads(int count) {
    const Lock lock(mutex_);
    for (; threads_ < count; ++threads_) {
      try {
        std::thread([this] { serve(); }).detach();
      } catch (const std::system_error&) {
        return;
      }
    }
  }

  void serve() {
    omp_set_num_threads(1);
    while (true) {
      const unsigned long opened = opened_;
      if (take_part(nullptr) || look_for([&] { return opened_ != opened; })) continue;
      Lock lock(mutex_);
      ++asleep_;
      if (opened_ == opened) called_.wait(lock);
      --asleep_;
    }
  }

  std::array<LoopPlace, kPlaces> places_;
  std::atomic<std::size_t> used_ = 0;      // places, so far
  std::atomic<unsigned long> opened_ = 0;  // loops, so far
  std::atomic<int> threads_ = 0;
  std::atomic<int> asleep_ = 0;   // threads
  std::atomic<int> waiting_ = 0;  // callers
  std::mutex mutex_;
  std::condition_variable called_;   // threads without a loop wait for it
  std::condition_variable changed_;  // callers wait for it
};

// Never destroyed: its threads use it until the process ends.
Team* process_team = nullptr;

Team& team_of_process() {
  static std::once_flag once;
  std::call_once(once, [] {
    process_team = new Team;
    // The child of a fork has none of the threads, and the mutex may be held by one of them.
    ::pthread_atfork(nullptr, nullptr, [] { process_team = new Team; });
  });
  return *process_team;
}

}  // namespace

void run_together(int threads, std::size_t most, const std::function<void()>& work) {
  team_of_process().run(threads, most, work);
}

bool is_in_loop() { return family_of_thread != nullptr; }

}  // namespace leafglyph
