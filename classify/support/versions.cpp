#include "classify/support/versions.h"

#include <faiss/Index.h>
#include <fmt/format.h>

#include <fstream>

#include "features/base/lines.h"
#include "features/base/matrix_product.h"

namespace leafglyph {
namespace {

std::string faiss_version() {
  return fmt::format("{}.{}.{}", FAISS_VERSION_MAJOR, FAISS_VERSION_MINOR, FAISS_VERSION_PATCH);
}

}  // namespace

std::string version() { return LEAFGLYPH_VERSION; }

std::vector<std::pair<std::string, std::string>> versions() {
  return {{"leafglyph", version()},
          {"faiss", faiss_version()},
          {"opencv", LEAFGLYPH_OPENCV_VERSION},
          {"products", product_library()}};
}

std::string processor_name() {
  std::ifstream file("/proc/cpuinfo");
  std::string line;
  while (next_line(file, line, "/proc/cpuinfo")) {
    if (line.starts_with("model name")) return line.substr(line.find(':') + 2);
  }
  return "unknown";
}

}  // namespace leafglyph
