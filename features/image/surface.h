// Pictures of the surface of a body in a volume, whole or cut by planes.
//
// Voxel coordinates: (x, y, z) is the centre of voxel (slice z, row y, column x) if these are
// integers. The volume extends from -1/2 to its lengths - 1/2. The body is where the values,
// interpolated trilinearly between the centres, are at or above a level.
#pragma once

#include <array>
#include <vector>

#include "features/image/volume.h"

namespace leafglyph {

/// A plane keeps the points with a x + b y + c z <= offset for the normal (a, b, c), in voxel
/// coordinates.
struct ClipPlane {
  std::array<double, 3> normal{};
  double offset = 0.0;
};

/// What to draw and the direction to view it from, seen from infinitely far away. In degrees: the
/// azimuth in the plane of a slice (0 is to the right of the slice, 90 above its first row), and
/// the elevation from that plane towards later slices. In the picture z points up.
struct SurfaceView {
  double level = 0.0;
  std::vector<ClipPlane> clips;
  double azimuth = -60.0;
  double elevation = 30.0;
};

/// Throws UsageError if a number is not finite, a normal is 0, the elevation is beyond 90 degrees,
/// or a single plane removes all of a volume of these lengths (x, y, z).
void validate(const SurfaceView& view, const std::array<int, 3>& lengths);

/// What the ray of a pixel hits first.
struct SurfaceHit {
  enum class Kind {
    kNothing,
    kSurface,  ///< the level surface
    kCut       ///< a clipping plane, or the volume's border, inside the body
  };
  Kind kind = Kind::kNothing;
  std::array<double, 3> point{};   ///< in voxel coordinates
  std::array<double, 3> normal{};  ///< unit, outwards: against the gradient, or that of the plane
};

/// Casts parallel rays, one per pixel, through a picture that just contains the volume. A pixel is
/// as large as a voxel, unless the longer side would then have fewer than 512 or more than 4096
/// pixels. Rays are sampled every half voxel, and the level is located between samples by
/// bisection, so that thinner parts can be missed. Throws UsageError as validate(), and
/// Interrupted.
Image<SurfaceHit> cast_rays(const Volume& volume, const SurfaceView& view);

/// The picture of cast rays as grey values from 0 to `peak`. The surface is lit from the upper left
/// of the eye, cut faces show the values of their voxels, and the rest is 0.
Image<double> shade(const Image<SurfaceHit>& hits, const Volume& volume, const SurfaceView& view,
                    double peak);

}  // namespace leafglyph
