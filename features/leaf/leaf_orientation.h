// The orientation of a leaf's grey values relative to the radius from the image centre.
#pragma once

#include <cstdint>

#include "features/image/image.h"

namespace leafglyph {

/// Standard deviation in pixels of the Gaussian that averages the tensor: several veins wide, and
/// narrower than the angles between veins turn.
inline constexpr double kTensorSigma = 2;
/// Added to the trace, as a share of its mean over the leaf.
inline constexpr double kFlatShare = 0.3;
/// A mean trace below this, in squared grey values a pixel, is rounding.
inline constexpr double kLeastTrace = 1e-6;

/// The orientation of a structure tensor against the radius. With J = G * (grad g)(grad g)^T, G a
/// Gaussian, e_r and e_t the unit vectors along and across the radius from the image centre, and
/// t the trace of J plus a share of its mean over the leaf (so that flat parts count for little):
///   radial = (e_r^T J e_r - e_t^T J e_t) / t, near 1 where grey varies along the radius, near -1
///            across it: veins that run outwards;
///   oblique = |2 e_r^T J e_t| / t, near 1 where it varies at 45 degrees to the radius, to either
///             side.
/// Neither is larger than 1 in magnitude; both are 0 where `inside` is.
/// (Structure tensor: Foerstner and Guelch 1987; Bigun and Granlund 1987.)
struct LeafOrientation {
  Image<float> radial;
  Image<float> oblique;
  bool varies = false;  ///< false for a leaf without gradients; both images are then 0
};

/// Of grey values whose gradient is taken by central differences where `inside` is 1; gradients
/// elsewhere count as 0. Pixels at the border of the image must not be inside.
LeafOrientation leaf_orientation(const Image<float>& grey, const Image<std::uint8_t>& inside);

}  // namespace leafglyph
