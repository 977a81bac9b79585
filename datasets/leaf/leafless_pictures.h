// Pictures without a leaf, which a classifier must not name.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "datasets/leaf/perturbation.h"
#include "features/image/image.h"

namespace leafglyph {

/// Kinds of pictures that show no leaf.
std::span<const Perturbation> leafless_pictures();

/// A picture of leafless_pictures()[kind], of 320 x 240 pixels; the same seed gives the same one.
/// Throws UsageError when `kind` is out of range.
Image<std::uint8_t> draw_leafless(std::size_t kind, std::uint64_t seed);

}  // namespace leafglyph
