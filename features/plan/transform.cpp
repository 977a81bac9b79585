#include "features/plan/transform.h"

#include <cmath>
#include <vector>

#include "features/base/errors.h"
#include "features/base/interrupt.h"

namespace leafglyph {

std::string precision_name(Precision precision) {
  return precision == Precision::kFloat ? "float" : "double";
}

std::span<const double> host_doubles(const ImageBatch& images, std::vector<double>& room) {
  if (images.memory != MemoryKind::kHost) {
    throw UsageError("a batch in the memory of a GPU, but the plan runs on the CPU");
  }
  const std::size_t count = images.count * images.pixels_per_image();
  switch (images.type) {
    case PixelType::kUint8: {
      const auto* bytes = static_cast<const unsigned char*>(images.pixels);
      room.assign(bytes, bytes + count);
      return room;
    }
    case PixelType::kFloat: {
      const auto* floats = static_cast<const float*>(images.pixels);
      room.assign(floats, floats + count);
      return room;
    }
    case PixelType::kDouble:
      break;
  }
  return {static_cast<const double*>(images.pixels), count};
}

TransformShape::TransformShape(const MomentSpec& spec, const ArraySize& size)
    : spec_(spec), size_(size) {
  validate(spec, size);
  moment_count_ = leafglyph::moment_count(spec, size);
}

void ForwardTransform::compute_magnitudes(const ImageBatch& images, std::span<float> magnitudes) {
  const std::size_t count = magnitudes.size() / images.count;
  std::vector<std::complex<double>> moments(count);
  for (std::size_t b = 0; b < images.count; ++b) {
    compute_moments(images.slice(b, 1), moments);
    for (std::size_t c = 0; c < count; ++c) {
      magnitudes[b * count + c] = static_cast<float>(std::abs(moments[c]));
    }
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
