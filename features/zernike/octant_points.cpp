#include "features/zernike/octant_points.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <numbers>
#include <numeric>

#include "features/base/errors.h"

namespace leafglyph {
namespace {

// Points that are converted to polar form together.
constexpr std::size_t kBuffer = 512;

struct Buffer {
  std::size_t count = 0;
  double x[kBuffer];
  double y[kBuffer];
  double area[kBuffer];
  std::uint32_t pixel[kBuffer];
  double radius[kBuffer];
  double cosine[kBuffer];
  double sine[kBuffer];
  double position[kBuffer];
};

}  // namespace

void AngularFactors::start(const PolarPlan& plan, const SpreadKernels& kernels, PointGroup& group) {
  const std::size_t padded = (group.count + kSpreadBlock - 1) / kSpreadBlock * kSpreadBlock;
  std::fill(group.position + group.count, group.position + padded, group.position[group.count - 1]);
  kernels.weights(plan.kernel(), padded, group.position, weights_.data());
  for (std::size_t p = 0; p < group.count; ++p) {
    // e^{j m theta} for m = 0 .. 7, and the factor e^{8 j theta} from one block of eight to the
    // next.
    double c = 1.0;
    double s = 0.0;
    for (std::size_t m = 0; m < kSpreadBlock; ++m) {
      cosines_[p * kSpreadBlock + m] = c;
      sines_[p * kSpreadBlock + m] = s;
      const double next = c * group.cosine[p] - s * group.sine[p];
      s = s * group.cosine[p] + c * group.sine[p];
      c = next;
    }
    turn_cosine_[p] = c;
    turn_sine_[p] = s;
  }
}

SpreadGroup AngularFactors::group(std::size_t count) {
  return {count,         weights_.data(),     cosines_.data(),
          sines_.data(), turn_cosine_.data(), turn_sine_.data(),
          nullptr,       real_.data(),        imaginary_.data(),
          nullptr};
}

OctantPoints::OctantPoints(const DiskGrid& grid) : size_(grid.size()) {
  const auto& octant = grid.octant();
  std::vector<std::size_t> order(octant.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  const auto radius = [&](std::size_t p) { return std::hypot(octant[p].x, octant[p].y); };
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return radius(a) < radius(b); });
  numbers_.resize(8 * octant.size());
  for (std::size_t p = 0; p < octant.size(); ++p) {
    const OctantPixel& pixel = octant[order[p]];
    x_.push_back(pixel.x);
    y_.push_back(pixel.y);
    radius_.push_back(radius(order[p]));
    weight_.push_back(pixel.weight);
    for (std::size_t q = 0; q < 8; ++q) numbers_[q * octant.size() + p] = pixel.images[q];
  }
  rule_of_.assign(octant.size(), 0);
}

OctantPoints::OctantPoints(const MomentSpec& spec, int image_size)
    : OctantPoints(DiskGrid(image_size, spec)) {
  if (spec.method == Method::kAdaptive) {
    choose_rules(spec);
  } else {
    add_rule(pixel_quadrature(spec.method, spec.points));
  }
}

void OctantPoints::add_rule(const PixelQuadrature& rule) {
  rules_.push_back(
      {{rule.nodes.begin(), rule.nodes.end()}, {rule.weights.begin(), rule.weights.end()}});
}

void OctantPoints::choose_rules(const MomentSpec& spec) {
  std::map<int, std::uint16_t> known;
  for (std::size_t p = 0; p < pixels(); ++p) {
    throw_if_interrupted();
    const double half = 1.0 / size_;
    const double inner = std::hypot(std::max(0.0, x_[p] - half), std::max(0.0, y_[p] - half));
    const double outer = std::hypot(x_[p] + half, y_[p] + half);
    const int points = adaptive_points(spec.family, spec.order, half, inner, outer);
    const auto [entry, is_new] =
        known.try_emplace(points, static_cast<std::uint16_t>(rules_.size()));
    if (is_new) add_rule(gauss_legendre_rule(points));
    rule_of_[p] = entry->second;
  }
  triangle_side_ = (size_ % 2 == 0 ? 2.0 : 1.0) / size_;
}

OctantPoints OctantPoints::centres(const MomentSpec& spec, int image_size) {
  OctantPoints points(DiskGrid(image_size, spec));
  points.add_rule(midpoint_rule(1));
  return points;
}

std::size_t OctantPoints::points() const {
  std::size_t sum = 0;
  for (const std::uint16_t r : rule_of_) sum += rules_[r].nodes.size() * rules_[r].nodes.size();
  return sum;
}

std::pair<std::size_t, std::size_t> OctantPoints::pixels_near(const PolarPlan& plan, int first,
                                                              int last) const {
  // A pixel extends half its diagonal, sqrt(2) / N, to both sides of its centre's radius. 1.5 / N
  // leaves room for rounding.
  const double reach = 1.5 / size_;
  const double inner = last >= plan.grid().intervals ? -1.0 : plan.outer_radius(last) - reach;
  const double outer = first == 0 ? 2.0 : plan.outer_radius(first) + reach;
  return {std::lower_bound(radius_.begin(), radius_.end(), inner) - radius_.begin(),
          std::upper_bound(radius_.begin(), radius_.end(), outer) - radius_.begin()};
}

// Converts the points of the pixels that may reach the intervals to polar form, kBuffer at a time,
// and sorts them into one group per interval. A group is used when it is full, and at the end.
void OctantPoints::for_intervals(const PolarPlan& plan, const SpreadKernels& kernels, int first,
                                 int last, const std::function<void(int, PointGroup&)>& use) const {
  std::vector<PointGroup> groups(static_cast<std::size_t>(last - first));
  Buffer buffer;
  const auto empty_buffer = [&] {
    throw_if_interrupted();
    std::fill(buffer.x + buffer.count, buffer.x + kBuffer, 0.0);
    std::fill(buffer.y + buffer.count, buffer.y + kBuffer, 0.0);
    kernels.polar(plan.arcsine(), (buffer.count + kSpreadBlock - 1) / kSpreadBlock * kSpreadBlock,
                  plan.is_pseudo(), plan.cells_per_radian(),
                  {buffer.x, buffer.y, buffer.radius, buffer.cosine, buffer.sine, buffer.position});
    for (std::size_t i = 0; i < buffer.count; ++i) {
      const int interval = std::min(static_cast<int>(buffer.position[i]), plan.grid().circle / 2);
      if (interval < first || interval >= last) continue;
      PointGroup& group = groups[static_cast<std::size_t>(interval - first)];
      const std::size_t at = group.count++;
      group.position[at] = buffer.position[i];
      group.radius[at] = buffer.radius[i];
      group.cosine[at] = buffer.cosine[i];
      group.sine[at] = buffer.sine[i];
      group.area[at] = buffer.area[i];
      group.pixel[at] = buffer.pixel[i];
      if (group.count == PointGroup::kCapacity) {
        use(interval, group);
        group.count = 0;
      }
    }
    buffer.count = 0;
  };
  const auto [begin, end] = pixels_near(plan, first, last);
  for (std::size_t p = begin; p < end; ++p) {
    for_points(p, [&](double x, double y, double area) {
      const std::size_t at = buffer.count++;
      buffer.x[at] = x;
      buffer.y[at] = y;
      buffer.area[at] = area;
      buffer.pixel[at] = static_cast<std::uint32_t>(p);
      if (buffer.count == kBuffer) empty_buffer();
    });
  }
  if (buffer.count > 0) empty_buffer();
  for (int i = first; i < last; ++i) {
    PointGroup& group = groups[static_cast<std::size_t>(i - first)];
    if (group.count > 0) use(i, group);
  }
}

namespace {

// Next to the rim the wave gets shorter across the pixel. Its shortest part is taken to be this
// much faster than the mean.
constexpr double kShortest = 1.5;

// The largest wave number for which the error bound of q points, with (2q)! as a gamma function, is
// at most the tolerance.
double computed_reach(int q) {
  const double rest = (2 * q + 1) * std::numbers::ln2 + 4 * std::lgamma(q + 1.0) -
                      std::log(2 * q + 1.0) - 3 * std::lgamma(2 * q + 1.0);
  return std::exp((std::log(kAdaptiveTolerance) - rest) / (2 * q));
}

double reach_of(int q) {
  constexpr int kTabulated = 64;
  static const std::vector<double> table = [] {
    std::vector<double> reaches{0.0};
    for (int points = 1; points < kTabulated; ++points) reaches.push_back(computed_reach(points));
    return reaches;
  }();
  return q < kTabulated ? table[static_cast<std::size_t>(q)] : computed_reach(q);
}

}  // namespace

int adaptive_points(Family family, int order, double half_side, double inner, double outer) {
  const bool pseudo = family == Family::kPseudoZernike;
  const double waves = pseudo ? 2.0 * order + 1 : order;
  const auto root = [pseudo](double rho) {
    const double r = std::clamp(rho, 0.0, 1.0);
    return pseudo ? std::sqrt(r) : r;
  };
  // With r = rho or sqrt(rho), the phase changes by waves * d(arccos r).
  const auto wave_number_at = [&](double rho) {
    const double r = root(rho);
    const double slope = (pseudo ? 2 * r : 1.0) * std::sqrt(1 - r * r);
    return slope > 0 ? waves / slope : std::numeric_limits<double>::infinity();
  };
  const double across = waves * (std::acos(root(inner)) - std::acos(root(outer))) / 2;
  const double wave_number = std::min(
      half_side * std::max(wave_number_at(inner), wave_number_at(outer)), kShortest * across);
  int points = 2;
  while (wave_number > reach_of(points)) ++points;
  return points;
}

namespace {

// The tables take the points of the octant and the nodes. An image takes its points, each of which
// is spread onto kSpreadWidth cells per repetition, the products of cells with nodes, and the
// recurrences at the nodes.
TransformWork polar_work(const PlanRequest& request, double octant, double points) {
  const MomentSpec& spec = request.spec;
  const double repetitions = spec.order + 1.0;
  const double nodes = spec.family == Family::kZernike ? spec.order / 2.0 : spec.order;
  return {{1.0, octant, nodes * nodes, repetitions * nodes},
          {1.0, points, kSpreadWidth * points * repetitions, repetitions * nodes * nodes,
           repetitions * nodes * spec.order}};
}

}  // namespace

TransformWork polar_moments_work(const PlanRequest& request) {
  const MomentSpec& spec = request.spec;
  const double half = 1.0 / request.image_size();
  const double octant = about_octant_pixels(request.image_size());
  const double points = octant * mean_over_disk([&](double rho) {
                          const int side =
                              spec.method == Method::kAdaptive
                                  ? adaptive_points(spec.family, spec.order, half,
                                                    std::max(0.0, rho - half), rho + half)
                                  : spec.points;
                          return static_cast<double>(side) * side;
                        });
  return polar_work(request, octant, points);
}

TransformWork polar_images_work(const PlanRequest& request) {
  const double octant = about_octant_pixels(request.image_size());
  return polar_work(request, octant, octant);
}

}  // namespace leafglyph
