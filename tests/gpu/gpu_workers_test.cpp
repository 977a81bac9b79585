// The threads of GPUs that share a transform, without a GPU.
#include "gpu/gpu_workers.h"

#include <gtest/gtest.h>

#include <atomic>
#include <set>
#include <stdexcept>
#include <string>
#include <thread>
#include <tuple>
#include <vector>

#include "features/base/threads.h"

namespace leafglyph::gpu {
namespace {

// mechanics: each worker runs its number on the same thread every time, at the same time as the
// others and with so many threads; one of them is the caller, and no more are started.
TEST(GpuWorkers, StayAndHaveTheirThreads) {
  const int before = thread_count();
  GpuWorkers workers(2);
  workers.on_each(
      1, [](std::size_t) {}, [] {});
  EXPECT_EQ(workers.started(), 0U);
  std::vector<std::set<std::thread::id>> ids(4);
  for (int repeat = 0; repeat < 100; ++repeat) {
    std::atomic<int> begun = 0;
    workers.on_each(
        4,
        [&](std::size_t number) {
          ids[number].insert(std::this_thread::get_id());
          EXPECT_EQ(thread_count(), 2);
          ++begun;
          while (begun < 4) std::this_thread::yield();
        },
        [] {});
    EXPECT_EQ(begun, 4);
  }
  EXPECT_EQ(workers.started(), 3U);
  for (const auto& of_number : ids) EXPECT_EQ(of_number.size(), 1U);
  EXPECT_EQ(*ids[0].begin(), std::this_thread::get_id());
  EXPECT_EQ(thread_count(), before);
}

// mechanics: more than a share of 16 only where half of the host's threads stay free.
TEST(ThreadsOfWorker, AreAShareOfThoseOfTheHost) {
  for (const auto& [threads, workers, expected] : {std::tuple{64, 1, 16},
                                                   {64, 4, 8},
                                                   {32, 2, 8},
                                                   {32, 4, 4},
                                                   {16, 2, 8},
                                                   {2, 1, 2},
                                                   {2, 4, 1}}) {
    EXPECT_EQ(threads_of_worker(static_cast<std::size_t>(workers), threads), expected);
  }
}

// mechanics: fewer than before, and again more.
TEST(GpuWorkers, AsManyAsAreAskedFor) {
  GpuWorkers workers;
  for (const std::size_t count : {3, 2, 5, 1, 4}) {
    std::vector<std::atomic<int>> runs(count);
    workers.on_each(
        count, [&](std::size_t number) { ++runs[number]; }, [] {});
    for (const auto& run : runs) EXPECT_EQ(run, 1);
  }
  EXPECT_EQ(workers.started(), 4U);
}

// mechanics: failures call `stop`, the lowest one arrives, and the workers go on afterwards.
TEST(GpuWorkers, TheFirstFailureArrives) {
  GpuWorkers workers;
  for (const std::size_t failing : {0, 2}) {
    std::atomic<bool> stopped = false;
    try {
      workers.on_each(
          4,
          [&](std::size_t number) {
            if (number >= failing) throw std::runtime_error(std::to_string(number));
            while (!stopped) std::this_thread::yield();
          },
          [&] { stopped = true; });
      FAIL() << "nothing was thrown";
    } catch (const std::runtime_error& error) {
      EXPECT_EQ(error.what(), std::to_string(failing));
    }
    EXPECT_TRUE(stopped);
  }
  int ran = 0;
  workers.on_each(
      2, [&](std::size_t number) { ran += number == 0; }, [] {});
  EXPECT_EQ(ran, 1);
}

}  // namespace
}  // namespace leafglyph::gpu
