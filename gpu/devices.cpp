#include "gpu/devices.h"

#include <algorithm>
#include <string>
#include <utility>

#include "features/base/errors.h"
#include "features/base/numbers.h"
#include "gpu/gpu_workers.h"

namespace leafglyph {
namespace {

Error not_there(const std::string& device, const std::string& reason) {
  return Error("device " + device + " was asked for, but " + reason + "; use --device cpu or auto");
}

}  // namespace

DeviceChoice device_from_name(std::string_view name) {
  if (name == "auto") return {DeviceChoice::Kind::kAuto, 0};
  if (name == "cpu") return {DeviceChoice::Kind::kCpu, 0};
  if (name == "cuda") return {DeviceChoice::Kind::kCuda, 0};
  if (name == "cuda:all") return {DeviceChoice::Kind::kCuda, -1};
  if (name.starts_with("cuda:")) {
    const auto index = number_in<int>(name.substr(5));
    if (index && *index >= 0) return {DeviceChoice::Kind::kCuda, *index};
  }
  throw UsageError("device '" + std::string(name) +
                   "' is unknown; use auto, cpu, cuda, cuda:0, cuda:1, ... or cuda:all");
}

gpu::GpuInventory usable_gpus(std::size_t most) {
  gpu::GpuInventory usable = gpu::find_gpus();
  const std::vector<gpu::GpuDevice> found = std::exchange(usable.devices, {});
  // Contexts of several GPUs are made at the same time, but none that may not be needed.
  std::vector<std::string> problems(found.size());
  for (std::size_t g = 0; g < found.size() && usable.devices.size() < most;) {
    const std::size_t tried = std::min(most - usable.devices.size(), found.size() - g);
    gpu::GpuWorkers().on_each(
        tried, [&](std::size_t i) { problems[g + i] = gpu::problem_of(found[g + i]); }, [] {});
    for (const std::size_t end = g + tried; g < end; ++g) {
      if (problems[g].empty()) {
        usable.devices.push_back(found[g]);
      } else {
        usable.reason = problems[g];
      }
    }
  }
  if (!usable.devices.empty()) usable.reason.clear();
  return usable;
}

std::vector<gpu::GpuDevice> select_gpus(const DeviceChoice& choice, std::string& reason) {
  reason.clear();
  if (choice.kind == DeviceChoice::Kind::kCpu) return {};
  if (choice.kind == DeviceChoice::Kind::kAuto) {
    gpu::GpuInventory usable = usable_gpus(/*most=*/1);
    reason = usable.reason;
    return usable.devices;
  }
  if (choice.index < 0) {
    gpu::GpuInventory usable = usable_gpus();
    if (usable.devices.empty()) throw not_there("cuda", usable.reason);
    return usable.devices;
  }
  const gpu::GpuInventory found = gpu::find_gpus();
  if (found.devices.empty()) throw not_there("cuda", found.reason);
  const auto device =
      std::find_if(found.devices.begin(), found.devices.end(),
                   [&](const gpu::GpuDevice& one) { return one.number == choice.index; });
  if (device == found.devices.end()) {
    std::string usable;
    for (const gpu::GpuDevice& one : found.devices) {
      usable += (usable.empty() ? "cuda:" : ", cuda:") + std::to_string(one.number);
    }
    throw Error("device cuda:" + std::to_string(choice.index) +
                " was asked for, but the usable GPUs are " + usable);
  }
  const std::string problem = gpu::problem_of(*device);
  if (!problem.empty()) throw not_there("cuda:" + std::to_string(choice.index), problem);
  return {*device};
}

DeviceChoice cpu_only(const DeviceChoice& choice, const std::string& reason) {
  if (choice.kind == DeviceChoice::Kind::kCuda) {
    throw UsageError("device cuda was asked for, but " + reason + "; use device cpu or auto");
  }
  return {DeviceChoice::Kind::kCpu, 0};
}

}  // namespace leafglyph
