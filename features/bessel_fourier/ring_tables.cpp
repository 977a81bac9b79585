#include "features/bessel_fourier/ring_tables.h"

#include <algorithm>
#include <cmath>
#include <complex>
#include <utility>

#include "features/moments/radial.h"

namespace leafglyph {
namespace {

PixelRules pixel_rules(const MomentSpec& spec, int image_size) {
  if (spec.method != Method::kAdaptive) {
    return PixelRules(pixel_quadrature(spec.method, spec.points));
  }
  return PixelRules::graded(image_size, bessel_j1_zeros(spec.order).back(), angular_order_of(spec));
}

// How far the radius of a point may be from that of its pixel's centre: half the diagonal.
double pixel_reach(const MomentSpec& spec, int image_size) {
  const bool centres_alone = spec.method != Method::kAdaptive && spec.points == 1;
  return centres_alone ? 0.0 : std::sqrt(2.0) / image_size;
}

// Points on the ring of their own radius need no margin.
double ring_margin(const MomentSpec& spec, int image_size) {
  return ring_bounds(spec).by_point ? 0.0 : pixel_reach(spec, image_size);
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

// The pixels of every ring. Points lie within `reach` of their pixel's radius; the rounding of u is
// far below kSlack.
std::vector<std::vector<std::size_t>> pixels_of_rings(const std::vector<double>& radii,
                                                      const RadialRings& rings, double reach) {
  constexpr double kSlack = 1e-9;
  const RingFunctions& functions = rings.functions();
  std::vector<std::vector<std::size_t>> lists(rings.rings());
  for (std::size_t p = 0; p < radii.size(); ++p) {
    const double inner = functions.coordinate(std::max(0.0, radii[p] - reach)) - kSlack;
    const double outer = functions.coordinate(radii[p] + reach) + kSlack;
    const std::size_t last = rings.ring_of(outer);
    for (std::size_t ring = rings.ring_of(std::max(0.0, inner)); ring <= last; ++ring) {
      lists[ring].push_back(p);
    }
  }
  return lists;
}

// Upper bound for the pixels that such lists repeat: those that a ring's inner circle may touch,
// two diagonals wide, are fewer than the image has columns.
double repeated_pixels(const RingLayout& rings, int image_size) {
  return static_cast<double>(rings.rings) * image_size;
}

}  // namespace

bool has_rings(const PlanRequest& request) {
  return has_ring_functions(request.spec.family) && is_inscribed_textbook(request.spec.convention);
}

double ring_bytes(const PlanRequest& request) {
  // A repeated pixel, its number in a list, and its share of arrays that grow.
  constexpr double kRepeatedBytes = 3.0 * (sizeof(OctantPixel) + sizeof(std::size_t));
  const MomentSpec& spec = request.spec;
  const RingFunctions bounds = ring_bounds(spec);
  const double orders = static_cast<double>(bounds.rows);
  const double repetitions = static_cast<double>(angular_order_of(spec)) + 1;
  const RingLayout rings = ring_layout(spec, request.image_size());
  const double row = static_cast<double>(rings.rings) * static_cast<double>(rings.terms);
  const double scalar = scalar_bytes(request.precision);
  return orders * row * (sizeof(double) + scalar) + 2 * repetitions * (row + orders) * scalar +
         orders * repetitions * (sizeof(std::complex<double>) + sizeof(std::size_t)) +
         disk_grid_bytes(request.image_size()) +
         (bounds.by_point ? repeated_pixels(rings, request.image_size()) : 0.0) * kRepeatedBytes +
         static_cast<double>(request.size.elements()) * sizeof(double);
}

namespace {

// The tables take the functions on the rings, and their pixels, sorted. An image takes the angular
// rows of its points, the sums of these with the terms, and the products with the functions.
TransformWork ring_work(const PlanRequest& request, double points) {
  const MomentSpec& spec = request.spec;
  const RingLayout rings = ring_layout(spec, request.image_size());
  const auto terms = static_cast<double>(rings.terms);
  const double row = static_cast<double>(rings.rings) * terms;
  const auto functions = static_cast<double>(ring_bounds(spec).rows);
  const double angular = 2 * (static_cast<double>(angular_order_of(spec)) + 1);
  return {
      {1.0, about_octant_pixels(request.image_size()), functions * row, functions * row * terms},
      {1.0, points, angular * points, angular * points * terms, angular * functions * row}};
}

}  // namespace

TransformWork ring_moments_work(const PlanRequest& request) {
  const PixelRules rules = pixel_rules(request.spec, request.image_size());
  return ring_work(request,
                   about_octant_pixels(request.image_size()) * mean_over_disk([&](double rho) {
                     return std::pow(rules.rule(rules.rule_of(rho)).points(), 2.0);
                   }));
}

TransformWork ring_images_work(const PlanRequest& request) {
  return ring_work(request, about_octant_pixels(request.image_size()));
}

RingLayout ring_layout(const MomentSpec& spec, int image_size) {
  return ring_layout(ring_bounds(spec).top_phase, ring_margin(spec, image_size));
}

RingTables::RingTables(const MomentSpec& spec, int image_size)
    : rules(pixel_rules(spec, image_size)),
      rings(ring_functions(spec), ring_margin(spec, image_size)),
      positions(ring_positions(spec)) {
  SortedPixels by_radius = sorted(DiskGrid(image_size, spec).octant());
  if (rings.functions().by_point) {
    const auto lists = pixels_of_rings(by_radius.radii, rings, pixel_reach(spec, image_size));
    for (std::size_t ring = 0; ring < lists.size(); ++ring) {
      if (lists[ring].empty()) continue;
      runs.push_back({pixels.size(), lists[ring].size(), ring, /*rule=*/0, /*is_centre=*/false});
      for (const std::size_t p : lists[ring]) pixels.push_back(by_radius.pixels[p]);
    }
    return;
  }
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
