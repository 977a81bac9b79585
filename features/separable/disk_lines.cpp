#include "features/separable/disk_lines.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <numbers>

#include "features/base/errors.h"
#include "features/base/threads.h"
#include "features/moments/disk_grid.h"

namespace leafglyph {
namespace {

// Number of pairs of columns that count in pair v of rows: those whose farthest point that must lie
// in the disk does so. Integer arithmetic in units of 1/(kN) decides points on the circle exactly.
std::size_t counted_columns(const DiskRule& rule, long long v, std::size_t pairs) {
  const bool by_points = rule.method == Method::kSubregion && rule.mask == Mask::kCentre;
  const long long unit = by_points ? rule.points : 1;
  const long long reach = by_points ? rule.points - 1 : rule.mask == Mask::kWhole ? 1 : 0;
  const long long odd = rule.size % 2;
  const auto farthest = [&](long long pair) { return (2 * pair + 1 - odd) * unit + reach; };
  const long long y = farthest(v);
  const long long radius = unit * rule.size;
  std::size_t count = 0;
  while (count < pairs) {
    const long long x = farthest(static_cast<long long>(count));
    if (x * x + y * y > radius * radius) break;
    ++count;
  }
  return count;
}

void check(const DiskRule& rule) {
  validate_image_size(rule.size);
  validate({Family::kZernike, rule.order, rule.method, rule.points});
  if (rule.method == Method::kAdaptive) {
    throw UsageError("Zernike moments have no adaptive points here; use the exact method");
  }
}

}  // namespace

DiskRule disk_rule(const MomentSpec& spec, int size) {
  if (spec.family != Family::kZernike) {
    throw UsageError("separation of variables supports Zernike moments, not " + describe(spec));
  }
  return {size, spec.order, spec.method, spec.points, mask_of(spec)};
}

DiskRule image_rule(const MomentSpec& spec, int size) {
  DiskRule rule = disk_rule(spec, size);
  if (rule.method == Method::kAdaptive) rule.method = Method::kExact;
  return rule;
}

DiskRule centres_of(const DiskRule& rule) {
  DiskRule centres = rule;
  centres.method = Method::kSubregion;
  centres.points = 1;
  centres.mask = Mask::kCentre;
  return centres;
}

int chord_nodes(int order, double x, double y0, double y1) {
  const double half_chord = std::sqrt(std::max(0.0, (1.0 - x) * (1.0 + x)));
  const auto angle = [&](double y) {
    return half_chord > y ? std::asin(y / half_chord) : 0.5 * std::numbers::pi;
  };
  const double c = 0.5 * (order + 1) * half_chord * (angle(y1) - angle(y0));
  return static_cast<int>(std::ceil(0.5 * c + 3.0 * std::cbrt(c) + 3.0));
}

DiskLines::DiskLines(const DiskRule& rule, bool split_rim) : rule_(rule), split_rim_(split_rim) {
  check(rule);
  const auto pairs = static_cast<std::size_t>((rule.size + 1) / 2);
  columns_.resize(pairs);
  for (std::size_t v = 0; v < pairs; ++v) {
    columns_[v] = counted_columns(rule, static_cast<long long>(v), pairs);
  }
  if (is_exact()) {
    place_edges();
    place_exact_lines();
    std::stable_sort(lines_.begin(), lines_.end(),
                     [](const DiskLine& a, const DiskLine& b) { return a.y < b.y; });
  } else {
    place_points();
  }
}

void DiskLines::place_points() {
  const PixelQuadrature quadrature = pixel_quadrature(rule_.method, rule_.points);
  const long double size = rule_.size;
  const int odd = rule_.size % 2;
  // The points of pair `pair` at coordinates >= 0. Those below 0 exist only in the middle pair of
  // an odd size.
  const auto for_points = [&](std::size_t pair, const auto& take) {
    for (int s = 0; s < quadrature.points(); ++s) {
      const long double offset = 2 * s + 1 == quadrature.points() ? 0.0L : quadrature.nodes[s];
      // The middle pixel is folded with itself: right for a point and its mirror image, twice too
      // much for the point at 0.
      const bool middle = odd == 1 && pair == 0;
      if (middle && 2 * s + 1 < quadrature.points()) continue;
      const long double share = middle && offset == 0.0L ? 0.5L : 1.0L;
      take((2.0L * static_cast<long double>(pair) + 1 - odd + offset) / size,
           share * quadrature.weights[s] / size);
    }
  };
  for (std::size_t u = 0; u < pairs(); ++u) {
    for_points(u, [&](long double x, long double weight) {
      x_.push_back(static_cast<double>(x));
      column_.push_back(u);
      weight_.push_back(static_cast<double>(weight));
    });
  }
  for (std::size_t v = 0; v < pairs(); ++v) {
    if (columns_[v] == 0) continue;
    for_points(v, [&](long double y, long double weight) {
      if (y <= 1.0L) add_line(v, y, weight, 0, x_.size(), lines_);
    });
  }
}

void DiskLines::place_edges() {
  const int odd = rule_.size % 2;
  for (std::size_t e = 0; e <= pairs(); ++e) {
    x_.push_back(std::max(0.0, (2.0 * static_cast<double>(e) - odd) / rule_.size));
  }
}

void DiskLines::add_line(std::size_t v, long double y, long double weight, std::size_t first,
                         std::size_t last, std::vector<DiskLine>& lines) const {
  const long double half_chord = std::sqrt((1.0L - y) * (1.0L + y));
  DiskLine line{v,
                static_cast<double>(y),
                static_cast<double>(half_chord),
                static_cast<double>(weight),
                first,
                first,
                false};
  // For sub-regions, the mask rule already puts all sub-pixel centres of a counted pixel in the
  // disk.
  const bool all = rule_.method == Method::kSubregion;
  const auto counts = [&](std::size_t place) {
    if (is_exact()) return place <= columns_[v] && x_[place] < line.half_chord;
    return column_[place] < columns_[v] && (all || x_[place] <= line.half_chord);
  };
  for (std::size_t end = last; line.places < end;) {  // the places that count come first
    const std::size_t middle = (line.places + end) / 2;
    if (counts(middle)) {
      line.places = middle + 1;
    } else {
      end = middle;
    }
  }
  // The circle passes through the pixel after the last edge inside it.
  line.cut = is_exact() && line.places < last && line.places <= columns_[v];
  if (line.places > line.first || line.cut) lines.push_back(line);
}

// Threads share the strips; sines and cosines in long double take most of the time.
void DiskLines::place_exact_lines() {
  std::vector<Strip> strips;
  for (std::size_t v = 0; v < pairs(); ++v) add_exact_strips(v, strips);
  std::map<int, PixelQuadrature> rules;  // by number of nodes
  for (const Strip& strip : strips) {
    auto& rule = rules[strip.nodes];
    if (rule.nodes.empty()) rule = gauss_legendre_rule(strip.nodes);
  }
  std::vector<std::vector<DiskLine>> of_strips(strips.size());
  const double nanoseconds = rules.empty() ? 1.0 : 200.0 * rules.begin()->first;
  parallel_for({.count = strips.size(), .at_a_time = 16, .nanoseconds = nanoseconds},
               [&](std::size_t i) {
                 const Strip& strip = strips[i];
                 const PixelQuadrature& rule = rules.at(strip.nodes);
                 const long double half = 0.5L * (strip.angle1 - strip.angle0);
                 for (int r = 0; r < strip.nodes; ++r) {
                   const long double angle = strip.angle0 + half * (1.0L + rule.nodes[r]);
                   add_line(strip.row, std::sin(angle), half * rule.weights[r] * std::cos(angle),
                            strip.first, strip.last, of_strips[i]);
                 }
               });
  for (const auto& lines : of_strips) lines_.insert(lines_.end(), lines.begin(), lines.end());
}

// Splits the row where the circle crosses a pixel edge and so moves to the next pixel. Between two
// such y the integral along x is smooth in y.
void DiskLines::add_exact_strips(std::size_t v, std::vector<Strip>& strips) {
  if (columns_[v] == 0) return;
  throw_if_interrupted();
  const int odd = rule_.size % 2;
  const long double size = rule_.size;
  long double y0 = std::max(0.0L, (2.0L * static_cast<long double>(v) - odd) / size);
  const long double y1 = std::min(1.0L, (2.0L * static_cast<long double>(v) + 2 - odd) / size);
  for (std::size_t e = columns_[v]; e > 0; --e) {
    const long double x = (2.0L * static_cast<long double>(e) - odd) / size;
    if (x >= 1.0L) continue;
    const long double y = std::sqrt((1.0L - x) * (1.0L + x));
    if (y >= y1) break;
    if (y <= y0) continue;
    add_exact_piece(v, y0, y, strips);
    y0 = y;
  }
  add_exact_piece(v, y0, y1, strips);
}

// Integrates in the angle asin y, in which the half chord is smooth up to the poles.
void DiskLines::add_exact_piece(std::size_t v, long double y0, long double y1,
                                std::vector<Strip>& strips) {
  const long double angle0 = std::asin(y0);
  const long double angle1 = std::asin(y1);
  const double last_half_chord = static_cast<double>(std::cos(angle1));
  const auto low = static_cast<double>(y0);
  const auto high = static_cast<double>(y1);
  std::size_t outermost = columns_[v];
  while (outermost > 0 && x_[outermost] > last_half_chord) --outermost;
  const std::size_t rim = split_rim_ ? rim_edge(outermost, low, high) : 0;
  if (rim > 0) {
    strips.push_back({v, angle0, angle1, chord_nodes(rule_.order, x_[rim - 1], low, high), 0, rim});
  }
  strips.push_back(
      {v, angle0, angle1, chord_nodes(rule_.order, x_[outermost], low, high), rim, x_.size()});
}

// The first edge to put on separate lines for the rim; 0 if one set of lines costs less. Costs are
// in units of one edge. Each line also has a fixed cost, even if it has no edges.
std::size_t DiskLines::rim_edge(std::size_t outermost, double y0, double y1) const {
  constexpr double kLineCost = 22.0;
  const auto nodes = [&](std::size_t edge) {
    return static_cast<double>(chord_nodes(rule_.order, x_[edge], y0, y1));
  };
  const double rim_nodes = nodes(outermost);
  double least = rim_nodes * (static_cast<double>(outermost) + kLineCost);
  std::size_t best = 0;
  for (std::size_t edges = 1; edges <= outermost; edges *= 2) {
    const std::size_t first = outermost + 1 - edges;
    const double cost = nodes(first - 1) * (static_cast<double>(first) + kLineCost) +
                        rim_nodes * (static_cast<double>(edges) + kLineCost);
    if (cost < least) {
      least = cost;
      best = first;
    }
  }
  return best;
}

}  // namespace leafglyph
