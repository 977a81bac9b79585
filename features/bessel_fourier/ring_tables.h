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

/// Whether the request is for Bessel-Fourier moments. Rings support no other family.
bool has_rings(const PlanRequest& request);
/// Upper bound for the host memory of a transform on rings, in bytes.
double ring_bytes(const PlanRequest& request);

/// The layout of the rings of such tables, without building them. May have slightly more rings than
/// the tables.
RingLayout ring_layout(const MomentSpec& spec, int image_size);

/// The highest m of a Bessel-Fourier spec.
inline int angular_order_of(const MomentSpec& spec) {
  return spec.angular_order.value_or(spec.order);
}

/// The octant's pixels by increasing radius, cut into runs that share a ring and a rule. All points
/// of a pixel belong to the ring of its centre, whose margins contain them. Immutable.
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
};

}  // namespace leafglyph
