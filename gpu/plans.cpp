#include "gpu/plans.h"

#include <utility>
#include <vector>

#include "features/base/errors.h"
#include "features/bessel_fourier/ring_transform.h"
#include "features/folded/folded_forward.h"
#include "features/jacobi/axis_transform.h"
#include "features/pixel_sums/pixel_sums.h"
#include "features/plan/algorithm.h"
#include "features/separable/separable_transform.h"
#include "features/zernike/polar_backward.h"
#include "features/zernike/polar_forward.h"
#include "gpu/bessel_fourier/ring_transform.h"
#include "gpu/distance/pairwise.h"
#include "gpu/folded/folded_forward.h"
#include "gpu/jacobi/axis_batch.h"
#include "gpu/jacobi/axis_transform.h"
#include "gpu/plan_memory.h"
#include "gpu/separable/separable_transform.h"
#include "gpu/shared_transform.h"
#include "gpu/zernike/polar_backward.h"
#include "gpu/zernike/polar_forward.h"

namespace leafglyph {
namespace {

bool has_cuda(const MomentSpec& spec) { return is_inscribed_textbook(spec.convention); }

std::string no_cuda_reason(const MomentSpec& spec) {
  return "there is no CUDA for convention " + describe(spec.convention);
}

// What the transforms of one plan are made of. A transform that goes both ways is made once.
class TransformFactory {
 public:
  TransformFactory(const MomentSpec& spec, const ArraySize& size, const PlanOptions& options)
      : spec_(spec), size_(size), options_(options) {
    const DeviceChoice device = plan_device(spec, options.device);
    gpus_ = select_gpus(device, reason_);
    if (device.kind != options.device.kind) reason_ = no_cuda_reason(spec);
  }

  std::shared_ptr<ForwardTransform> forward() {
    check_moments_memory(spec_, size_, options_.precision, backend());
    auto made = gpus_.empty() ? forward_on_cpu() : forward_on_gpus();
    log("moments", made->describe(), forward_algorithm(spec_, size_, backend()));
    return made;
  }

  std::shared_ptr<BackwardTransform> backward() {
    check_images_memory(spec_, size_, options_.precision, backend());
    auto made = gpus_.empty() ? backward_on_cpu() : backward_on_gpus();
    log("images from moments", made->describe(), backward_algorithm(spec_));
    return made;
  }

 private:
  std::shared_ptr<ForwardTransform> forward_on_cpu() {
    switch (forward_algorithm(spec_, size_, Backend::kCpu)) {
      case Algorithm::kSeparable:
        return make_separable_forward(spec_, size_.width, options_.precision);
      case Algorithm::kFolded:
        return make_folded_forward(spec_, size_.width, options_.precision);
      case Algorithm::kPolar:
        return make_polar_forward(spec_, size_.width);
      case Algorithm::kPixelSums:
        return make_pixel_sums(spec_, size_);
      case Algorithm::kRings:
      case Algorithm::kAxes:
        break;
    }
    return both_ways_on_cpu();
  }

  std::shared_ptr<BackwardTransform> backward_on_cpu() {
    switch (backward_algorithm(spec_)) {
      case Algorithm::kSeparable:
        return make_separable_backward(spec_, size_.width);
      case Algorithm::kPolar:
        return make_polar_backward(spec_, size_.width);
      default:
        return both_ways_on_cpu();
    }
  }

  std::shared_ptr<TwoWayTransform> both_ways_on_cpu() {
    if (!both_ways_) {
      both_ways_ = spec_.family == Family::kBesselFourier
                       ? make_ring_transform(spec_, size_.width, options_.precision)
                       : make_axis_transform(spec_, size_, options_.precision);
    }
    return both_ways_;
  }

  std::shared_ptr<ForwardTransform> forward_on_gpus() {
    return gpu::share_forward(gpus_, [this](const gpu::GpuDevice& gpu) { return forward_on(gpu); });
  }

  std::shared_ptr<ForwardTransform> forward_on(const gpu::GpuDevice& gpu) {
    switch (forward_algorithm(spec_, size_, Backend::kCuda)) {
      case Algorithm::kFolded:
        return gpu::make_folded_forward(spec_, size_.width, options_.precision, gpu);
      case Algorithm::kPolar:
        return gpu::make_polar_forward(spec_, size_.width, gpu);
      case Algorithm::kAxes:
        if (!gpu::serves_batches(spec_, size_)) break;
        return gpu::make_axis_batch(spec_, size_, options_.precision, gpu);
      case Algorithm::kSeparable:
        return gpu::make_separable_forward(spec_, size_.width, gpu);
      case Algorithm::kPixelSums:  // plan_device() leaves the CPU
      case Algorithm::kRings:
        break;
    }
    return both_ways_on(gpu);
  }

  std::shared_ptr<BackwardTransform> backward_on_gpus() {
    return gpu::share_backward(gpus_,
                               [this](const gpu::GpuDevice& gpu) { return backward_on(gpu); });
  }

  std::shared_ptr<BackwardTransform> backward_on(const gpu::GpuDevice& gpu) {
    switch (backward_algorithm(spec_)) {
      case Algorithm::kSeparable:
        return gpu::make_separable_backward(spec_, size_.width, gpu);
      case Algorithm::kPolar:
        return gpu::make_polar_backward(spec_, size_.width, gpu);
      default:
        return both_ways_on(gpu);
    }
  }

  std::shared_ptr<TwoWayTransform> both_ways_on(const gpu::GpuDevice& gpu) {
    for (const auto& [index, made] : both_ways_on_gpus_) {
      if (index == gpu.index) return made;
    }
    std::shared_ptr<TwoWayTransform> made;
    if (spec_.family == Family::kBesselFourier) {
      made = gpu::make_ring_transform(spec_, size_.width, options_.precision, gpu);
    } else {
      made = gpu::make_axis_transform(spec_, size_, options_.precision, gpu);
    }
    both_ways_on_gpus_.emplace_back(gpu.index, made);
    return made;
  }

  Backend backend() const { return gpus_.empty() ? Backend::kCpu : Backend::kCuda; }

  void log(const std::string& what, const std::string& description, Algorithm algorithm) const {
    if (!options_.log) return;
    std::string line =
        what + ": " + description + "; algorithm " + std::string(algorithm_name(algorithm));
    if (!reason_.empty()) line += "; not on a GPU: " + reason_;
    if (gpus_.size() > 1) line += "; batches are shared among the GPUs, one image runs on one";
    options_.log(line);
  }

  MomentSpec spec_;
  ArraySize size_;
  PlanOptions options_;
  std::string reason_;
  std::vector<gpu::GpuDevice> gpus_;
  std::shared_ptr<TwoWayTransform> both_ways_;
  std::vector<std::pair<int, std::shared_ptr<TwoWayTransform>>> both_ways_on_gpus_;
};

}  // namespace

DeviceChoice plan_device(const MomentSpec& spec, const DeviceChoice& asked) {
  return has_cuda(spec) ? asked : cpu_only(asked, no_cuda_reason(spec));
}

std::unique_ptr<MomentPlan> make_moment_plan(const MomentSpec& spec, const ArraySize& size,
                                             const PlanOptions& options) {
  validate(spec, size);
  const auto factory = std::make_shared<TransformFactory>(spec, size, options);
  return std::make_unique<MomentPlan>(spec, size,
                                      TransformMakers{[factory] { return factory->forward(); },
                                                      [factory] { return factory->backward(); }});
}

PairwiseStatistics pairwise_statistics_on(const DeviceChoice& device, const FeatureRows& rows,
                                          const PairwiseOptions& options) {
  std::string reason;
  const auto gpus = select_gpus(device, reason);
  if (gpus.empty()) return pairwise_statistics(rows, options);
  return gpu::pairwise_statistics(rows, options, gpus.front());
}

}  // namespace leafglyph
