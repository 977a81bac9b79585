#include "features/bessel_fourier/bessel_fourier_tables.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "features/moments/bessel.h"

namespace leafglyph {
namespace {

PixelRules pixel_rules(const BesselFourierSpec& spec) {
  if (spec.method != Method::kAdaptive) {
    return PixelRules(pixel_quadrature(spec.method, spec.points));
  }
  return PixelRules::graded(spec.image_size, bessel_j1_zeros(spec.radial_order).back(),
                            spec.angular_order);
}

// Points at pixel centres need no margin; others lie within half a pixel's diagonal.
double ring_margin(const BesselFourierSpec& spec) {
  const bool centres_alone = spec.method != Method::kAdaptive && spec.points == 1;
  return centres_alone ? 0.0 : std::sqrt(2.0) / spec.image_size;
}

double radius(const OctantPixel& pixel) { return std::hypot(pixel.x, pixel.y); }

}  // namespace

RingLayout ring_layout(const BesselFourierSpec& spec) {
  // lambda_n < pi (n + 1/4) (DLMF 10.21.19)
  return ring_layout(std::numbers::pi * (spec.radial_order + 0.25), ring_margin(spec));
}

BesselFourierTables::BesselFourierTables(const BesselFourierSpec& spec)
    : rules(pixel_rules(spec)),
      rings(spec.radial_order, ring_margin(spec)),
      pixels(DiskGrid(spec.image_size, spec.method, spec.points).octant()) {
  std::sort(pixels.begin(), pixels.end(), [](const OctantPixel& a, const OctantPixel& b) {
    const double radius_a = radius(a);
    const double radius_b = radius(b);
    return radius_a != radius_b ? radius_a < radius_b : a.images < b.images;
  });
  for (std::size_t p = 0; p < pixels.size(); ++p) {
    const double rho = radius(pixels[p]);
    Run run;
    run.first = p;
    run.ring = rings.ring_of(rho);
    run.is_centre = !rules.serves_centre() && rho < 1.5 / spec.image_size;
    run.rule = run.is_centre ? 0 : rules.rule_of(rho);
    const bool goes_on = !runs.empty() && runs.back().ring == run.ring &&
                         runs.back().rule == run.rule && runs.back().is_centre == run.is_centre;
    if (!goes_on) runs.push_back(run);
    ++runs.back().count;
  }
}

}  // namespace leafglyph
