// How bright the bare paper of a photograph is at each pixel, and grey values without its falls
// and shadows.
//
// Light multiplies: of paper and leaf alike a photograph shows the product of what they throw back
// and of the light that falls on them. The estimates are made on a grid of kLightCells cells along
// the longer side, whose means noise hardly touches.
#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "features/image/image.h"

namespace leafglyph {

inline constexpr int kLightCells = 64;

/// The envelope of the grey values from above: a grey closing by a square of `share` of the
/// shorter side. Dark things narrower than the square vanish; shadows wider than it stay.
Image<float> envelope_light(const Image<std::uint8_t>& grey, double share);

/// exp of a polynomial of degree 2 in the position that the brightest cells follow (regression for
/// the expectile 0.97, then least squares without the cells far below it).
Image<float> smooth_light(const Image<std::uint8_t>& grey);

/// The light on the paper around a leaf (1 in `leaf`), carried on across it: exp of a polynomial
/// of degree 2 plus what it leaves over, smoothed. 0 everywhere when no cell shows paper.
Image<float> light_around(const Image<std::uint8_t>& grey, const Image<std::uint8_t>& leaf);

/// The 95th percentile of the light over its 5th, of that on equally large places: 1 for even
/// light. 0 for light of 0.
double light_span(std::span<const float> light);
/// Light that spans more is levelled. Scans stay below.
inline constexpr double kUnevenLight = 1.1;
/// light_around where it spans more on its cells; none where it does not, or where no cell of the
/// paper is so much brighter than another, which takes less time.
std::optional<Image<float>> uneven_light(const Image<std::uint8_t>& grey,
                                         const Image<std::uint8_t>& leaf);

/// grey * (95th percentile of the light) / light, at most 255: the photograph in the light of its
/// brightest part.
Image<std::uint8_t> levelled(const Image<std::uint8_t>& grey, const Image<float>& light);

}  // namespace leafglyph
