// Decoded samples for comparison, at any depth.
#pragma once

#include <variant>
#include <vector>

#include "features/image_io/decode_image.h"

namespace leafglyph {

inline std::vector<double> values_of(const SampleImage& image) {
  return std::visit(
      [](const auto& samples) { return std::vector<double>(samples.begin(), samples.end()); },
      image.samples);
}

}  // namespace leafglyph
