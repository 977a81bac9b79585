// CPU or GPU: the only place that decides which device is used.
#pragma once

#include <cstddef>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include "gpu/cuda/gpu_device.h"

namespace leafglyph {

/// The device for a computation. Its name is auto, cpu, cuda, cuda:<index> or cuda:all.
struct DeviceChoice {
  enum class Kind { kAuto, kCpu, kCuda } kind = Kind::kAuto;
  int index = 0;  ///< GPU number for kCuda; -1: every GPU of this host
};

/// Parses auto, cpu, cuda, cuda:i or cuda:all. Throws UsageError for anything else.
DeviceChoice device_from_name(std::string_view name);

/// Up to `most` GPUs that work, each of which then has a context of this process.
gpu::GpuInventory usable_gpus(std::size_t most = std::numeric_limits<std::size_t>::max());

/// The GPUs to run on; empty means the CPU. kCpu selects none. kAuto selects the first usable GPU,
/// or none with the reason in `reason`. kCuda selects the GPU of that index (every usable GPU for
/// -1), and throws Error if it does not exist. Only GPUs that are selected get a context.
std::vector<gpu::GpuDevice> select_gpus(const DeviceChoice& choice, std::string& reason);

/// The CPU, for computations that no GPU supports because of `reason` ("there is no CUDA for ...").
/// Throws UsageError with the reason if `choice` is a GPU.
DeviceChoice cpu_only(const DeviceChoice& choice, const std::string& reason);

}  // namespace leafglyph
