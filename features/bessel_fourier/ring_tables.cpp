#include "features/bessel_fourier/ring_tables.h"

#include <algorithm>
#include <cmath>
#include <complex>
#include <numbers>
#include <utility>

#include "features/base/errors.h"
#include "features/moments/radial.h"

namespace leafglyph {
namespace {

PixelRules pixel_rules(const MomentSpec& spec, int image_size) {
  if (spec.family != Family::kBesselFourier) {
    throw UsageError("rings support Bessel-Fourier moments, not " + describe(spec));
  }
  if (spec.method != Method::kAdaptive) {
    return PixelRules(pixel_quadrature(spec.method, spec.points));
  }
  return PixelRules::graded(image_size, bessel_j1_zeros(spec.order).back(), angular_order_of(spec));
}

// Points at pixel centres need no margin. Others lie within half the diagonal of a pixel.
double ring_margin(const MomentSpec& spec, int image_size) {
  const bool centres_alone = spec.method != Method::kAdaptive && spec.points == 1;
  return centres_alone ? 0.0 : std::sqrt(2.0) / image_size;
}

// The pixels by increasing radius, with their radii.
struct SortedPixels {
  std::vector<OctantPixel> pixels;
  std::vector<double> radii;
};

SortedPixels sorted(const std::vector<OctantPixel>& pixels) {
  std::vector<std::pair<double, std::size_t>> order;
  order.reserve(pixels.size());
  for (const OctantPixel& pixel : pixels) {
    order.emplace_back(std::hypot(pixel.x, pixel.y), order.size());
  }
  std::sort(order.begin(), order.end(), [&](const auto& a, const auto& b) {
    return a.first != b.first ? a.first < b.first
                              : pixels[a.second].images < pixels[b.second].images;
  });
  SortedPixels sorted;
  for (const auto& [radius, number] : order) {
    sorted.pixels.push_back(pixels[number]);
    sorted.radii.push_back(radius);
  }
  return sorted;
}

}  // namespace

bool has_rings(const PlanRequest& request) { return request.spec.family == Family::kBesselFourier; }

double ring_bytes(const PlanRequest& request) {
  const MomentSpec& spec = request.spec;
  const double orders = spec.order;
  const double repetitions = static_cast<double>(angular_order_of(spec)) + 1;
  const RingLayout rings = ring_layout(spec, request.image_size());
  const double row = static_cast<double>(rings.rings) * static_cast<double>(rings.terms);
  const double scalar = scalar_bytes(request.precision);
  return orders * row * (sizeof(double) + scalar) + 2 * repetitions * (row + orders) * scalar +
         orders * repetitions * sizeof(std::complex<double>) +
         disk_grid_bytes(request.image_size()) +
         static_cast<double>(request.size.elements()) * sizeof(double);
}

RingLayout ring_layout(const MomentSpec& spec, int image_size) {
  // lambda_n < pi (n + 1/4) (DLMF 10.21.19)
  return ring_layout(std::numbers::pi * (spec.order + 0.25), ring_margin(spec, image_size));
}

RingTables::RingTables(const MomentSpec& spec, int image_size)
    : rules(pixel_rules(spec, image_size)), rings(spec.order, ring_margin(spec, image_size)) {
  SortedPixels by_radius = sorted(DiskGrid(image_size, spec).octant());
  pixels = std::move(by_radius.pixels);
  for (std::size_t p = 0; p < pixels.size(); ++p) {
    const double rho = by_radius.radii[p];
    Run run;
    run.first = p;
    run.ring = rings.ring_of(rho);
    run.is_centre = !rules.serves_centre() && rho < 1.5 / image_size;
    run.rule = run.is_centre ? 0 : rules.rule_of(rho);
    const bool goes_on = !runs.empty() && runs.back().ring == run.ring &&
                         runs.back().rule == run.rule && runs.back().is_centre == run.is_centre;
    if (!goes_on) runs.push_back(run);
    ++runs.back().count;
  }
}

}  // namespace leafglyph
