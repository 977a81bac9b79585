#include "features/fit/fit_points.h"

#include <algorithm>
#include <cmath>
#include <string>

#include "features/base/errors.h"
#include "features/base/text.h"

namespace leafglyph {

FitCircle FitCircle::inscribed(int width, int height) {
  return {(width - 1) / 2.0, (height - 1) / 2.0, std::min(width, height) / 2.0};
}

double FitPoints::x(std::size_t i) const {
  return (static_cast<double>(pixels[i] % static_cast<std::uint32_t>(width)) - circle.column) /
         circle.radius;
}
double FitPoints::y(std::size_t i) const {
  return (circle.row - static_cast<double>(pixels[i] / static_cast<std::uint32_t>(width))) /
         circle.radius;
}

FitPoints fit_points(int width, int height, std::span<const double> map,
                     std::span<const double> weights, const FitCircle& circle, double hole,
                     bool everywhere) {
  if (!(circle.radius > 0.0) || !std::isfinite(circle.radius) || !std::isfinite(circle.column) ||
      !std::isfinite(circle.row)) {
    throw UsageError("a circle of radius " + number_text(circle.radius) + "; use more than 0");
  }
  FitPoints all{width, circle, {}, {}}, points{width, circle, {}, {}};
  for (std::size_t p = 0; p < static_cast<std::size_t>(width) * static_cast<std::size_t>(height);
       ++p) {
    const double weight = weights.empty() ? 1.0 : weights[p];
    if (!(weight >= 0.0) || !std::isfinite(weight)) {
      throw UsageError("the weight " + number_text(weight) + " of pixel " + std::to_string(p) +
                       "; use 0 or more");
    }
    if (weight == 0.0 || !std::isfinite(map[p])) continue;
    all.pixels.assign(1, static_cast<std::uint32_t>(p));
    const double rho = std::hypot(all.x(0), all.y(0));
    if (!everywhere && (rho > 1.0 || rho < hole)) continue;
    points.pixels.push_back(static_cast<std::uint32_t>(p));
    if (!weights.empty()) points.weights.push_back(weight);
  }
  return points;
}

}  // namespace leafglyph
