// What the ring transforms of every back end are built from.
#pragma once

#include <cstddef>
#include <vector>

#include "features/bessel_fourier/adaptive_rules.h"
#include "features/bessel_fourier/radial_rings.h"
#include "features/moments/disk_grid.h"
#include "features/moments/moment_spec.h"
#include "features/plan/algorithm.h"

namespace leafglyph {

/// Whether the request is for Bessel-Fourier moments; rings compute no others.
bool has_rings(const PlanRequest& request);
/// Bytes of the host's memory that a transform on them takes at most.
double ring_bytes(const PlanRequest& request);

/// The rings of such tables, to a few more than there are, without making them.
RingLayout ring_layout(const MomentSpec& spec, int image_size);

/// The highest m of a Bessel-Fourier spec.
inline int angular_order_of(const MomentSpec& spec) {
  return spec.angular_order.value_or(spec.order);
}

/// The octant's pixels by growing radius, cut into runs that share a ring and a rule. All points of
/// a pixel belong to the ring of its centre, whose margins hold them. Immutable.
struct RingTables {
  /// Some neighbouring pixels of the list.
  struct Run {
    std::size_t first = 0;
    std::size_t count = 0;
    std::size_t ring = 0;
    std::size_t rule = 0;    ///< of rules, when not is_centre
    bool is_centre = false;  ///< the pixels that `rules` does not cover
  };

  /// Throws UsageError for another family.
  RingTables(const MomentSpec& spec, int image_size);

  PixelRules rules;
  RadialRings rings;
  std::vector<OctantPixel> pixels;
  std::vector<Run> runs;
};

}  // namespace leafglyph
