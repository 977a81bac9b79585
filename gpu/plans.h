// THE way to a plan: CPU or GPU, and which algorithm there, by the registry in plans.cpp.
#pragma once

#include <functional>
#include <memory>
#include <span>
#include <string>

#include "features/plan/algorithm.h"
#include "features/plan/moment_plan.h"
#include "gpu/devices.h"

namespace leafglyph {

struct PlanOptions {
  DeviceChoice device;
  Precision precision = Precision::kDouble;
  /// Receives one line for each direction that is made: what was chosen and why. May be empty.
  std::function<void(const std::string&)> log;
  /// Algorithms of your own, on the CPU, which are tried before LeafGlyph's. A plan that one of
  /// them supports, in either direction, runs on the CPU.
  std::span<const CpuAlgorithm* const> algorithms;
};

/// The device on which a plan for the spec runs: the requested one, or the CPU for conventions that
/// have no CUDA. Throws UsageError when a GPU is requested for these.
DeviceChoice plan_device(const MomentSpec& spec, const DeviceChoice& requested);

/// A plan for a spec and a size on the device that the options choose: kAuto takes the first usable
/// GPU where CUDA was built in, there is one and it has the algorithm, and otherwise the CPU,
/// saying why through the log. With several GPUs (cuda:all) batches are shared among them; a batch
/// of one runs on the first, which the log says. Throws UsageError for a spec or size out of range,
/// as plan_device, and for moments that no algorithm supports; InputError when the memory does not
/// suffice for moments (for images: when their tables are made); Error when a GPU is requested and
/// none can be used.
std::unique_ptr<MomentPlan> make_moment_plan(const MomentSpec& spec, const ArraySize& size,
                                             const PlanOptions& options = {});

/// Bytes of the host's memory that a direction of such a plan takes at most, with its tables, the
/// moments and one image, known before any of it is taken. A plan on a GPU builds the CPU's tables
/// of its algorithm first.
double plan_bytes(const MomentSpec& spec, const ArraySize& size, MomentPlan::Direction direction,
                  const PlanOptions& options = {});

}  // namespace leafglyph
