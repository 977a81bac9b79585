#include "gpu/cuda/architectures.h"

#include <algorithm>

#include "features/base/numbers.h"

namespace leafglyph::gpu {
namespace {

struct Architecture {
  int major = 0;
  int minor = 0;
  char suffix = ' ';
  bool has_machine_code = true;
  bool has_ptx = true;
};

// False if the entry has no number.
bool read(std::string_view entry, Architecture& read) {
  const auto number = take_number<int>(entry);
  if (!number) return false;
  read.major = *number / 10;
  read.minor = *number % 10;
  if (entry.starts_with('a') || entry.starts_with('f')) read.suffix = entry.front();
  read.has_machine_code = !entry.ends_with("-virtual");
  read.has_ptx = !entry.ends_with("-real");
  return true;
}

bool runs_on(const Architecture& one, int major, int minor) {
  const bool is_of_major = major == one.major && minor >= one.minor;
  if (one.suffix == 'a') return major == one.major && minor == one.minor;
  if (one.suffix == 'f') return is_of_major;
  return (one.has_machine_code && is_of_major) ||
         (one.has_ptx && (major > one.major || is_of_major));
}

}  // namespace

bool runs_on(std::string_view architectures, int major, int minor) {
  bool has_numbers = false;
  while (!architectures.empty()) {
    const std::size_t end = std::min(architectures.find(','), architectures.size());
    Architecture one;
    if (read(architectures.substr(0, end), one)) {
      has_numbers = true;
      if (runs_on(one, major, minor)) return true;
    }
    architectures.remove_prefix(std::min(end + 1, architectures.size()));
  }
  return !has_numbers;
}

}  // namespace leafglyph::gpu
