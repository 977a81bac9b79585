#include "gpu/cuda/visible_gpus.h"

#include <cstdlib>
#include <filesystem>
#include <iterator>
#include <string>
#include <string_view>
#include <system_error>

namespace leafglyph::gpu {
namespace {

constexpr const char* kVisible = "CUDA_VISIBLE_DEVICES";

int first_visible = 0;

// The entry of a list with commas, or of the host's GPUs; empty if there is none.
std::string entry(int number) {
  if (const char* set = std::getenv(kVisible)) {
    std::string_view list = set;
    for (int i = 0; i < number; ++i) {
      const std::size_t comma = list.find(',');
      if (comma == list.npos) return {};
      list.remove_prefix(comma + 1);
    }
    return std::string(list.substr(0, list.find(',')));
  }
  std::error_code error;
  const std::filesystem::directory_iterator gpus("/proc/driver/nvidia/gpus", error);
  if (error || std::distance(begin(gpus), end(gpus)) <= number) return {};
  return std::to_string(number);
}

}  // namespace

void see_only(int number) {
  const std::string one = entry(number);
  if (one.empty()) return;
  ::setenv(kVisible, one.c_str(), /*overwrite=*/1);
  first_visible = number;
}

int first_visible_gpu() { return first_visible; }

}  // namespace leafglyph::gpu
