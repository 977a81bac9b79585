#include "features/base/memory.h"

#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cctype>
#include <chrono>
#include <cmath>
#include <condition_variable>
#include <cstdint>
#include <cstdio>
#include <fstream>
#include <limits>
#include <mutex>
#include <optional>
#include <string_view>

#include "features/base/control_groups.h"
#include "features/base/errors.h"
#include "features/base/lines.h"
#include "features/base/numbers.h"

namespace leafglyph {

namespace {

namespace fs = std::filesystem;

constexpr double kMebibyte = 1024.0 * 1024.0;
constexpr std::size_t kUnlimited = std::numeric_limits<std::size_t>::max();

std::atomic<std::size_t> memory_limit{0};

std::size_t free_of_machine() {
  std::ifstream info("/proc/meminfo");
  std::string key;
  std::size_t kibibytes = 0;
  std::string unit;
  while (info >> key >> kibibytes && next_line(info, unit, "/proc/meminfo")) {
    if (key == "MemAvailable:") return kibibytes * 1024;
  }
  return kUnlimited;
}

std::size_t less(std::size_t all, std::size_t used) { return all > used ? all - used : 0; }

std::size_t cached_files(const fs::path& statistics, std::string_view name) {
  std::ifstream stream(statistics);
  std::string key;
  std::size_t bytes = 0;
  while (stream >> key >> bytes) {
    if (key == name) return bytes;
  }
  return 0;
}

/// File names of one version of control groups.
struct GroupFiles {
  const char* limit;
  const char* used;
  const char* cached;
};
constexpr GroupFiles kVersion1 = {"memory.limit_in_bytes", "memory.usage_in_bytes",
                                  "total_inactive_file"};
constexpr GroupFiles kVersion2 = {"memory.max", "memory.current", "inactive_file"};

// The bytes that a group has free; the largest number if it has no limit.
std::size_t left_in(const fs::path& folder, const GroupFiles& files) {
  const auto limit = number_in_group(folder / files.limit);
  const auto used = number_in_group(folder / files.used);
  if (!limit || !used) return kUnlimited;
  return less(*limit, less(*used, cached_files(folder / "memory.stat", files.cached)));
}

/// Bytes that this process uses.
struct OwnMemory {
  std::size_t addresses = 0;
  std::size_t resident = 0;
};
OwnMemory own_memory() {
  std::ifstream stream("/proc/self/statm");
  OwnMemory own;
  stream >> own.addresses >> own.resident;
  const auto page = static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
  return {own.addresses * page, own.resident * page};
}

/// The total of all reservations.
struct Reserved {
  std::mutex mutex;
  std::condition_variable given_back;
  double bytes = 0;
  double most = 0;  ///< 0: not yet determined
};
Reserved& reserved() {
  static Reserved instance;
  return instance;
}

}  // namespace

void set_memory_limit(std::size_t bytes) {
  const std::lock_guard lock(reserved().mutex);
  memory_limit = bytes;
  reserved().most = 0;
}

std::size_t memory_left_in_groups(const fs::path& groups, const fs::path& mount) {
  std::size_t left = kUnlimited;
  for_each_control_group(
      groups, mount, "memory", [&](const fs::path& folder, GroupVersion version) {
        left = std::min(left, left_in(folder, version == GroupVersion::k1 ? kVersion1 : kVersion2));
      });
  return left;
}

namespace {

/// Free bytes.
struct Free {
  std::size_t of_machine = kUnlimited;  ///< of the machine, and of the groups and limits that
                                        ///< confine the process
  std::size_t of_limit = kUnlimited;
};

Free free_memory() {
  Free free;
  free.of_machine =
      std::min(free_of_machine(), memory_left_in_groups("/proc/self/cgroup", "/sys/fs/cgroup"));
  const OwnMemory own = own_memory();
  rlimit addresses{};
  if (::getrlimit(RLIMIT_AS, &addresses) == 0 && addresses.rlim_cur != RLIM_INFINITY) {
    free.of_machine = std::min(free.of_machine, less(addresses.rlim_cur, own.addresses));
  }
  if (memory_limit != 0) free.of_limit = less(memory_limit, own.resident);
  return free;
}

}  // namespace

std::size_t available_memory_bytes() {
  const Free free = free_memory();
  return std::min(free.of_machine, free.of_limit);
}

namespace {

std::string text_of(double bytes) {
  const double mebibytes = bytes / kMebibyte;
  char text[64];
  if (mebibytes < 1024.0) {
    std::snprintf(text, sizeof text, "%.0f MiB", mebibytes);
  } else {
    std::snprintf(text, sizeof text, "%.1f GiB", mebibytes / 1024.0);
  }
  return text;
}

// Requests up to this size are granted without reading the system's free memory: every machine has
// as much.
constexpr double kAlwaysThere = 16.0 * 1024 * 1024;

// The bytes in the form that memory_limit_from reads, rounded up.
std::string limit_text(double bytes) {
  return std::to_string(static_cast<std::uint64_t>(std::ceil(bytes / kMebibyte))) + "M";
}

/// What is missing for a task.
struct Shortage {
  std::string text;  ///< "... needs 3.5 GiB of memory and 120 MiB are free; "; empty: it fits
  double least = 0;  ///< the lowest limit that suffices, if only the limit is too low
};

Shortage shortage_of(double bytes, const std::string& what) {
  if (bytes <= kAlwaysThere) return {};
  const Free free = free_memory();
  const auto left = static_cast<double>(std::min(free.of_machine, free.of_limit));
  if (bytes <= left) return {};
  Shortage shortage;
  shortage.text =
      what + " needs " + text_of(bytes) + " of memory and " + text_of(left) + " are free; ";
  if (bytes <= static_cast<double>(free.of_machine)) {
    shortage.least = static_cast<double>(own_memory().resident) + bytes;
  }
  return shortage;
}

// Parses digits and an optional unit.
std::optional<double> size_from(std::string_view text) {
  const std::size_t digits = std::min(text.find_first_not_of("0123456789"), text.size());
  const auto number = number_in<std::uint64_t>(text.substr(0, digits));
  if (!number) return std::nullopt;
  std::string unit(text.substr(digits));
  std::ranges::transform(unit, unit.begin(),
                         [](unsigned char c) { return static_cast<char>(std::toupper(c)); });
  constexpr std::string_view kPowers = "KMGT";
  const std::size_t power = unit.empty() ? std::string_view::npos : kPowers.find(unit.front());
  const bool has_power = power != std::string_view::npos;
  const std::string_view rest = std::string_view(unit).substr(has_power ? 1 : 0);
  if (!rest.empty() && rest != "B" && !(has_power && rest == "IB")) return std::nullopt;
  return static_cast<double>(*number) *
         (has_power ? std::pow(1024.0, static_cast<double>(power + 1)) : 1.0);
}

double most_at_once() {
  const auto available = static_cast<double>(available_memory_bytes());
  return memory_limit != 0 ? available : available / 2;
}

// Scopes open on this thread. Inside a scope nothing waits, because it could be waiting for its own
// memory.
thread_local int scopes = 0;

}  // namespace

std::size_t least_memory_limit() {
  // The program's own memory differs slightly from run to run.
  const double bytes = static_cast<double>(own_memory().resident) + kAlwaysThere;
  return static_cast<std::size_t>(std::ceil(bytes / kAlwaysThere) * kAlwaysThere);
}

std::size_t memory_limit_from(std::string_view text) {
  const std::optional<double> bytes = size_from(text);
  if (!bytes) {
    throw UsageError("'" + std::string(text) + "' is not valid; use a size such as 512M or 4G");
  }
  // No machine has more memory.
  return static_cast<std::size_t>(std::min(*bytes, std::ldexp(1.0, 62)));
}

void check_memory_limit(std::string_view text) {
  const std::size_t least = least_memory_limit();
  if (memory_limit_from(text) >= least) return;
  throw UsageError("'" + std::string(text) + "' is not enough; the program alone needs more: use " +
                   limit_text(static_cast<double>(least)) + " or more");
}

std::string bytes_text(std::size_t bytes) { return text_of(static_cast<double>(bytes)); }

void check_memory(double bytes, const std::string& what, const std::string& advice) {
  const Shortage shortage = shortage_of(bytes, what);
  if (shortage.text.empty()) return;
  if (shortage.least == 0) throw InputError(shortage.text + advice);
  throw MachineError(shortage.text + advice + ", or allow " + limit_text(shortage.least),
                     ExitCode::kUsage);
}

MemoryReservation::MemoryReservation(double bytes, const std::string& what) {
  take(bytes, what);
  is_scope_ = true;
  ++scopes;
}

MemoryReservation::~MemoryReservation() {
  if (is_scope_) --scopes;
  if (bytes_ == 0) return;
  Reserved& all = reserved();
  {
    const std::lock_guard lock(all.mutex);
    all.bytes -= bytes_;
  }
  all.given_back.notify_all();
}

void MemoryReservation::take(double bytes, const std::string& what) {
  constexpr std::chrono::milliseconds kBetweenLooks{100};
  Reserved& all = reserved();
  std::unique_lock lock(all.mutex);
  if (all.most == 0) all.most = most_at_once();
  const auto fits = [&] { return scopes > 0 || all.bytes == 0 || all.bytes + bytes <= all.most; };
  while (!all.given_back.wait_for(lock, kBetweenLooks, fits)) throw_if_interrupted();
  const Shortage shortage = bytes > all.most ? shortage_of(bytes, what) : Shortage();
  if (shortage.least > 0) {
    throw MachineError(shortage.text + "allow " + limit_text(shortage.least), ExitCode::kUsage);
  }
  if (!shortage.text.empty()) throw MachineError(shortage.text + "allow more");
  all.bytes += bytes;
  bytes_ = bytes;
}

}  // namespace leafglyph
