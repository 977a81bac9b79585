#include "features/base/memory.h"

#include <cstdio>
#include <fstream>
#include <limits>

#include "features/base/errors.h"

namespace leafglyph {

std::size_t available_memory_bytes() {
  std::ifstream info("/proc/meminfo");
  std::string key;
  std::size_t kibibytes = 0;
  std::string unit;
  while (info >> key >> kibibytes && std::getline(info, unit)) {
    if (key == "MemAvailable:") return kibibytes * 1024;
  }
  return std::numeric_limits<std::size_t>::max();
}

namespace {

std::string text_of(double bytes) {
  const double mebibytes = bytes / (1024.0 * 1024.0);
  char text[64];
  if (mebibytes < 1024.0) {
    std::snprintf(text, sizeof text, "%.0f MiB", mebibytes);
  } else {
    std::snprintf(text, sizeof text, "%.1f GiB", mebibytes / 1024.0);
  }
  return text;
}

}  // namespace

std::string bytes_text(std::size_t bytes) { return text_of(static_cast<double>(bytes)); }

void check_memory(double bytes, const std::string& what, const std::string& advice) {
  // The system is not asked about what every machine has.
  constexpr double kAlwaysThere = 16.0 * 1024 * 1024;
  if (bytes <= kAlwaysThere) return;
  const std::size_t available = available_memory_bytes();
  if (bytes <= static_cast<double>(available)) return;
  throw InputError(what + " needs " + text_of(bytes) + " of memory and " + bytes_text(available) +
                   " are free; " + advice);
}

}  // namespace leafglyph
