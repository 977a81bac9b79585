// The threads that help with short loops, and how many threads a loop gets.
#include "features/base/helper_threads.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <limits>
#include <mutex>
#include <set>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "features/base/control_groups.h"
#include "features/base/errors.h"
#include "features/base/files.h"
#include "features/base/threads.h"
#include "tests/support/temporary_folder.h"

namespace leafglyph {
namespace {

/// A number of threads until the end of the scope.
class Threads {
 public:
  explicit Threads(int threads) : before_(thread_count()) { set_thread_count(threads); }
  ~Threads() { set_thread_count(before_); }
  Threads(const Threads&) = delete;
  Threads& operator=(const Threads&) = delete;

 private:
  int before_;
};

// mechanics: as many threads as were asked for work at the same time, the caller among them, and
// all have ended at the return.
TEST(HelperThreads, AsManyAsAskedFor) {
  for (const int helpers : {0, 1, 3, 7}) {
    std::atomic<int> begun = 0;
    std::atomic<int> ended = 0;
    std::atomic<bool> caller = false;
    run_with_helpers(helpers, [&, self = std::this_thread::get_id()] {
      EXPECT_TRUE(is_in_helped_loop());
      if (std::this_thread::get_id() == self) caller = true;
      ++begun;
      while (begun <= helpers) std::this_thread::yield();
      ++ended;
    });
    EXPECT_TRUE(caller);
    EXPECT_EQ(ended, helpers + 1);
    EXPECT_FALSE(is_in_helped_loop());
  }
  EXPECT_GE(helper_count(), 7);
  EXPECT_LE(helper_count(), kMostHelpers);
}

// invariant: loops of several callers at once, of every length, are each complete at their return.
TEST(HelperThreads, LoopsOfSeveralCallersAreComplete) {
  std::vector<std::jthread> callers;
  std::atomic<int> wrong = 0;
  for (int caller = 0; caller < 4; ++caller) {
    callers.emplace_back([&wrong] {
      const Threads many(40);
      const HelpedLoops helped;
      for (std::size_t repeat = 0; repeat < 2000; ++repeat) {
        std::vector<int> runs(repeat % 40, 0);
        parallel_for({.count = runs.size(), .at_a_time = 1 + repeat % 3},
                     [&](std::size_t i) { ++runs[i]; });
        wrong += !std::ranges::all_of(runs, [](int run) { return run == 1; });
      }
    });
  }
  callers.clear();
  EXPECT_EQ(wrong, 0);
}

// mechanics: the exception of the lowest round arrives; a loop within is run by its own thread.
TEST(HelperThreads, FailuresArriveAndLoopsWithinStayOnTheirThread) {
  const Threads many(40);
  const HelpedLoops helped;
  std::atomic<int> begun = 0;
  try {
    parallel_for(1000, [&](std::size_t i) {
      ++begun;
      while (begun < 8) std::this_thread::yield();
      throw std::runtime_error(std::to_string(i));
    });
    FAIL() << "nothing was thrown";
  } catch (const std::runtime_error& error) {
    EXPECT_STREQ(error.what(), "0");
  }
  std::atomic<int> elsewhere = 0;
  parallel_for(20, [&](std::size_t) {
    EXPECT_EQ(thread_count(), 1);
    parallel_for(20, [&, self = std::this_thread::get_id()](std::size_t) {
      elsewhere += std::this_thread::get_id() != self;
    });
  });
  EXPECT_EQ(elsewhere, 0);
}

// mechanics: an interruption ends the loop.
TEST(HelperThreads, AnInterruptionEndsTheLoop) {
  const Threads many(40);
  const HelpedLoops helped;
  EXPECT_THROW(parallel_for(1000, [](std::size_t) { request_interruption(); }), Interrupted);
  withdraw_interruption();
}

// mechanics: a forked process gets helpers of its own.
TEST(HelperThreads, AForkedProcessHasItsOwn) {
  run_with_helpers(2, [] {});
  const pid_t child = ::fork();
  if (child == 0) {
    std::atomic<int> begun = 0;
    run_with_helpers(2, [&] {
      ++begun;
      while (begun <= 2) std::this_thread::yield();
    });
    ::_exit(begun);
  }
  int status = 0;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFEXITED(status));
  EXPECT_EQ(WEXITSTATUS(status), 3);
}

// mechanics: a loop whose work is stated and short gets one thread; others get all, among
// HelpedLoops at most so many; a loop within another one gets one.
TEST(ThreadsFor, FollowTheWork) {
  const Threads many(40);
  EXPECT_EQ(threads_for({.count = 1}), 1);
  EXPECT_EQ(threads_for({.count = 4, .serial = 4}), 1);
  EXPECT_EQ(threads_for({.count = 100}), 40);
  EXPECT_EQ(threads_for({.count = 100, .nanoseconds = 10}), 1);
  EXPECT_EQ(threads_for({.count = 100, .nanoseconds = 10'000}), 40);
  {
    const HelpedLoops helped;
    EXPECT_EQ(threads_for({.count = 100}), kMostHelped);
    EXPECT_EQ(threads_for({.count = 100, .most_threads = 4}), 4);
    EXPECT_EQ(threads_for({.count = 100, .nanoseconds = 10}), 1);
    const Threads few(8);  // so small a team takes part as a whole
    EXPECT_EQ(threads_for({.count = 100, .most_threads = 4}), 8);
  }
  parallel_for(2, [](std::size_t) { EXPECT_EQ(threads_for({.count = 100}), 1); });
  EXPECT_EQ(threads_for({.count = 100}), 40);
}

// mechanics: threads that set no number take the default, in OpenMP, too.
TEST(ThreadCountDefault, IsForThreadsThatSetNone) {
  const int before = thread_count();
  set_default_thread_count(3);
  EXPECT_EQ(thread_count(), 3);
  int of_other = 0;
  std::jthread([&] { of_other = thread_count(); }).join();
  EXPECT_EQ(of_other, 3);
  set_default_thread_count(0);
  EXPECT_EQ(thread_count(), processor_count());
  set_thread_count(before);
}

// oracle: the smallest quota of the groups around the process, for both versions.
TEST(ControlGroups, ProcessorsOfTheSmallestQuota) {
  const TemporaryFolder folder;
  const auto group = [&](const char* name) {
    std::filesystem::create_directories(folder / name);
    return folder / name;
  };
  write_file(folder / "groups", "0::/job/step\n");
  EXPECT_EQ(processors_of_groups(folder / "groups", folder.path()),
            std::numeric_limits<double>::max());
  write_file(group("job/step") / "cpu.max", "max 100000\n");
  write_file(group("job") / "cpu.max", "250000 100000\n");
  EXPECT_EQ(processors_of_groups(folder / "groups", folder.path()), 2.5);
  write_file(group("job/step") / "cpu.max", "50000 100000\n");
  EXPECT_EQ(processors_of_groups(folder / "groups", folder.path()), 0.5);

  write_file(folder / "groups1", "5:cpuset:/x\n4:cpu,cpuacct:/job\n3:memory:/job\n");
  write_file(group("cpu/job") / "cpu.cfs_quota_us", "400000\n");
  write_file(group("cpu/job") / "cpu.cfs_period_us", "100000\n");
  EXPECT_EQ(processors_of_groups(folder / "groups1", folder.path()), 4.0);
  write_file(group("cpu/job") / "cpu.cfs_quota_us", "-1\n");
  EXPECT_EQ(processors_of_groups(folder / "groups1", folder.path()),
            std::numeric_limits<double>::max());
}

}  // namespace
}  // namespace leafglyph
