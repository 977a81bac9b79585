
#include <gtest/gtest.h>
#include <omp.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <mutex>
#include <new>
#include <set>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "features/base/errors.h"
#include "features/base/threads.h"
#include "tests/support/refusal.h"

namespace leafglyph {
namespace {

using testing::refuses;

constexpr int kThreads = 8;
constexpr std::chrono::microseconds kALittle{2000};

class ParallelForTest : public ::testing::Test {
 protected:
  ParallelForTest() { set_thread_count(kThreads); }
  ~ParallelForTest() override {
    withdraw_interruption();
    set_thread_count(0);
  }
};

// How many threads are in rounds at the same time, and the most so far.
class Crowd {
 public:
  explicit Crowd(int expected) : expected_(expected) {}

  /// One thread, until as many as expected have been here at once, and a little longer, in which
  /// more could come. Gives up after ten seconds.
  void stay() {
    const int now = ++present_;
    int before = most_;
    while (before < now && !most_.compare_exchange_weak(before, now)) {
    }
    const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(10);
    while (most_ < expected_ && std::chrono::steady_clock::now() < end) std::this_thread::yield();
    std::this_thread::sleep_for(kALittle);
    --present_;
  }
  int most() const { return most_; }

 private:
  int expected_;
  std::atomic<int> present_ = 0;
  std::atomic<int> most_ = 0;
};

// invariant: every round runs once, for any number of rounds handed out in any way
TEST_F(ParallelForTest, EveryRoundRunsOnce) {
  for (const std::size_t count : {0, 1, 2, 7, 8, 100}) {
    for (const std::size_t at_a_time : {1, 3, 16}) {
      std::vector<int> runs(count, 0);
      parallel_for({count, at_a_time, /*serial=*/2}, [&](std::size_t i) { ++runs[i]; });
      EXPECT_EQ(runs, std::vector<int>(count, 1)) << count << ", " << at_a_time << " at a time";
    }
  }
}

// mechanics: when several threads throw at once, one exception arrives, that of the lowest round
TEST_F(ParallelForTest, TheLowestOfTheRoundsThatThrewIsThrown) {
  std::atomic<int> begun = 0;
  const auto job = [&](std::size_t i) {
    ++begun;
    while (begun < kThreads) std::this_thread::yield();  // all threads are in a round
    throw std::runtime_error(std::to_string(i));
  };
  try {
    parallel_for(1000, job);
    FAIL() << "nothing was thrown";
  } catch (const std::runtime_error& error) {
    EXPECT_STREQ(error.what(), "0");  // rounds are handed out in increasing order
  }
  EXPECT_EQ(begun, kThreads) << "rounds begun after the first had thrown";
}

// mechanics: exceptions from creating a thread's scratch are caught, too
TEST_F(ParallelForTest, ScratchThatCannotBeMadeIsAnExceptionOfTheCaller) {
  std::atomic<int> made = 0;
  const auto make_job = [&]() -> RoundJob {
    if (++made == kThreads) throw std::bad_alloc();
    return [](std::size_t) { std::this_thread::sleep_for(kALittle); };  // until all have come
  };
  EXPECT_THROW(parallel_for_with_scratch({1000}, make_job), std::bad_alloc);
  EXPECT_EQ(made, kThreads);
}

// mechanics: no two threads share a scratch.
TEST_F(ParallelForTest, EveryThreadHasAScratchOfItsOwn) {
  std::vector<int> sums(1000);
  parallel_for_with_scratch({sums.size()}, [&]() -> RoundJob {
    return [&sums, scratch = std::vector<int>(2)](std::size_t i) mutable {
      scratch.assign(2, static_cast<int>(i));
      sums[i] = scratch[0] + scratch[1];
    };
  });
  for (std::size_t i = 0; i < sums.size(); ++i) EXPECT_EQ(sums[i], static_cast<int>(2 * i));
}

// mechanics: the loop ends early and throws.
TEST_F(ParallelForTest, AnInterruptionEndsTheLoop) {
  std::atomic<int> begun = 0;
  const auto job = [&](std::size_t) {
    ++begun;
    request_interruption();
  };
  EXPECT_THROW(parallel_for(1000, job), Interrupted);
  EXPECT_LE(begun, kThreads);  // one for each thread that had checked before
  begun = 0;
  EXPECT_THROW(parallel_for(1, job), Interrupted);
  EXPECT_EQ(begun, 0);
  withdraw_interruption();
  EXPECT_NO_THROW(parallel_for(1, job));
}

// mechanics: what is refused, and how.
TEST(ThreadCount, AbsurdNumbersAreRefusedWithTheLimit) {
  EXPECT_THROW(set_thread_count(-1), UsageError);
  // No machine has 250,000 processors.
  EXPECT_TRUE(refuses<UsageError>([] { set_thread_count(1'000'000); }, "use 1 to "));
  set_thread_count(64);
  EXPECT_EQ(thread_count(), 64);
  set_thread_count(0);
}

// mechanics: in a loop of two rounds on four threads, the rounds of loops within are each run once,
// by more threads than two, and what they throw arrives where their loop was called.
TEST(ParallelFor, IdleThreadsHelpWithin) {
  const int threads = thread_count();
  set_thread_count(4);
  constexpr std::size_t kInner = 200;
  std::vector<std::atomic<int>> runs(2 * kInner);
  std::mutex lock;
  std::set<std::thread::id> helpers;
  std::atomic<int> thrown = 0;
  parallel_for(2, [&](std::size_t outer) {
    parallel_for({.count = kInner, .helps_within = true}, [&](std::size_t i) {
      ++runs[outer * kInner + i];
      std::this_thread::sleep_for(std::chrono::microseconds(200));
      const std::scoped_lock held(lock);
      helpers.insert(std::this_thread::get_id());
    });
    try {
      parallel_for({.count = kInner, .helps_within = true}, [&](std::size_t i) {
        if (i % 3 == outer) throw std::runtime_error(std::to_string(i));
      });
    } catch (const std::runtime_error& error) {
      thrown += std::stoul(error.what()) % 3 == outer;
    }
  });
  set_thread_count(threads);
  EXPECT_TRUE(std::ranges::all_of(runs, [](const std::atomic<int>& run) { return run == 1; }));
  EXPECT_GT(helpers.size(), 2U);
  EXPECT_EQ(thrown, 2);
}

// mechanics: a loop has the threads that are allowed, several loops at once have theirs, BLAS has
// one in a round and its own number afterwards.
TEST_F(ParallelForTest, HasTheThreadsThatAreAllowed) {
  set_thread_count(3);
  Crowd crowd(3);
  parallel_for(30, [&](std::size_t) {
    EXPECT_EQ(omp_get_max_threads(), 1);
    crowd.stay();
  });
  EXPECT_EQ(crowd.most(), 3);
  EXPECT_EQ(omp_get_max_threads(), 3);
  Crowd both(2);
  const auto loop = [&both] {
    set_thread_count(2);
    parallel_for(50, [&both](std::size_t) { both.stay(); });
  };
  std::jthread other(loop);
  loop();
  other.join();
  EXPECT_LE(both.most(), 4);
}

// mechanics: threads that have no round of the outer loop take rounds of the inner one, the caller
// that waits, too; both together have no more threads than the outer one may have.
TEST_F(ParallelForTest, AllThreadsHelpWithinAndNoMore) {
  set_thread_count(4);
  for (const std::size_t outer : {2U, 3U, 9U}) {
    Crowd crowd(4);
    std::atomic<int> rounds = 0;
    parallel_for(outer, [&](std::size_t) {
      parallel_for({.count = 12, .helps_within = true}, [&](std::size_t) {
        crowd.stay();
        ++rounds;
      });
    });
    EXPECT_EQ(rounds, 12 * static_cast<int>(outer));
    EXPECT_EQ(crowd.most(), 4) << outer;
  }
}

// regression: the child of a fork has none of the parent's threads (OpenMP's loops hang there).
TEST_F(ParallelForTest, WorksInAChildProcess) {
  set_thread_count(4);
  parallel_for(40, [](std::size_t) { std::this_thread::sleep_for(kALittle); });
  const pid_t child = ::fork();
  if (child == 0) {
    ::alarm(20);  // ends it if it hangs
    std::atomic<int> rounds = 0;
    Crowd crowd(4);
    parallel_for(40, [&](std::size_t) {
      crowd.stay();
      ++rounds;
    });
    ::_exit(rounds == 40 && crowd.most() == 4 ? 0 : 1);
  }
  int status = -1;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
}

}  // namespace
}  // namespace leafglyph
