// How many threads a loop gets.
#include "features/base/threads.h"

#include <gtest/gtest.h>
#include <omp.h>

#include <limits>
#include <thread>

#include "features/base/control_groups.h"
#include "features/base/files.h"
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

// mechanics: a loop whose work is stated and short gets one thread; others get all; a loop within
// another one gets one.
TEST(ThreadsFor, FollowTheWork) {
  const Threads many(40);
  EXPECT_EQ(threads_for({.count = 1}), 1);
  EXPECT_EQ(threads_for({.count = 4, .serial = 4}), 1);
  EXPECT_EQ(threads_for({.count = 100}), 40);
  EXPECT_EQ(threads_for({.count = 100, .nanoseconds = 10}), 1);
  EXPECT_EQ(threads_for({.count = 100, .nanoseconds = 10'000}), 40);
  parallel_for(2, [](std::size_t) { EXPECT_EQ(threads_for({.count = 100}), 1); });
  EXPECT_EQ(threads_for({.count = 100}), 40);
}

// mechanics: teams are smaller until the end of the scope, never larger, BLAS's, too; the number
// before comes back, in a scope within another and on a thread that has set none.
TEST(SmallTeams, LastForTheScope) {
  constexpr int kMost = 16;
  const Threads many(40);
  {
    const SmallTeams teams(kMost);
    EXPECT_EQ(threads_for({.count = 100}), kMost);
    EXPECT_EQ(omp_get_max_threads(), kMost);
    {
      const SmallTeams smaller(0);
      EXPECT_EQ(threads_for({.count = 100}), 1);
    }
    const SmallTeams larger(100);
    EXPECT_EQ(threads_for({.count = 100}), kMost);
  }
  EXPECT_EQ(threads_for({.count = 100}), 40);
  int of_other = 0;
  std::jthread([&of_other] { of_other = thread_count(); }).join();
  std::jthread([of_other] {
    { const SmallTeams teams(1); }
    EXPECT_EQ(omp_get_max_threads(), of_other);
  }).join();
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
