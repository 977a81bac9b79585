// The memory budget: how much there is, and reservations that threads wait for.
#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <string_view>

namespace leafglyph {

/// Limits the memory of this process, in bytes; 0: no limit. Work that needs more by itself is
/// refused; threads that need more together wait for each other.
void set_memory_limit(std::size_t bytes);

/// The smallest useful limit: what the process has taken already and what is never checked.
std::size_t least_memory_limit();

/// A limit from "1048576", "512M" or "4G"; K, M, G and T are powers of 1024, with or without B or
/// iB after them. Throws UsageError for anything else.
std::size_t memory_limit_from(std::string_view text);

/// Throws UsageError for anything but a size of at least least_memory_limit(), which it names.
void check_memory_limit(std::string_view text);

/// Bytes that new allocations can use without swapping: the smallest of what is free on the
/// machine, in the control groups of the process (a cluster job has one), in its address space
/// (ulimit -v) and below the limit of set_memory_limit; the largest number when none of these is
/// known.
std::size_t available_memory_bytes();

/// Bytes that control groups (version 1 or 2) have free: `groups` is a file such as
/// /proc/self/cgroup, `mount` the folder of the hierarchies, such as /sys/fs/cgroup. Cached files
/// do not count as used. The largest number when no group has a limit.
std::size_t memory_left_in_groups(const std::filesystem::path& groups,
                                  const std::filesystem::path& mount);

/// "3.5 GiB", "120 MiB"
std::string bytes_text(std::size_t bytes);

/// Refuses work that does not fit before it allocates: throws InputError "`what` needs 3.5 GiB of
/// memory and 120 MiB are free; `advice`" when `bytes` exceed available_memory_bytes(). When only
/// the limit is in the way, throws MachineError with the exit code of wrong usage and the smallest
/// sufficient limit: "`advice`, or allow 3700M". `bytes` is a floating-point number so that absurd
/// requests do not overflow.
void check_memory(double bytes, const std::string& what, const std::string& advice);

/// A share of the memory budget, so that all threads together stay within it: half of what is free
/// when the first one asks, or all that is free below the limit where one is set.
class MemoryReservation {
 public:
  MemoryReservation() = default;
  /// take(), for work on this thread alone: reservations within it do not wait.
  MemoryReservation(double bytes, const std::string& what);
  ~MemoryReservation();
  MemoryReservation(const MemoryReservation&) = delete;
  MemoryReservation& operator=(const MemoryReservation&) = delete;

  /// Waits until `bytes` fit beside all other reservations, and holds them for the life of this
  /// object. Call it at most once. Throws MachineError, worded as by check_memory, when `bytes` do
  /// not even fit alone, and Interrupted while it waits.
  void take(double bytes, const std::string& what);

 private:
  double bytes_ = 0;
  bool is_scope_ = false;
};

}  // namespace leafglyph
