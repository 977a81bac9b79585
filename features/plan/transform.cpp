#include "features/plan/transform.h"

#include <cmath>
#include <type_traits>
#include <vector>

#include "features/base/errors.h"
#include "features/base/threads.h"

namespace leafglyph {

std::string precision_name(Precision precision) {
  return precision == Precision::kFloat ? "float" : "double";
}

double scalar_bytes(Precision precision) {
  return precision == Precision::kFloat ? sizeof(float) : sizeof(double);
}

std::span<const double> host_doubles(const ImageBatch& images, std::vector<double>& room) {
  if (images.memory != MemoryKind::kHost) {
    throw UsageError("the batch is in GPU memory, but the plan runs on the CPU");
  }
  const std::size_t count = images.count * images.pixels_per_image();
  return with_pixels(images.type, images.pixels, [&](const auto* pixels) {
    if constexpr (std::is_same_v<decltype(pixels), const double*>) {
      return std::span<const double>(pixels, count);
    } else {
      room.assign(pixels, pixels + count);
      return std::span<const double>(room);
    }
  });
}

TransformShape::TransformShape(const MomentSpec& spec, const ArraySize& size)
    : spec_(spec), size_(size) {
  validate(spec, size);
  moment_count_ = leafglyph::moment_count(spec, size);
}

void ForwardTransform::compute_magnitudes(const ImageBatch& images, std::span<float> magnitudes) {
  constexpr std::size_t kTogether = 4096;
  constexpr double kNanoseconds = 10 * kTogether;  // std::abs avoids overflow, which takes time
  const std::size_t count = magnitudes.size() / images.count;
  std::vector<std::complex<double>> moments(count);
  for (std::size_t b = 0; b < images.count; ++b) {
    compute_moments(images.slice(b, 1), moments);
    const std::span<float> out = magnitudes.subspan(b * count, count);
    parallel_for({.count = (count + kTogether - 1) / kTogether, .nanoseconds = kNanoseconds},
                 [&](std::size_t piece) {
                   const std::size_t end = std::min(count, (piece + 1) * kTogether);
                   for (std::size_t c = piece * kTogether; c < end; ++c) {
                     out[c] = static_cast<float>(std::abs(moments[c]));
                   }
                 });
  }
}

void BackwardTransform::compute_images(std::span<const std::complex<double>> weighted,
                                       std::size_t count, int last_order,
                                       std::span<double> images) {
  const std::size_t moments = weighted.size() / count;
  const std::size_t pixels = images.size() / count;
  for (std::size_t b = 0; b < count; ++b) {
    throw_if_interrupted();
    compute_image(weighted.subspan(b * moments, moments), last_order,
                  images.subspan(b * pixels, pixels));
  }
}

}  // namespace leafglyph
