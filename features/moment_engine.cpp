#include "features/moment_engine.h"

#include <algorithm>
#include <charconv>
#include <cmath>

#include "features/disk_grid.h"
#include "features/errors.h"
#include "features/moment_cpu.h"

namespace leafglyph {
namespace {

bool all_finite(std::span<const std::complex<double>> values) {
  return std::all_of(values.begin(), values.end(), [](const std::complex<double>& z) {
    return std::isfinite(z.real()) && std::isfinite(z.imag());
  });
}

bool all_finite(std::span<const float> values) {
  return std::all_of(values.begin(), values.end(), [](float v) { return std::isfinite(v); });
}

}  // namespace

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

MomentEngine::MomentEngine(const MomentSpec& spec, int image_size)
    : spec_(spec), image_size_(image_size) {
  validate(spec);
  if (image_size < 2) {
    throw UsageError("images of " + std::to_string(image_size) + " x " +
                     std::to_string(image_size) + " pixels carry no moments; use 2 x 2 or more");
  }
  indices_ = moment_indices(spec.family, spec.order);
}

void MomentEngine::check_batch(const ImageBatch& images, std::size_t outputs) const {
  if (images.count == 0) throw UsageError("a batch of 0 images has no moments");
  if (images.size != image_size_) {
    throw UsageError("the engine was built for images of size " + std::to_string(image_size_) +
                     ", not " + std::to_string(images.size));
  }
  if (outputs != images.count * moment_count()) {
    throw UsageError("room for " + std::to_string(outputs) + " moments, but " +
                     std::to_string(images.count) + " images have " +
                     std::to_string(images.count * moment_count()));
  }
}

void MomentEngine::report_non_finite(const ImageBatch& images, std::size_t image) const {
  const std::string where = "image " + std::to_string(image) + " of the batch";
  if (images.memory == MemoryKind::kHost && images.type != PixelType::kUint8) {
    const ImageBatch one = images.slice(image, 1);
    for (std::size_t p = 0; p < one.pixels_per_image(); ++p) {
      const double value = one.type == PixelType::kFloat
                               ? static_cast<double>(static_cast<const float*>(one.pixels)[p])
                               : static_cast<const double*>(one.pixels)[p];
      if (!std::isfinite(value)) {
        const auto size = static_cast<std::size_t>(image_size_);
        throw InputError(where + ": the pixel in row " + std::to_string(p / size) + ", column " +
                         std::to_string(p % size) + " is not a finite number");
      }
    }
  }
  throw InputError(where + " has moments that are not finite; check its pixels");
}

void MomentEngine::moments(const ImageBatch& images, std::span<std::complex<double>> out) {
  check_batch(images, out.size());
  compute_moments(images, out);
  // A pixel that is not finite makes every moment of its image so; checking the moments is cheaper.
  for (std::size_t b = 0; b < images.count; ++b) {
    if (!all_finite(std::span<const std::complex<double>>(
            out.subspan(b * moment_count(), moment_count())))) {
      report_non_finite(images, b);
    }
  }
}

void MomentEngine::magnitudes(const ImageBatch& images, std::span<float> out) {
  check_batch(images, out.size());
  compute_magnitudes(images, out);
  for (std::size_t b = 0; b < images.count; ++b) {
    if (!all_finite(std::span<const float>(out.subspan(b * moment_count(), moment_count())))) {
      report_non_finite(images, b);
    }
  }
}

std::unique_ptr<MomentEngine> make_moment_engine(const MomentSpec& spec, int image_size,
                                                 const EngineOptions& options) {
  validate(spec);
  if (options.device.kind == DeviceChoice::Kind::kCuda) {
    throw Error("device cuda was asked for, but this build has no CUDA; use --device cpu");
  }
  auto engine = make_cpu_moment_engine(spec, image_size, options.precision);
  if (options.log) options.log("moment engine: " + engine->describe());
  return engine;
}

}  // namespace leafglyph
