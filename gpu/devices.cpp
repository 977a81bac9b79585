#include <algorithm>

#include "features/base/errors.h"
#include "gpu/devices.h"

namespace leafglyph {

std::vector<GpuDevice> select_gpus(const DeviceChoice& choice, std::string& reason) {
  reason.clear();
  if (choice.kind == DeviceChoice::Kind::kCpu) return {};
  GpuInventory found = find_gpus();
  if (choice.kind == DeviceChoice::Kind::kAuto) {
    reason = found.reason;
    if (found.devices.size() > 1) found.devices.resize(1);
    return found.devices;
  }
  if (found.devices.empty()) {
    throw Error("device cuda was asked for, but " + found.reason + "; use --device cpu or auto");
  }
  if (choice.index < 0) return found.devices;
  const auto device = std::find_if(found.devices.begin(), found.devices.end(),
                                   [&](const GpuDevice& gpu) { return gpu.index == choice.index; });
  if (device == found.devices.end()) {
    std::string usable;
    for (const GpuDevice& gpu : found.devices) {
      usable += (usable.empty() ? "cuda:" : ", cuda:") + std::to_string(gpu.index);
    }
    throw Error("device cuda:" + std::to_string(choice.index) +
                " was asked for, but the usable GPUs are " + usable);
  }
  return {*device};
}

}  // namespace leafglyph
