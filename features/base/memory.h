// How much memory there is, and turns for what many threads would take at once.
#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <string_view>

namespace leafglyph {

/// How much memory this process may take in all, in bytes; 0: as much as there is. Work is planned
/// by it: what alone needs more is refused, and threads wait for each other where all of them
/// together would.
void set_memory_limit(std::size_t bytes);

/// The least limit by which anything can be done: what the process takes already and what is never
/// asked about.
std::size_t least_memory_limit();

/// A limit from "1048576", "512M" or "4G"; K, M, G and T are powers of 1024, with B or iB behind
/// them or not. Throws UsageError for what is no such size.
std::size_t memory_limit_from(std::string_view text);

/// Throws UsageError for what is no size, or is below least_memory_limit(), which is named then.
void check_memory_limit(std::string_view text);

/// Bytes that new allocations can use without swapping: the least of what the machine has free,
/// what the control groups of the process leave (a job of a cluster has one), what its address
/// space leaves (ulimit -v) and what the limit of set_memory_limit leaves; the largest number when
/// nothing says.
std::size_t available_memory_bytes();

/// What control groups leave of their memory, by version 1 or 2: `groups` is a file such as
/// /proc/self/cgroup, `mount` the folder where the hierarchies are, such as /sys/fs/cgroup. Files
/// that are only cached do not count as used. The largest number when no group has a limit.
std::size_t memory_left_in_groups(const std::filesystem::path& groups,
                                  const std::filesystem::path& mount);

/// "3.5 GiB", "120 MiB"
std::string bytes_text(std::size_t bytes);

/// Refuses what does not fit, before it is taken: throws InputError "`what` needs 3.5 GiB of memory
/// and 120 MiB are free; `advice`" when `bytes` are more than available_memory_bytes(). Where the
/// machine has them and the limit does not allow them it is MachineError with the code of wrong
/// usage, and names the least limit that would do: "`advice`, or allow 3700M". A floating-point
/// number, so that sizes of absurd requests do not wrap round.
void check_memory(double bytes, const std::string& what, const std::string& advice);

/// Memory that threads take in turns, so that all of them together need no more than there is:
/// half of what is free when the first one asks, all that a limit leaves where one is set.
class MemoryTurn {
 public:
  MemoryTurn() = default;
  /// take(), for work on this thread alone: turns within it do not wait.
  MemoryTurn(double bytes, const std::string& what);
  ~MemoryTurn();
  MemoryTurn(const MemoryTurn&) = delete;
  MemoryTurn& operator=(const MemoryTurn&) = delete;

  /// Waits until `bytes` fit beside what other turns have taken, and takes them until the end of
  /// this object's life, at most once. Throws MachineError, as check_memory words it ("allow more",
  /// or the least limit), for what does not even fit alone, and Interrupted while it waits.
  void take(double bytes, const std::string& what);

 private:
  double bytes_ = 0;
  bool is_scope_ = false;
};

}  // namespace leafglyph
