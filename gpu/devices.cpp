#include "gpu/devices.h"

#include <algorithm>
#include <charconv>

#include "features/base/errors.h"

namespace leafglyph {

DeviceChoice device_from_name(std::string_view name) {
  if (name == "auto") return {DeviceChoice::Kind::kAuto, 0};
  if (name == "cpu") return {DeviceChoice::Kind::kCpu, 0};
  if (name == "cuda") return {DeviceChoice::Kind::kCuda, 0};
  if (name == "cuda:all") return {DeviceChoice::Kind::kCuda, -1};
  if (name.starts_with("cuda:")) {
    const std::string_view digits = name.substr(5);
    int index = 0;
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), index);
    if (error == std::errc{} && end == digits.data() + digits.size() && index >= 0) {
      return {DeviceChoice::Kind::kCuda, index};
    }
  }
  throw UsageError("device '" + std::string(name) +
                   "' is unknown; use auto, cpu, cuda, cuda:0, cuda:1, ... or cuda:all");
}

std::vector<gpu::GpuDevice> select_gpus(const DeviceChoice& choice, std::string& reason) {
  reason.clear();
  if (choice.kind == DeviceChoice::Kind::kCpu) return {};
  gpu::GpuInventory found = gpu::find_gpus();
  if (choice.kind == DeviceChoice::Kind::kAuto) {
    reason = found.reason;
    if (found.devices.size() > 1) found.devices.resize(1);
    return found.devices;
  }
  if (found.devices.empty()) {
    throw Error("device cuda was asked for, but " + found.reason + "; use --device cpu or auto");
  }
  if (choice.index < 0) return found.devices;
  const auto device =
      std::find_if(found.devices.begin(), found.devices.end(),
                   [&](const gpu::GpuDevice& one) { return one.index == choice.index; });
  if (device == found.devices.end()) {
    std::string usable;
    for (const gpu::GpuDevice& one : found.devices) {
      usable += (usable.empty() ? "cuda:" : ", cuda:") + std::to_string(one.index);
    }
    throw Error("device cuda:" + std::to_string(choice.index) +
                " was asked for, but the usable GPUs are " + usable);
  }
  return {*device};
}

DeviceChoice cpu_only(const DeviceChoice& choice, const std::string& reason) {
  if (choice.kind == DeviceChoice::Kind::kCuda) {
    throw UsageError("device cuda was asked for, but " + reason + "; use device cpu or auto");
  }
  return {DeviceChoice::Kind::kCpu, 0};
}

}  // namespace leafglyph
