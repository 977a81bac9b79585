// Shape operations for a leaf's channels: stretching the leaf until it is as wide as long, and
// finding the gaps in its convex hull.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>

#include "features/image/image.h"

namespace leafglyph {

/// Pixels kept free between a leaf that is scaled down to fit and the unit circle, where moments
/// are most sensitive.
inline constexpr double kCircleRim = 1;

/// An affine map: pixel (column, row) of a leaf moves to (m[0] column + m[1] row + m[2], m[3]
/// column + m[4] row + m[5]).
using LeafMap = std::array<double, 6>;

/// The map that round_leaf applies; nullopt for an empty mask.
std::optional<LeafMap> rounding_map(const Image<std::uint8_t>& mask);

/// The map from the new to the old positions.
LeafMap inverse(const LeafMap& map);

/// Resamples `values` (N x N, 0 outside the mask) so that the mask gets the second moments of a
/// disk around the image centre. The stretch is the symmetric matrix s C^(-1/2), where C is the
/// covariance of the mask's pixels. Narrow leaves then fill the disk, so that moments resolve them.
/// A rotated leaf gives a rotated result. Leaves that would extend beyond the unit circle are
/// scaled down. `out` is N x N, row by row, and may be `values`; 0 for an empty mask.
void round_leaf(const Image<std::uint8_t>& mask, std::span<const float> values,
                std::span<float> out);

/// Writes 1 to the pixels of the mask's convex hull, 0 elsewhere. `out` is N x N, row by row.
void fill_hull(const Image<std::uint8_t>& mask, std::span<std::uint8_t> out);

/// Writes 1 to the pixels of the mask's convex hull that are not in the mask: notches, and gaps
/// between lobes or leaflets. `out` is N x N, row by row.
void hull_gaps(const Image<std::uint8_t>& mask, std::span<float> out);

}  // namespace leafglyph
