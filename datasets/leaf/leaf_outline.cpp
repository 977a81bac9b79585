#include "datasets/leaf/leaf_outline.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <span>

namespace leafglyph {
namespace {

constexpr double kPi = std::numbers::pi;
// Points along one side of a leaf: several per tooth of the finest margin.
constexpr int kSidePoints = 240;

double smooth_step(double t) {
  t = std::clamp(t, 0.0, 1.0);
  return t * t * (3 - 2 * t);
}

// t^base (1 - t)^tip, 1 at its peak.
double profile(double t, double base, double tip) {
  const double peak = base / (base + tip);
  return std::pow(t / peak, base) * std::pow((1 - t) / (1 - peak), tip);
}

// Positions along the midrib, denser at both ends, where outlines bend fastest.
double side_position(int i, int count) { return 0.5 - 0.5 * std::cos(kPi * i / count); }

Point side_point(const LeafShape& shape, double t) {
  const double inside = std::clamp(t, 1e-9, 1 - 1e-9);
  double y = 0.5 * shape.width * profile(inside, shape.base, shape.tip);
  double x = t;
  if (shape.outline == Outline::kCordate) {
    x -= shape.depth * y / (0.5 * shape.width) * std::exp(-t / 0.18);
  } else if (shape.outline == Outline::kPinnatifid) {
    const double wave = 0.5 + 0.5 * std::cos(2 * kPi * shape.lobes * t);
    y *= 1 - shape.depth * wave * smooth_step(8 * t) * smooth_step(5 * (1 - t));
  }
  return {x, y};
}

// One side, from base to tip, of the outlines with a midrib.
std::vector<Point> simple_side(const LeafShape& shape) {
  std::vector<Point> side;
  for (int i = 0; i <= kSidePoints; ++i) {
    side.push_back(side_point(shape, side_position(i, kSidePoints)));
  }
  return side;
}

// Directions of the lobes around the end of the stalk, over 3/4 of a full angle; the middle lobe is
// the longest.
std::vector<double> palmate_angles(int lobes) {
  std::vector<double> angles;
  angles.reserve(static_cast<std::size_t>(lobes));
  for (int i = 0; i < lobes; ++i) {
    angles.push_back(lobes == 1 ? 0 : 1.5 * kPi * (static_cast<double>(i) / (lobes - 1) - 0.5));
  }
  return angles;
}

double lobe_length(double angle) { return 0.5 + 0.25 * (1 + std::cos(angle)); }

// In polar coordinates around the end of the stalk: the radius is the largest over all lobes of
// lobe_length * (1 - depth * off^(2 tip)), where `off` is the angle from the lobe in half spacings,
// and at least 0.08. The width scales y.
std::vector<Point> palmate_side(const LeafShape& shape) {
  const std::vector<double> angles = palmate_angles(shape.lobes);
  const double spacing = 1.5 * kPi / std::max(1, shape.lobes - 1);
  std::vector<Point> side;
  for (int i = 0; i <= kSidePoints; ++i) {
    const double angle = kPi * (1 - static_cast<double>(i) / kSidePoints);
    double radius = 0.08;
    for (const double lobe : angles) {
      const double off = std::abs(std::remainder(angle - lobe, 2 * kPi)) / (0.5 * spacing);
      const double reach = std::max(0.0, 1 - shape.depth * std::pow(off, shape.tip * 2));
      radius = std::max(radius, lobe_length(lobe) * reach);
    }
    side.push_back({radius * std::cos(angle), radius * std::sin(angle) * 2 * shape.width});
  }
  return side;
}

// A sector around the end of the stalk: up to radius 0.75 the side widens to the half angle
// `width`; the outer edge has rounded corners, a notch in the middle and waves set by `lobes`.
std::vector<Point> fan_side(const LeafShape& shape) {
  std::vector<Point> side;
  const double half_angle = shape.width;
  constexpr int kEdge = kSidePoints / 4;
  for (int i = 0; i < kEdge; ++i) {
    const double r = 0.75 * i / kEdge;
    const double bulge = half_angle * smooth_step(r / 0.5);
    side.push_back({r * std::cos(bulge), r * std::sin(bulge)});
  }
  for (int i = 0; i <= kSidePoints - kEdge; ++i) {
    const double angle = half_angle * (1 - static_cast<double>(i) / (kSidePoints - kEdge));
    const double corner = smooth_step(angle / half_angle);
    const double notch = shape.depth * std::exp(-angle / 0.06);
    const double wave = 0.02 * std::cos(angle * shape.lobes * 2);
    const double r = 1 - 0.25 * std::pow(corner, 6) - notch + wave;
    side.push_back({r * std::cos(angle), r * std::sin(angle)});
  }
  return side;
}

// One side of the leaves without a formula, from base to tip, before smoothing.
std::span<const Point> polygon(int number) {
  static constexpr Point kTulip[] = {{0, 0},       {-0.02, 0.18}, {0.08, 0.36}, {0.22, 0.4},
                                     {0.36, 0.47}, {0.42, 0.36},  {0.5, 0.25},  {0.66, 0.3},
                                     {0.92, 0.36}, {0.9, 0.2},    {0.83, 0.0}};
  static constexpr Point kArrow[] = {{0.0, 0},    {0.02, 0.1},  {-0.2, 0.3}, {-0.13, 0.28},
                                     {0.1, 0.25}, {0.35, 0.22}, {0.7, 0.11}, {1, 0}};
  static constexpr Point kHalberd[] = {{0, 0},       {-0.03, 0.1}, {-0.06, 0.4}, {0.05, 0.36},
                                       {0.18, 0.16}, {0.5, 0.17},  {0.8, 0.08},  {1, 0}};
  static constexpr Point kTriangle[] = {{0, 0},     {-0.06, 0.25}, {0.03, 0.46}, {0.14, 0.47},
                                        {0.4, 0.3}, {0.75, 0.12},  {1, 0}};
  static constexpr Point kFiddle[] = {{0, 0},       {0.03, 0.14}, {0.12, 0.24},
                                      {0.25, 0.22}, {0.4, 0.13},  {0.55, 0.16},
                                      {0.75, 0.31}, {0.92, 0.24}, {1, 0}};
  switch (number) {
    case 0:
      return kTulip;
    case 1:
      return kArrow;
    case 2:
      return kHalberd;
    case 3:
      return kTriangle;
    default:
      return kFiddle;
  }
}

Point spline(const Point& a, const Point& b, const Point& c, const Point& d, double t) {
  const auto blend = [t](double p, double q, double r, double s) {
    return 0.5 * (2 * q + t * (r - p) + t * t * (2 * p - 5 * q + 4 * r - s) +
                  t * t * t * (3 * q - p - 3 * r + s));
  };
  return {blend(a.x, b.x, c.x, d.x), blend(a.y, b.y, c.y, d.y)};
}

// A Catmull-Rom spline through the polygon's points, which are scaled to the leaf's width.
std::vector<Point> polygon_side(const LeafShape& shape) {
  const std::span<const Point> corners = polygon(shape.lobes);
  std::vector<Point> side;
  const int segments = static_cast<int>(corners.size()) - 1;
  const int steps = kSidePoints / segments;
  const auto at = [&](int i) {
    Point p = corners[static_cast<std::size_t>(std::clamp(i, 0, segments))];
    p.y *= shape.width;
    return p;
  };
  for (int s = 0; s < segments; ++s) {
    for (int i = 0; i < steps; ++i) {
      side.push_back(spline(at(s - 1), at(s), at(s + 1), at(s + 2), double(i) / steps));
    }
  }
  side.push_back(at(segments));
  return side;
}

std::vector<Point> plain_side(const LeafShape& shape) {
  switch (shape.outline) {
    case Outline::kPalmate:
      return palmate_side(shape);
    case Outline::kFan:
      return fan_side(shape);
    case Outline::kPolygon:
      return polygon_side(shape);
    default:
      return simple_side(shape);
  }
}

// The height of the margin, 0..1, at phase 0..1 within a tooth.
double tooth(Margin margin, double phase) {
  switch (margin) {
    case Margin::kEntire:
      return 0;
    case Margin::kSerrate:
      return phase < 0.8 ? phase / 0.8 : (1 - phase) / 0.2;
    case Margin::kDentate:
      return 1 - std::abs(2 * phase - 1);
    case Margin::kCrenate:
      return std::sqrt(std::max(0.0, 1 - (2 * phase - 1) * (2 * phase - 1)));
    case Margin::kUndulate:
      return 0.5 - 0.5 * std::cos(2 * kPi * phase);
    case Margin::kSpiny:
      return std::pow(1 - std::abs(2 * phase - 1), 3);
  }
  return 0;
}

// Moves the points of a side outwards by the teeth of the margin, which are evenly spaced along its
// length.
std::vector<Point> with_margin(const LeafShape& shape, const std::vector<Point>& side,
                               RandomNumbers& random) {
  if (shape.margin == Margin::kEntire || shape.teeth == 0) return side;
  std::vector<double> length(side.size(), 0);
  for (std::size_t i = 1; i < side.size(); ++i) {
    length[i] = length[i - 1] + std::hypot(side[i].x - side[i - 1].x, side[i].y - side[i - 1].y);
  }
  std::vector<double> heights;
  for (int i = 0; i <= shape.teeth; ++i) heights.push_back(random.normal(1, 0.15));
  std::vector<Point> result;
  const auto samples = static_cast<std::size_t>(shape.teeth) * 10;
  std::size_t segment = 1;
  for (std::size_t s = 0; s <= samples; ++s) {
    const double along = static_cast<double>(s) / static_cast<double>(samples);
    while (segment + 1 < side.size() && length[segment] < along * length.back()) ++segment;
    const Point &a = side[segment - 1], &b = side[segment];
    const double step = std::max(length[segment] - length[segment - 1], 1e-12);
    const double t = (along * length.back() - length[segment - 1]) / step;
    const double count = along * shape.teeth;
    const double phase = count - std::floor(count);
    const double fade = smooth_step(along / 0.08) * smooth_step((1 - along) / 0.05);
    const double lift = shape.tooth_size * fade * tooth(shape.margin, phase) *
                        heights[static_cast<std::size_t>(count)];
    result.push_back({a.x + t * (b.x - a.x) - lift * (b.y - a.y) / step,
                      a.y + t * (b.y - a.y) + lift * (b.x - a.x) / step});
  }
  return result;
}

void add_curve(std::vector<Vein>& veins, Point from, double angle, double length, double bend,
               double thickness) {
  constexpr int kSteps = 16;
  Vein vein;
  vein.thickness = thickness;
  vein.path.push_back(from);
  for (int i = 1; i <= kSteps; ++i) {
    const double direction = angle - bend * i / kSteps;
    from.x += length / kSteps * std::cos(direction);
    from.y += length / kSteps * std::sin(direction);
    vein.path.push_back(from);
  }
  veins.push_back(std::move(vein));
}

void add_pinnate(const LeafShape& shape, std::vector<Vein>& veins, RandomNumbers& random) {
  const double bend = shape.venation == Venation::kArcuate ? 1.1 * shape.vein_angle : 0.35;
  for (int i = 0; i < shape.veins; ++i) {
    for (const int side : {1, -1}) {
      const double at = 0.04 + 0.86 * (i + 0.5 + random.normal(0, 0.12)) / shape.veins;
      const double angle = shape.vein_angle * (1 - 0.25 * at) + random.normal(0, 0.03);
      add_curve(veins, {at, 0}, side * angle, 0.9, side * bend, 0.5);
    }
  }
}

void add_palmate(const LeafShape& shape, std::vector<Vein>& veins) {
  const int lobes = shape.outline == Outline::kPalmate ? shape.lobes : shape.veins;
  const double spread = shape.outline == Outline::kPalmate ? 1 : 0.5;
  for (const double lobe : palmate_angles(lobes)) {
    const double length = 0.95 * lobe_length(lobe);
    add_curve(veins, {0, 0}, spread * lobe, length, 0, 0.8);
    for (int i = 1; i <= 4; ++i) {
      const Point from{0.2 * i * length * std::cos(spread * lobe),
                       0.2 * i * length * std::sin(spread * lobe)};
      add_curve(veins, from, spread * lobe + 0.7, 0.3 * length, 0.2, 0.35);
      add_curve(veins, from, spread * lobe - 0.7, 0.3 * length, -0.2, 0.35);
    }
  }
}

void add_parallel(const LeafShape& shape, std::vector<Vein>& veins) {
  for (int i = -shape.veins; i <= shape.veins; ++i) {
    const double share = 0.95 * i / (shape.veins + 1);
    Vein vein;
    vein.thickness = 0.4;
    for (int k = 0; k <= 40; ++k) {
      const Point edge = side_point(shape, k / 40.0);
      vein.path.push_back({edge.x, share * edge.y});
    }
    veins.push_back(std::move(vein));
  }
}

}  // namespace

LeafShape varied(const LeafShape& species, RandomNumbers& random) {
  LeafShape leaf = species;
  leaf.width *= random.normal(1, 0.07);
  leaf.base *= random.normal(1, 0.06);
  leaf.tip *= random.normal(1, 0.06);
  leaf.depth *= random.normal(1, 0.08);
  leaf.tooth_size *= random.normal(1, 0.12);
  leaf.teeth = std::max(0, static_cast<int>(std::lround(leaf.teeth * random.normal(1, 0.06))));
  leaf.veins = std::max(0, static_cast<int>(std::lround(leaf.veins * random.normal(1, 0.05))));
  leaf.vein_angle *= random.normal(1, 0.05);
  leaf.vein_contrast *= random.normal(1, 0.12);
  leaf.tone += random.normal(0, 7);
  leaf.stalk *= random.uniform(0.6, 1.4);
  return leaf;
}

std::vector<Point> leaf_outline(const LeafShape& shape, RandomNumbers& random) {
  const std::vector<Point> side = plain_side(shape);
  std::vector<Point> outline;
  const double asymmetry = random.normal(0, 0.03);
  for (const int sign : {1, -1}) {
    std::vector<Point> half = with_margin(shape, side, random);
    for (Point& p : half) p.y *= sign * (1 + sign * asymmetry);
    if (sign < 0) std::reverse(half.begin(), half.end());
    outline.insert(outline.end(), half.begin(), half.end());
  }
  return outline;
}

std::vector<Vein> leaf_veins(const LeafShape& shape, RandomNumbers& random) {
  std::vector<Vein> veins;
  if (shape.venation != Venation::kFan) veins.push_back({{{-0.02, 0}, {0.98, 0}}, 1});
  switch (shape.venation) {
    case Venation::kPinnate:
    case Venation::kArcuate:
      add_pinnate(shape, veins, random);
      break;
    case Venation::kPalmate:
      add_palmate(shape, veins);
      break;
    case Venation::kParallel:
      add_parallel(shape, veins);
      break;
    case Venation::kFan:
      for (int i = -shape.veins; i <= shape.veins; ++i) {
        add_curve(veins, {0, 0}, shape.width * i / (shape.veins + 0.5), 1.05, 0, 0.4);
      }
      break;
    case Venation::kMidribOnly:
      break;
  }
  return veins;
}

}  // namespace leafglyph
