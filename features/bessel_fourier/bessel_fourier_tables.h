// What the Bessel-Fourier plans of every back end are built from.
#pragma once

#include <cstddef>
#include <vector>

#include "features/bessel_fourier/adaptive_rules.h"
#include "features/bessel_fourier/bessel_fourier.h"
#include "features/bessel_fourier/radial_rings.h"
#include "features/moments/disk_grid.h"

namespace leafglyph {

/// The rings of such tables, to a few more than there are, without making them.
RingLayout ring_layout(const BesselFourierSpec& spec);

/// The octant's pixels by growing radius, cut into runs that share a ring and a rule. All points of
/// a pixel belong to the ring of its centre, whose margins hold them. Immutable.
struct BesselFourierTables {
  /// Some neighbouring pixels of the list.
  struct Run {
    std::size_t first = 0;
    std::size_t count = 0;
    std::size_t ring = 0;
    std::size_t rule = 0;    ///< of rules, when not is_centre
    bool is_centre = false;  ///< the pixels that rules does not serve
  };

  explicit BesselFourierTables(const BesselFourierSpec& spec);

  PixelRules rules;
  RadialRings rings;
  std::vector<OctantPixel> pixels;
  std::vector<Run> runs;
};

}  // namespace leafglyph
