#include "features/engine/moment_engine.h"

#include <algorithm>
#include <charconv>
#include <cmath>

#include "features/base/errors.h"
#include "features/folded/folded_engine.h"
#include "features/moments/disk_grid.h"
#include "gpu/devices.h"
#include "gpu/folded/folded_engine.h"
#include "gpu/plan_memory.h"

namespace leafglyph {
namespace {

bool is_finite(const std::complex<double>& z) {
  return std::isfinite(z.real()) && std::isfinite(z.imag());
}
bool is_finite(float value) { return std::isfinite(value); }

// The first image with a value that is not finite, or `images`.
template <class T>
std::size_t first_non_finite(std::span<const T> values, std::size_t images) {
  const std::size_t row = values.size() / images;
  std::size_t first = images;
#pragma omp parallel for reduction(min : first) if (values.size() > (std::size_t{1} << 16))
  for (std::size_t b = 0; b < images; ++b) {
    const auto of_image = values.subspan(b * row, row);
    if (!std::all_of(of_image.begin(), of_image.end(), [](const T& v) { return is_finite(v); })) {
      first = std::min(first, b);
    }
  }
  return first;
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
  validate_image_size(image_size);
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

void MomentEngine::compute_magnitudes(const ImageBatch& images, std::span<float> magnitudes) {
  std::vector<std::complex<double>> moments(moment_count());
  for (std::size_t b = 0; b < images.count; ++b) {
    compute_moments(images.slice(b, 1), moments);
    for (std::size_t c = 0; c < moments.size(); ++c) {
      magnitudes[b * moment_count() + c] = static_cast<float>(std::abs(moments[c]));
    }
  }
}

void MomentEngine::moments(const ImageBatch& images, std::span<std::complex<double>> out) {
  check_batch(images, out.size());
  compute_moments(images, out);
  // A pixel that is not finite makes every moment of its image so; checking the moments is cheaper.
  const std::size_t bad =
      first_non_finite(std::span<const std::complex<double>>(out), images.count);
  if (bad < images.count) report_non_finite(images, bad);
}

void MomentEngine::magnitudes(const ImageBatch& images, std::span<float> out) {
  check_batch(images, out.size());
  compute_magnitudes(images, out);
  const std::size_t bad = first_non_finite(std::span<const float>(out), images.count);
  if (bad < images.count) report_non_finite(images, bad);
}

std::unique_ptr<MomentEngine> make_moment_engine(const MomentSpec& spec, int image_size,
                                                 const EngineOptions& options) {
  validate(spec);
  check_engine_memory(spec, image_size, options.precision);
  std::string reason;
  const std::vector<GpuDevice> gpus = select_gpus(options.device, reason);
  auto engine = gpus.empty() ? make_cpu_moment_engine(spec, image_size, options.precision)
                             : make_gpu_moment_engine(spec, image_size, options.precision, gpus);
  if (options.log) {
    options.log("moment engine: " + engine->describe() +
                (reason.empty() ? std::string() : "; not on a GPU: " + reason));
  }
  return engine;
}

}  // namespace leafglyph
