// The shape of a leaf for its channels: stretched until it is as wide as long, and the gaps in its
// convex hull.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>

#include "features/image/image.h"

namespace leafglyph {

/// Pixels kept free between a leaf that was made to fit and the unit circle, on which moments
/// depend most.
inline constexpr double kCircleRim = 1;

/// An affine map: pixel (column, row) of a leaf becomes (m[0] column + m[1] row + m[2], m[3] column
/// + m[4] row + m[5]).
using LeafMap = std::array<double, 6>;

/// The map of round_leaf; none for an empty mask.
std::optional<LeafMap> rounding_map(const Image<std::uint8_t>& mask);

/// Resamples `values` (N x N, 0 outside the mask) so that the mask's second moments become those of
/// a disk about the image centre: the stretch is the symmetric matrix s C^(-1/2), C the covariance
/// of the mask's pixels. Narrow leaves then fill the disk, so that moments resolve them; turning a
/// leaf turns the result. `out` is N x N, row after row; 0 for an empty mask. Leaves that would
/// leave the unit circle are made smaller.
void round_leaf(const Image<std::uint8_t>& mask, std::span<const float> values,
                std::span<float> out);

/// 1 on the pixels of the mask's convex hull, 0 elsewhere: `out` is N x N, row after row.
void fill_hull(const Image<std::uint8_t>& mask, std::span<std::uint8_t> out);

/// 1 on the pixels of the mask's convex hull that are not in the mask: notches, gaps between lobes
/// or leaflets. `out` is N x N, row after row.
void hull_gaps(const Image<std::uint8_t>& mask, std::span<float> out);

}  // namespace leafglyph
