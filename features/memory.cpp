#include "features/memory.h"

#include <cstdio>
#include <fstream>
#include <limits>

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

std::string bytes_text(std::size_t bytes) {
  const double mebibytes = static_cast<double>(bytes) / (1024.0 * 1024.0);
  char text[32];
  if (mebibytes < 1024.0) {
    std::snprintf(text, sizeof text, "%.0f MiB", mebibytes);
  } else {
    std::snprintf(text, sizeof text, "%.1f GiB", mebibytes / 1024.0);
  }
  return text;
}

}  // namespace leafglyph
