#include "classify/serve/work_queue.h"

#include <gtest/gtest.h>

#include <atomic>
#include <future>
#include <stdexcept>
#include <thread>
#include <vector>

#include "classify/http/http_message.h"
#include "features/base/threads.h"

namespace leafglyph {
namespace {

// mechanics: the caller gets the job's result or exception; workers use the requested number of
// threads.
TEST(WorkQueue, JobsAreDoneBeforeRunReturns) {
  WorkQueue queue(2, 4, /*threads=*/1);
  int made = 0, threads = 0;
  queue.run([&] {
    made = 7;
    threads = thread_count();
  });
  EXPECT_EQ(made, 7);
  EXPECT_EQ(threads, 1);
  EXPECT_THROW(queue.run([] { throw std::runtime_error("x"); }), std::runtime_error);
  queue.run([&] { made = 8; });
  EXPECT_EQ(made, 8);
}

// mechanics: with one job running and two waiting, a fourth is refused immediately; the others are
// done, and then there is room again.
TEST(WorkQueue, WhatWouldWaitTooLongIsRefused) {
  WorkQueue queue(1, 2, 1);
  std::promise<void> begun, go;
  std::shared_future<void> gone = go.get_future().share();
  std::vector<std::future<void>> jobs;
  jobs.push_back(std::async(std::launch::async, [&] {
    queue.run([&] {
      begun.set_value();
      gone.wait();
    });
  }));
  begun.get_future().wait();
  std::atomic<int> done = 0;
  std::atomic<int> refused = 0;
  for (int i = 0; i < 5; ++i) {
    jobs.push_back(std::async(std::launch::async, [&] {
      try {
        queue.run([&] { ++done; });
      } catch (const BusyError&) {
        ++refused;
      }
    }));
  }
  while (refused < 3) std::this_thread::yield();
  EXPECT_EQ(done, 0);
  go.set_value();
  for (std::future<void>& job : jobs) job.get();
  EXPECT_EQ(done, 2);
  EXPECT_EQ(refused, 3);
  queue.run([&] { ++done; });
  EXPECT_EQ(done, 3);
}

}  // namespace
}  // namespace leafglyph
