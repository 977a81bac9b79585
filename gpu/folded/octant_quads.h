// The octant's pixels in the order in which the GPU folds them: quads of 2 x 2 pixels.
//
// In pixels from the first one at x >= 0, y >= 0, u to the right and v upwards, a quad is the
// pixels (u0 + e, v0 + d), e, d in {0, 1}, u0 and v0 even. Under each of the eight mirror images a
// quad is again 2 x 2 neighbours, so that two are read at a time. Groups of 32 quads, a warp's,
// fill kPlacesOfGroup places: pixel (e, d) of quad i of group g has place 128 g + 64 d + 2 i + e.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "features/moments/disk_grid.h"

namespace leafglyph::gpu {

inline constexpr std::size_t kQuadsOfGroup = 32;
inline constexpr std::size_t kPlacesOfGroup = 4 * kQuadsOfGroup;

struct OctantQuads {
  explicit OctantQuads(const DiskGrid& grid);

  std::size_t count = 0;  ///< quads, a multiple of kQuadsOfGroup; those added are empty
  /// Number, in the image, of pixel (0, 0) of quad i under mirror image q (as in OctantPixel):
  /// bases[q * count + i].
  std::vector<std::int32_t> bases;
  std::vector<std::uint8_t> masks;  ///< bit 2 d + e of masks[i]: pixel (e, d) of quad i counts
  /// The pixel of every place; a place that has none holds another pixel, of weight 0.
  std::vector<OctantPixel> places;
};

}  // namespace leafglyph::gpu
