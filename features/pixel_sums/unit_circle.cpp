#include "features/pixel_sums/unit_circle.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <optional>
#include <vector>

#include "features/base/errors.h"
#include "features/base/text.h"

namespace leafglyph {
namespace {

UnitCircle around_object(std::span<const double> image, const ArraySize& size) {
  std::vector<GridPoint> ends;  // of each row; the pixels between them lie in their hull
  const auto width = static_cast<std::size_t>(size.width);
  for (int row = 0; row < size.height; ++row) {
    const auto pixels = image.subspan(static_cast<std::size_t>(row) * width, width);
    const auto is_object = [](double value) { return value != 0.0; };
    const auto first = std::find_if(pixels.begin(), pixels.end(), is_object);
    if (first == pixels.end()) continue;
    const auto last = std::find_if(pixels.rbegin(), pixels.rend(), is_object);
    ends.push_back({static_cast<int>(first - pixels.begin()), row});
    ends.push_back({static_cast<int>(pixels.rend() - last) - 1, row});
  }
  const UnitCircle circle = ends.empty() ? UnitCircle{} : smallest_circle(ends);
  if (circle.radius == 0.0) {
    throw InputError(
        "the image has fewer than two pixels that are not 0, so no circle encloses them");
  }
  return circle;
}

void place_at_centroid(std::span<const double> image, const ArraySize& size, UnitCircle& circle) {
  double sum = 0.0;
  double sum_x = 0.0;
  double sum_y = 0.0;
  std::size_t pixel = 0;
  for (int row = 0; row < size.height; ++row) {
    for (int column = 0; column < size.width; ++column, ++pixel) {
      const double value = image[pixel];
      sum += value;
      sum_x += value * column;
      sum_y += value * row;
    }
  }
  if (!(sum > 0.0)) {
    throw InputError("the image's values add up to " + number_text(sum) +
                     ", and it has no centroid; give a centre");
  }
  circle.x = sum_x / sum;
  circle.y = sum_y / sum;
}

}  // namespace

UnitCircle unit_circle(const ConventionSpec& spec, std::span<const double> image,
                       const ArraySize& size) {
  UnitCircle circle = spec.given;
  std::optional<UnitCircle> enclosing;
  if (spec.centre == CentreRule::kEnclosing || spec.radius == RadiusRule::kEnclosing) {
    enclosing = around_object(image, size);
  }
  switch (spec.centre) {
    case CentreRule::kImage:
      circle.x = (size.width - 1) / 2.0;
      circle.y = (size.height - 1) / 2.0;
      break;
    case CentreRule::kCentroid:
      place_at_centroid(image, size, circle);
      break;
    case CentreRule::kEnclosing:
      circle.x = enclosing->x;
      circle.y = enclosing->y;
      break;
    case CentreRule::kGiven:
      break;
  }
  switch (spec.radius) {
    case RadiusRule::kInscribed:
      circle.radius = std::max(size.width, size.height) / 2.0;
      break;
    case RadiusRule::kShorter:
      circle.radius = std::min(size.width, size.height);
      break;
    case RadiusRule::kEnclosing:
      circle.radius = enclosing->radius;
      break;
    case RadiusRule::kGiven:
      break;
  }
  return circle;
}

namespace {

// Twice the area of the triangle a, b, c; positive if it runs clockwise on the image.
long long turn(const GridPoint& a, const GridPoint& b, const GridPoint& c) {
  return static_cast<long long>(b.column - a.column) * (c.row - a.row) -
         static_cast<long long>(b.row - a.row) * (c.column - a.column);
}

double square(const GridPoint& p) {
  return static_cast<double>(p.column) * p.column + static_cast<double>(p.row) * p.row;
}

GridPoint operator-(const GridPoint& a, const GridPoint& b) {
  return {a.column - b.column, a.row - b.row};
}

// The angle at `corner` between the directions to a and b, as its cosine, whose sign is exact.
struct Angle {
  Angle(const GridPoint& corner, const GridPoint& a, const GridPoint& b) {
    const GridPoint u = a - corner;
    const GridPoint v = b - corner;
    const double product =
        static_cast<double>(u.column) * v.column + static_cast<double>(u.row) * v.row;
    cosine = product / std::sqrt(square(u) * square(v));
  }
  bool is_obtuse() const { return cosine < 0.0; }
  double cosine;
};

UnitCircle around_two(const GridPoint& a, const GridPoint& b) {
  return {(a.column + b.column) / 2.0, (a.row + b.row) / 2.0, std::sqrt(square(a - b)) / 2.0};
}

// The circle through three points.
UnitCircle around_three(const GridPoint& a, const GridPoint& b, const GridPoint& c) {
  const double twice = 2.0 * static_cast<double>(turn(a, b, c));
  const double aa = square(a);
  const double bb = square(b);
  const double cc = square(c);
  UnitCircle circle;
  circle.x = (aa * (b.row - c.row) + bb * (c.row - a.row) + cc * (a.row - b.row)) / twice;
  circle.y =
      (aa * (c.column - b.column) + bb * (a.column - c.column) + cc * (b.column - a.column)) /
      twice;
  const double x = a.column - circle.x;
  const double y = a.row - circle.y;
  circle.radius = std::sqrt(y * y + x * x);
  return circle;
}

}  // namespace

// Monotone chain: one side of the hull downwards through the sorted points, the other side back up.
std::vector<GridPoint> convex_hull(std::vector<GridPoint> points) {
  const auto before = [](const GridPoint& a, const GridPoint& b) {
    return a.row != b.row ? a.row < b.row : a.column < b.column;
  };
  std::sort(points.begin(), points.end(), before);
  points.erase(std::unique(points.begin(), points.end()), points.end());
  if (points.size() < 3) return points;
  std::vector<GridPoint> hull;
  const auto add = [&hull](const GridPoint& point, std::size_t fixed) {
    while (hull.size() > fixed && turn(hull[hull.size() - 2], hull.back(), point) <= 0) {
      hull.pop_back();
    }
    hull.push_back(point);
  };
  for (const GridPoint& point : points) add(point, 1);
  const std::size_t right = hull.size();
  for (auto point = points.rbegin() + 1; point != points.rend(); ++point) add(*point, right);
  hull.pop_back();  // the first point again
  return hull;
}

UnitCircle smallest_circle(const std::vector<GridPoint>& points) {
  const std::vector<GridPoint> hull = convex_hull(points);
  if (hull.empty()) throw UsageError("there is no smallest circle without points");
  if (hull.size() < 3) return around_two(hull.front(), hull.back());
  GridPoint first = hull[0];
  GridPoint second = hull[1];
  while (true) {
    // The point that sees the side under the smallest angle is the one that the circle has to
    // reach.
    GridPoint farthest;
    double largest = -2.0;
    for (const GridPoint& point : hull) {
      if (point == first || point == second) continue;
      const Angle seen(point, first, second);
      if (seen.cosine <= largest) continue;
      largest = seen.cosine;
      farthest = point;
    }
    if (largest <= 0.0) return around_two(first, second);
    if (Angle(first, second, farthest).is_obtuse()) {
      first = farthest;
    } else if (Angle(second, first, farthest).is_obtuse()) {
      second = farthest;
    } else {
      return around_three(first, second, farthest);
    }
  }
}

}  // namespace leafglyph
