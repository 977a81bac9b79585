// The orientation of a leaf's grey values relative to the radius from the image centre.
#pragma once

#include <cstdint>
#include <span>

#include "features/image/image.h"

namespace leafglyph {

/// Standard deviation in pixels of the Gaussian that averages the tensor: wide enough for several
/// veins, but narrow compared with the distance over which the angles of veins change.
inline constexpr double kTensorSigma = 2;
/// Its weights beyond this many pixels from the centre are left out.
inline constexpr int kTensorRadius = static_cast<int>(4 * kTensorSigma);
/// Added to the trace, as a share of its mean over the leaf.
inline constexpr double kFlatShare = 0.3;
/// A mean trace below this, in squared grey values per pixel, is rounding error.
inline constexpr double kLeastTrace = 1e-6;

/// The orientation of a structure tensor relative to the radius. Let J = G * (grad g)(grad g)^T
/// with a Gaussian G, e_r and e_t the unit vectors along and across the radius from the image
/// centre, and t the trace of J plus a share of its mean over the leaf, which gives flat parts
/// little weight:
///   radial = (e_r^T J e_r - e_t^T J e_t) / t is near 1 where grey varies along the radius, and
///            near -1 where it varies across it (veins that run outwards);
///   oblique = |2 e_r^T J e_t| / t is near 1 where grey varies at 45 degrees to the radius, to
///             either side.
/// Both have magnitudes of at most 1, and are 0 outside `inside`.
/// (Structure tensor: Foerstner and Guelch 1987; Bigun and Granlund 1987.)
///
/// Gradients are central differences of `grey` where `inside` is 1, and count as 0 elsewhere.
/// Pixels at the border of the image must not be inside. The images are as large as `grey`, row by
/// row; an empty span is one that is not wanted. Returns false for a leaf without gradients; both
/// images are then 0.
bool leaf_orientation(const Image<float>& grey, const Image<std::uint8_t>& inside,
                      std::span<float> radial, std::span<float> oblique);

}  // namespace leafglyph
