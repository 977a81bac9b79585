// Estimates the brightness of the bare paper at each pixel of a photograph, and removes the
// fall-off of light and shadows from grey values.
//
// Light acts as a factor: for paper and leaf alike, a photograph shows the product of reflectance
// and incident light. The estimates use a grid of kLightCells cells along the longer side. The
// means over cells are hardly affected by noise.
#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "features/image/image.h"

namespace leafglyph {

inline constexpr int kLightCells = 64;

/// The upper envelope of the grey values: a grey-scale closing by a square, whose side is `share`
/// of the shorter side. Dark objects narrower than the square vanish; shadows wider than it remain.
Image<float> envelope_light(const Image<std::uint8_t>& grey, double share);

/// exp of a polynomial of degree 2 in the position, fitted to the brightest cells (regression for
/// the expectile 0.97, then least squares without the cells far below it).
Image<float> smooth_light(const Image<std::uint8_t>& grey);

/// The light of a background, light or dark: exp of a polynomial of degree 2 in the position. It
/// starts as the median along the frame, and is fitted again to the cells that are near it.
Image<float> light_of_most(const Image<std::uint8_t>& grey);

/// The same light, started at the commonest grey value of the photograph: that of its paper, even
/// if something else is along its frame.
Image<float> light_of_commonest(const Image<std::uint8_t>& grey);

/// The light on the paper around a leaf (1 in `leaf`), extended across the leaf: exp of a
/// polynomial of degree 2 plus the smoothed residuals. 0 everywhere if no cell shows paper.
Image<float> light_around(const Image<std::uint8_t>& grey, const Image<std::uint8_t>& leaf);

/// The 95th percentile of the light divided by its 5th percentile, over places of equal size: 1 for
/// even light, 0 if the light is 0.
double light_span(std::span<const float> light);
/// Light with a larger span is levelled. Scans stay below this.
inline constexpr double kUnevenLight = 1.1;
/// light_around if the light's span over the cells exceeds kUnevenLight, otherwise nullopt. Faster
/// if no cell of paper is brighter than another by that factor.
std::optional<Image<float>> uneven_light(const Image<std::uint8_t>& grey,
                                         const Image<std::uint8_t>& leaf);

/// grey * (95th percentile of the light) / light, at most 255: the photograph as if all of it were
/// lit like its brightest part.
Image<std::uint8_t> levelled(const Image<std::uint8_t>& grey, const Image<float>& light);

}  // namespace leafglyph
