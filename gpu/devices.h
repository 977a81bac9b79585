// CPU or GPU: the one place that decides which device is used.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "gpu/cuda/gpu_device.h"

namespace leafglyph {

/// Where work is done. `name` is auto, cpu, cuda, cuda:<index> or cuda:all.
struct DeviceChoice {
  enum class Kind { kAuto, kCpu, kCuda } kind = Kind::kAuto;
  int index = 0;  ///< GPU number for kCuda; -1 means every GPU of this host
};

/// Reads auto, cpu, cuda, cuda:i or cuda:all; throws UsageError on anything else.
DeviceChoice device_from_name(std::string_view name);

/// The GPUs to run on: empty means the CPU. kCpu gives none; kAuto gives the first usable GPU, or
/// none with the reason in `reason`; kCuda gives the GPU of that index (every usable GPU for -1)
/// and throws Error when there is no such GPU.
std::vector<gpu::GpuDevice> select_gpus(const DeviceChoice& choice, std::string& reason);

/// The CPU, for what no GPU computes because of `reason` ("there is no CUDA for ..."). Throws
/// UsageError, naming the reason, when `choice` is a GPU.
DeviceChoice cpu_only(const DeviceChoice& choice, const std::string& reason);

}  // namespace leafglyph
