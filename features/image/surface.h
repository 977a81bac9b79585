// Pictures of the surface of a body in a volume, whole or cut by planes.
//
// Voxel coordinates: (x, y, z) is the centre of voxel (slice z, row y, column x) where these are
// whole numbers, and the volume reaches from -1/2 to its lengths - 1/2. The body is where the
// values, trilinear between the centres, are not below a level.
#pragma once

#include <array>
#include <vector>

#include "features/image/volume.h"

namespace leafglyph {

/// What a plane leaves: a x + b y + c z <= offset for the normal (a, b, c), in voxel coordinates.
struct ClipPlane {
  std::array<double, 3> normal{};
  double offset = 0.0;
};

/// What is drawn, and where it is looked at from: from far away, in degrees, the azimuth in the
/// plane of a slice (0 is to the right of it, 90 above its first row), the elevation from that
/// plane towards later slices. In the picture z points up.
struct SurfaceView {
  double level = 0.0;
  std::vector<ClipPlane> clips;
  double azimuth = -60.0;
  double elevation = 30.0;
};

/// Throws UsageError for numbers that are not finite, a normal that is 0, an elevation beyond 90
/// degrees, and planes of which one alone leaves nothing of a volume of these lengths (x, y, z).
void validate(const SurfaceView& view, const std::array<int, 3>& lengths);

/// What the ray of a pixel meets first.
struct SurfaceHit {
  enum class Kind {
    kNothing,
    kSurface,  ///< the level
    kCut       ///< a clipping plane, or the volume's border, inside the body
  };
  Kind kind = Kind::kNothing;
  std::array<double, 3> point{};   ///< in voxel coordinates
  std::array<double, 3> normal{};  ///< unit, outwards: against the gradient, or the plane's
};

/// Parallel rays through a picture that just holds the volume, one per voxel, but of 512 to 4096
/// pixels along its longer side. Rays are sampled every half voxel, and the level halved in
/// between: parts thinner than that can be missed. Throws UsageError as validate(), Interrupted.
Image<SurfaceHit> cast_rays(const Volume& volume, const SurfaceView& view);

/// The same as grey values from 0 to `peak`: the surface lit from the eye's upper left, cut faces
/// in the values of their voxels, the rest 0.
Image<double> draw_surface(const Volume& volume, const SurfaceView& view, double peak);

/// draw_surface of what cast_rays found.
Image<double> shade(const Image<SurfaceHit>& hits, const Volume& volume, const SurfaceView& view,
                    double peak);

}  // namespace leafglyph
