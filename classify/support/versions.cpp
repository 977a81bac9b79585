#include "classify/support/versions.h"

#include <fstream>

#include "classify/knn/knn_index.h"
#include "features/base/matrix_product.h"

namespace leafglyph {

std::vector<std::pair<std::string, std::string>> versions() {
  return {{"leafglyph", LEAFGLYPH_VERSION},
          {"faiss", faiss_version()},
          {"opencv", LEAFGLYPH_OPENCV_VERSION},
          {"products", product_library()}};
}

std::string processor_name() {
  std::ifstream file("/proc/cpuinfo");
  std::string line;
  while (std::getline(file, line)) {
    if (line.starts_with("model name")) return line.substr(line.find(':') + 2);
  }
  return "unknown";
}

}  // namespace leafglyph
