// The free memory, and reservations for what threads use at the same time.
#include "features/base/memory.h"

#include <gtest/gtest.h>

#include <atomic>
#include <limits>
#include <string>
#include <thread>
#include <vector>

#include "features/base/errors.h"
#include "features/base/files.h"
#include "tests/support/refusal.h"
#include "tests/support/temporary_folder.h"

namespace leafglyph {
namespace {

using testing::refusal;

namespace fs = std::filesystem;

constexpr std::size_t kMebibyte = std::size_t{1} << 20;
constexpr std::size_t kUnlimited = std::numeric_limits<std::size_t>::max();

/// A limit for the lifetime of this object.
class Limit {
 public:
  explicit Limit(std::size_t bytes) { set_memory_limit(bytes); }
  ~Limit() { set_memory_limit(0); }
  Limit(const Limit&) = delete;
  Limit& operator=(const Limit&) = delete;
};

void write_group(const fs::path& folder, const std::string& limit, const std::string& used,
                 const std::string& statistics) {
  fs::create_directories(folder);
  write_file(folder / "memory.max", limit);
  write_file(folder / "memory.current", used);
  write_file(folder / "memory.stat", statistics);
}

// oracle: the least that any group around the process has free; cached files do not count as used.
TEST(Memory, GroupsOfVersion2) {
  const TemporaryFolder folder;
  write_file(folder / "groups", "0::/job/step\n");
  write_group(folder / "job", "1000\n", "700\n", "anon 500\ninactive_file 200\n");
  write_group(folder / "job/step", "max\n", "700\n", "");
  EXPECT_EQ(memory_left_in_groups(folder / "groups", folder.path()), 500);
  write_group(folder / "job/step", "800\n", "700\n", "inactive_file 100\n");
  EXPECT_EQ(memory_left_in_groups(folder / "groups", folder.path()), 200);
  write_group(folder / "job/step", "600\n", "700\n", "");
  EXPECT_EQ(memory_left_in_groups(folder / "groups", folder.path()), 0);
}

// oracle: the same for version 1, whose hierarchies have separate folders.
TEST(Memory, GroupsOfVersion1) {
  const TemporaryFolder folder;
  write_file(folder / "groups", "5:cpu,cpuacct:/x\n4:memory:/job\n");
  fs::create_directories(folder / "memory/job");
  write_file(folder / "memory/job/memory.limit_in_bytes", "1000\n");
  write_file(folder / "memory/job/memory.usage_in_bytes", "900\n");
  write_file(folder / "memory/job/memory.stat", "cache 300\ntotal_inactive_file 250\n");
  EXPECT_EQ(memory_left_in_groups(folder / "groups", folder.path()), 350);
}

// mechanics: no groups, groups without limits, damaged lines.
TEST(Memory, NoGroupNoLimit) {
  const TemporaryFolder folder;
  EXPECT_EQ(memory_left_in_groups(folder / "none", folder.path()), kUnlimited);
  write_file(folder / "groups", "0::/\nnothing\n1:\n");
  EXPECT_EQ(memory_left_in_groups(folder / "groups", folder.path()), kUnlimited);
}

// mechanics: a limit includes what the process uses already.
TEST(Memory, LimitLessWhatIsUsed) {
  const Limit limit(2048 * kMebibyte);
  EXPECT_LT(available_memory_bytes(), 2048 * kMebibyte);
  set_memory_limit(kMebibyte);
  EXPECT_EQ(available_memory_bytes(), 0);
  EXPECT_THROW(check_memory(100.0 * kMebibyte, "this", "use less"), MachineError);
}

// The number of mebibytes before the last "M" of a message.
double mebibytes_at_end(const std::string& message) {
  return std::stod(message.substr(message.rfind(' ') + 1));
}

// mechanics: a request that the machine could meet but the limit does not allow is wrong usage; the
// message names the smallest sufficient limit, and with that limit the request is granted.
TEST(Memory, TheLimitThatWouldDoIsNamed) {
  if (available_memory_bytes() < 1024 * kMebibyte) GTEST_SKIP() << "too little memory is free";
  const double bytes = 500.0 * kMebibyte;
  const auto refusal = [&](const auto& ask) {
    const Limit limit(least_memory_limit());
    try {
      ask();
    } catch (const MachineError& error) {
      EXPECT_EQ(error.code(), ExitCode::kUsage);
      return std::string(error.what());
    }
    ADD_FAILURE() << "was taken";
    return std::string("0M");
  };
  const auto check = [&] { check_memory(bytes, "scan.tif", "use less"); };
  const auto take = [&] {
    MemoryReservation reservation;
    reservation.take(bytes, "scan.tif");
  };
  for (const std::string& message : {refusal(check), refusal(take)}) {
    EXPECT_TRUE(message.starts_with("scan.tif needs 500 MiB of memory and ")) << message;
    // The tests' own memory grows a little in the meantime.
    const auto named = static_cast<std::size_t>(mebibytes_at_end(message) + 8) * kMebibyte;
    EXPECT_GT(named, 500 * kMebibyte);
    const Limit limit(named);
    EXPECT_NO_THROW(check());
    EXPECT_NO_THROW(take());
  }
}

// oracle: sizes written out by hand.
TEST(Memory, LimitsAreSizes) {
  EXPECT_EQ(memory_limit_from("1048576"), kMebibyte);
  for (const char* text : {"512M", "512m", "512MB", "512MiB", "512mib", "524288K", "536870912B"}) {
    EXPECT_EQ(memory_limit_from(text), 512 * kMebibyte) << text;
  }
  EXPECT_EQ(memory_limit_from("4G"), 4096 * kMebibyte);
  EXPECT_EQ(memory_limit_from("2T"), 2048 * 1024 * kMebibyte);
  EXPECT_EQ(memory_limit_from("18446744073709551615T"), std::size_t{1} << 62);
}

// mechanics: texts that are not sizes are refused, and so are limits below what the program itself
// needs; the smallest limit named is sufficient.
TEST(Memory, OtherLimitsAreRefused) {
  for (const char* text :
       {"", "-1", "+1G", " 1G", "1 G", "1G ", "lots", "M", "1.5G", "1e9", "0x10", "nan", "inf",
        "1GG", "1iB", "1GBi", "1P", "99999999999999999999", "١G"}) {
    EXPECT_THROW(memory_limit_from(text), UsageError) << text;
    EXPECT_THROW(check_memory_limit(text), UsageError) << text;
  }
  for (const char* text : {"0", "00", "0K", "0G", "1", "10", "10K", "1M", "16M"}) {
    const std::string message = refusal<UsageError>([&] { check_memory_limit(text); });
    const std::size_t use = message.rfind("use ") + 4;
    EXPECT_NO_THROW(check_memory_limit(message.substr(use, message.find(' ', use) - use)))
        << text << ": " << message;
  }
}

// invariant: reservations together never exceed the limit; none waits forever.
TEST(Memory, ReservationsTakeNoMoreThanThereIs) {
  const std::size_t limit_bytes = 1024 * kMebibyte;
  const Limit limit(limit_bytes);
  const double each = 0.4 * static_cast<double>(limit_bytes);
  std::atomic<int> inside{0}, most{0}, done{0};
  {
    std::vector<std::jthread> threads;
    threads.reserve(8);
    for (int t = 0; t < 8; ++t) {
      threads.emplace_back([&] {
        for (int i = 0; i < 20; ++i) {
          MemoryReservation reservation;
          reservation.take(each, "this");
          const int now = ++inside;
          for (int seen = most; now > seen && !most.compare_exchange_weak(seen, now);) {
          }
          std::this_thread::yield();
          --inside;
        }
        ++done;
      });
    }
  }
  EXPECT_EQ(done, 8);
  EXPECT_LE(most, 2);
}

// mechanics: a reservation within a scope of its own thread does not wait; it would wait for
// itself.
TEST(Memory, ReservationsWithinAScopeDoNotWait) {
  const Limit limit(1024 * kMebibyte);
  const double most_of_it = 600.0 * kMebibyte;
  const MemoryReservation scope(most_of_it, "this");
  MemoryReservation within;
  within.take(most_of_it, "that");
  EXPECT_FALSE(interrupted());
}

// mechanics: a request too large even alone is a fault of the machine, and names both sizes.
TEST(Memory, WhatDoesNotFitAloneIsRefused) {
  if (available_memory_bytes() > (std::size_t{1} << 46)) GTEST_SKIP() << "memory is not known";
  MemoryReservation reservation;
  const std::string message = refusal<MachineError>([&] { reservation.take(1e18, "scan.tif"); });
  EXPECT_TRUE(message.starts_with("scan.tif needs 931322574.6 GiB of memory and ")) << message;
  EXPECT_TRUE(message.ends_with(" are free; allow more")) << message;
  reservation.take(1.0, "this");  // nothing of the refused request is kept
}

// mechanics: a waiting thread can be interrupted.
TEST(Memory, WaitingEndsWithInterruption) {
  const Limit limit(1024 * kMebibyte);
  MemoryReservation first;
  first.take(600.0 * kMebibyte, "this");
  std::atomic<bool> ended{false};
  std::jthread other([&] {
    MemoryReservation reservation;
    EXPECT_THROW(reservation.take(600.0 * kMebibyte, "that"), Interrupted);
    ended = true;
  });
  request_interruption();
  other.join();
  withdraw_interruption();
  EXPECT_TRUE(ended);
}

}  // namespace
}  // namespace leafglyph
