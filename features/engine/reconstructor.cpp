#include "features/engine/reconstructor.h"

#include <algorithm>
#include <cmath>

#include "features/base/errors.h"
#include "features/engine/plan_reconstruct.h"
#include "features/moments/disk_grid.h"
#include "gpu/devices.h"
#include "gpu/plan_memory.h"
#include "gpu/zernike/polar_reconstructor.h"

namespace leafglyph {
namespace {

double weight_of(int m, Repetitions repetitions) {
  switch (repetitions) {
    case Repetitions::kAll:
      return m == 0 ? 1.0 : 2.0;
    case Repetitions::kZero:
      return m == 0 ? 1.0 : 0.0;
    case Repetitions::kPositive:
    case Repetitions::kNegative:
      break;
  }
  return m == 0 ? 0.0 : 1.0;
}

}  // namespace

Repetitions repetitions_from_name(std::string_view name) {
  if (name == "all") return Repetitions::kAll;
  if (name == "zero") return Repetitions::kZero;
  if (name == "positive") return Repetitions::kPositive;
  if (name == "negative") return Repetitions::kNegative;
  throw UsageError("repetitions '" + std::string(name) +
                   "' are unknown; use all, zero, positive or negative");
}

Reconstructor::Reconstructor(const MomentSpec& spec, int image_size)
    : spec_(spec), image_size_(image_size) {
  validate(spec);
  validate_image_size(image_size);
  mask_ = is_circular(spec.family) ? DiskGrid(image_size, spec.method, spec.subregions).mask()
                                   : Image<unsigned char>(image_size, image_size, /*value=*/1);
  indices_ = moment_indices(spec.family, spec.order);
}

void Reconstructor::reconstruct(std::span<const std::complex<double>> moments,
                                const MomentSelection& selection, std::span<double> image) {
  if (moments.size() != indices_.size()) {
    throw UsageError(std::to_string(moments.size()) + " moments, but " + describe() + " has " +
                     std::to_string(indices_.size()));
  }
  if (image.size() != mask_.size()) {
    throw UsageError("room for " + std::to_string(image.size()) + " pixels, but the image has " +
                     std::to_string(mask_.size()));
  }
  if (selection.first_order < 0 || selection.last_order < selection.first_order ||
      selection.last_order > spec_.order) {
    throw UsageError("orders " + std::to_string(selection.first_order) + " to " +
                     std::to_string(selection.last_order) + " are not a range within 0 to " +
                     std::to_string(spec_.order));
  }
  const bool circular = is_circular(spec_.family);
  if (!circular && selection.repetitions != Repetitions::kAll) {
    throw UsageError(std::string(family_name(spec_.family)) +
                     " moments have no repetitions to choose from; use all");
  }
  std::vector<std::complex<double>> weighted(moments.size());
  for (std::size_t c = 0; c < moments.size(); ++c) {
    const auto [n, m] = indices_[c];
    const int order = order_of(spec_.family, indices_[c]);
    if (order < selection.first_order || order > selection.last_order) continue;
    if (!std::isfinite(moments[c].real()) || !std::isfinite(moments[c].imag())) {
      throw InputError("the moment n = " + std::to_string(n) + ", m = " + std::to_string(m) +
                       " is not a finite number");
    }
    weighted[c] = (circular ? weight_of(m, selection.repetitions) : 1.0) * moments[c];
  }
  std::fill(image.begin(), image.end(), 0.0);
  evaluate(weighted, selection, image);
}

std::unique_ptr<Reconstructor> make_reconstructor(const MomentSpec& spec, int image_size,
                                                  const EngineOptions& options) {
  validate(spec);
  check_reconstructor_memory(spec, image_size, options.precision);
  std::string reason;
  const std::vector<GpuDevice> gpus = select_gpus(options.device, reason);
  std::unique_ptr<Reconstructor> reconstructor;
  if (spec.family == Family::kBesselFourier || !is_circular(spec.family)) {
    reconstructor = make_plan_reconstructor(spec, image_size, options);
  } else if (gpus.empty()) {
    reconstructor = make_cpu_reconstructor(spec, image_size);
  } else {
    reconstructor = make_gpu_reconstructor(spec, image_size, gpus.front());
  }
  if (options.log) {
    options.log("reconstruction: " + reconstructor->describe() +
                (reason.empty() ? std::string() : "; not on a GPU: " + reason));
  }
  return reconstructor;
}

}  // namespace leafglyph
