#include "features/bessel_fourier/bessel_fourier.h"

#include <algorithm>
#include <cmath>

#include "features/base/errors.h"
#include "features/bessel_fourier/bessel_fourier_cpu.h"
#include "gpu/bessel_fourier/bessel_fourier.h"
#include "gpu/devices.h"
#include "gpu/plan_memory.h"

namespace leafglyph {

void validate(const BesselFourierSpec& spec) {
  validate_image_size(spec.image_size);
  const std::string highest = std::to_string(kMaxBesselFourierOrder);
  if (spec.radial_order < 1 || spec.radial_order > kMaxBesselFourierOrder) {
    throw UsageError("Bessel-Fourier radial order " + std::to_string(spec.radial_order) +
                     "; use 1 to " + highest);
  }
  if (spec.angular_order < 0 || spec.angular_order > kMaxBesselFourierOrder) {
    throw UsageError("Bessel-Fourier angular order " + std::to_string(spec.angular_order) +
                     "; use 0 to " + highest);
  }
  if (spec.method == Method::kExact) {
    throw UsageError("the exact method serves no Bessel-Fourier moments; use adaptive points");
  }
  if (spec.method != Method::kAdaptive) validate_points_a_side(spec.points);
}

BesselFourier::BesselFourier(const BesselFourierSpec& spec) : spec_(spec) { validate(spec); }

void BesselFourier::moments(std::span<const double> image, std::span<std::complex<double>> out) {
  const auto size = static_cast<std::size_t>(spec_.image_size);
  if (image.size() != size * size || out.size() != spec_.moment_count()) {
    throw UsageError("an image of " + std::to_string(image.size()) + " pixels and room for " +
                     std::to_string(out.size()) + " moments, but the plan is for " +
                     std::to_string(size * size) + " pixels and " +
                     std::to_string(spec_.moment_count()) + " moments");
  }
  compute_moments(image, out);
  // A pixel that is not finite makes every moment so; looking at one row of them is enough.
  const auto row = out.first(static_cast<std::size_t>(spec_.angular_order) + 1);
  if (std::all_of(row.begin(), row.end(), [](const std::complex<double>& b) {
        return std::isfinite(b.real()) && std::isfinite(b.imag());
      })) {
    return;
  }
  const auto bad = std::find_if_not(image.begin(), image.end(),
                                    [](double value) { return std::isfinite(value); });
  if (bad == image.end()) throw InputError("the image's values are too large for its moments");
  const auto pixel = static_cast<std::size_t>(bad - image.begin());
  throw InputError("the pixel in row " + std::to_string(pixel / size) + ", column " +
                   std::to_string(pixel % size) + " is not a finite number");
}

void BesselFourier::reconstruct(std::span<const std::complex<double>> moments,
                                std::span<double> image) {
  const auto size = static_cast<std::size_t>(spec_.image_size);
  if (image.size() != size * size || moments.size() != spec_.moment_count()) {
    throw UsageError("room for " + std::to_string(image.size()) + " pixels and " +
                     std::to_string(moments.size()) + " moments, but the plan is for " +
                     std::to_string(size * size) + " pixels and " +
                     std::to_string(spec_.moment_count()) + " moments");
  }
  compute_image(moments, image);
}

std::unique_ptr<BesselFourier> make_bessel_fourier(const BesselFourierSpec& spec,
                                                   const EngineOptions& options) {
  validate(spec);
  check_bessel_fourier_memory(spec, options.precision);
  std::string reason;
  const std::vector<GpuDevice> gpus = select_gpus(options.device, reason);
  std::unique_ptr<BesselFourier> plan;
  if (gpus.empty()) {
    plan = make_bessel_fourier_cpu(spec, options.precision);
  } else {
    plan = make_gpu_bessel_fourier(spec, options.precision, gpus.front());
  }
  if (options.log) {
    options.log("Bessel-Fourier: " + plan->describe() +
                (reason.empty() ? std::string() : "; not on a GPU: " + reason));
  }
  return plan;
}

}  // namespace leafglyph
