// The picture of a leaf for a neural network: a square of colours without the background.
#pragma once

#include <cstdint>
#include <vector>

#include "features/image/image.h"
#include "features/leaf/photograph.h"

namespace leafglyph {

/// What is around the leaf: the mean colour of photographs, which networks take for nothing.
inline constexpr std::uint8_t kAroundLeaf[3] = {124, 116, 104};

/// The leaf that `mask` shows in a photograph of the same size, upright, as large as fits into a
/// square of `side` pixels with a margin of a twentieth: red, green and blue of each pixel. A grey
/// photograph has equal ones. `pixel_aspect` is width / height of a pixel. Requires a mask with
/// pixels.
std::vector<std::uint8_t> leaf_picture(const Photograph& photograph,
                                       const Image<std::uint8_t>& mask, double pixel_aspect,
                                       int side);

}  // namespace leafglyph
