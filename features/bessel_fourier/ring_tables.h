// The tables from which every back end builds its ring transforms.
#pragma once

#include <cstddef>
#include <vector>

#include "features/bessel_fourier/adaptive_rules.h"
#include "features/bessel_fourier/radial_rings.h"
#include "features/moments/disk_grid.h"
#include "features/moments/moment_spec.h"
#include "features/plan/algorithm.h"

namespace leafglyph {

/// Whether rings support the request: its family has ring functions.
bool has_rings(const PlanRequest& request);
/// Upper bound for the host memory of a transform on rings, in bytes.
double ring_bytes(const PlanRequest& request);
/// The work of moments on rings, and of images.
TransformWork ring_moments_work(const PlanRequest& request);
TransformWork ring_images_work(const PlanRequest& request);

/// The layout of the rings of such tables, without building them. May have slightly more rings than
/// the tables.
RingLayout ring_layout(const MomentSpec& spec, int image_size);

/// The octant's pixels by ring and increasing radius, cut into runs that share a ring and a rule.
/// All points of a pixel belong to the ring of its centre, whose margins contain them. Of functions
/// with by_point, every point belongs to the ring of its own radius; then a pixel is on the list of
/// every ring that its points can lie in. Immutable.
struct RingTables {
  /// Consecutive pixels of the list.
  struct Run {
    std::size_t first = 0;
    std::size_t count = 0;
    std::size_t ring = 0;
    std::size_t rule = 0;    ///< index in `rules`, unless is_centre
    bool is_centre = false;  ///< pixels that `rules` does not cover
  };

  /// Throws UsageError for another family.
  RingTables(const MomentSpec& spec, int image_size);

  PixelRules rules;
  RadialRings rings;
  std::vector<OctantPixel> pixels;
  std::vector<Run> runs;
  std::vector<std::size_t> positions;  ///< ring_positions
};

}  // namespace leafglyph
