// The way to make a plan: on the CPU or GPU, with the algorithm that the registry in plans.cpp
// selects.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <span>
#include <string>

#include "features/local/local_moments.h"
#include "features/plan/algorithm.h"
#include "features/plan/moment_plan.h"
#include "gpu/devices.h"

namespace leafglyph {

/// Hints for PlanOptions::images.
inline constexpr std::size_t kSomeImages = 64;
inline constexpr std::size_t kManyImages = 4096;

struct PlanOptions {
  DeviceChoice device;
  Precision precision = Precision::kDouble;
  /// About how many images the plan will be asked for. It takes the algorithm that costs least for
  /// so many: tables that one image does not repay serve thousands. Only the last digits depend on
  /// it. kManyImages if unknown and likely many, as for the rows of a data set, so that every part
  /// of it gets the same digits.
  std::size_t images = kSomeImages;
  /// Receives one line for each direction that is made: what was chosen and why. May be empty.
  std::function<void(const std::string&)> log;
  /// Your own algorithms, on the CPU, which are tried before LeafGlyph's, in order, whatever they
  /// cost. A plan that one of them supports, in either direction, runs on the CPU.
  std::span<const CpuAlgorithm* const> algorithms;
};

/// Options for the rows of a data set.
inline PlanOptions for_many_images() {
  PlanOptions options;
  options.images = kManyImages;
  return options;
}

/// The registry of the CPU. That of CUDA is gpu/cuda_algorithms.h.
std::span<const CpuAlgorithm* const> cpu_algorithms();

/// The device on which a plan for the spec runs: the requested one, or the CPU for conventions
/// without CUDA. Throws UsageError if a GPU is requested for these.
DeviceChoice plan_device(const MomentSpec& spec, const DeviceChoice& requested);

/// A plan for a spec and a size on the device that the options choose. kAuto uses the first usable
/// GPU if CUDA was built in and the GPU supports the algorithm, otherwise the CPU, and logs the
/// reason. With several GPUs (cuda:all) batches are shared among them, a batch of one only
/// where that pays, and the log says so. Throws UsageError for a spec or size out of range, for
/// moments that no algorithm supports, and as plan_device; InputError if the memory does not
/// suffice for moments (for images, when their tables are built); Error if a GPU is requested and
/// none can be used.
std::unique_ptr<MomentPlan> make_moment_plan(const MomentSpec& spec, const ArraySize& size,
                                             const PlanOptions& options = {});

/// Moments about every pixel. kAuto is the CPU: most of the time goes into writing maps, which a
/// GPU does not make shorter. Throws as LocalMoments, and Error if a GPU is requested and none can
/// be used.
std::unique_ptr<LocalMoments> make_local_moments(const LocalSpec& spec, int width, int height,
                                                 const DeviceChoice& device = {});

/// What the moments cost one thread of the CPU. Throws as make_moment_plan for a spec or size out
/// of range.
Cost cpu_cost(const MomentSpec& spec, const ArraySize& size, const PlanOptions& options = {});

/// About how long the cores take for the moments of one image, in seconds, apart from the plan.
/// Throws as make_moment_plan for a spec or size out of range.
double estimated_seconds(const MomentSpec& spec, const ArraySize& size,
                         const PlanOptions& options = {});

/// The device for moments of `images` images in a process that uses no other plan, as a command
/// does. kAuto becomes kCpu, with `reason`, if the cores are likely to be done by the time at which
/// CUDA has started; otherwise returns options.device.
DeviceChoice device_for(const MomentSpec& spec, const ArraySize& size, std::size_t images,
                        const PlanOptions& options, std::string& reason);

/// Maximum host memory, in bytes, of one direction of such a plan, including its tables, the
/// moments and one image. It is known before any memory is allocated. A plan on a GPU first builds
/// the CPU's tables of its algorithm.
double plan_bytes(const MomentSpec& spec, const ArraySize& size, MomentPlan::Direction direction,
                  const PlanOptions& options = {});

}  // namespace leafglyph
