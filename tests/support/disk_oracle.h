// A slow, independent oracle for Zernike moments under every rule of the separable transform: the
// definition summed in long double over points, pixel by pixel.
#pragma once

#include <algorithm>
#include <cmath>
#include <complex>
#include <functional>
#include <vector>

#include "features/moments/disk_grid.h"
#include "features/moments/moment_spec.h"
#include "features/separable/disk_lines.h"
#include "tests/support/moment_oracle.h"

namespace leafglyph::oracle {

using Wide = long double;
using Take = std::function<void(Wide x, Wide y, Wide weight)>;

/// The square pixel in column i and row j.
struct Square {
  Wide x0;
  Wide x1;
  Wide y0;
  Wide y1;
  bool has_corners_inside;
  bool has_centre_inside;
};

inline Square square_of(int i, int j, int size) {
  const Wide n = size;
  Square s{
      (2 * i - n) / n, (2 * i + 2 - n) / n, (n - 2 - 2 * j) / n, (n - 2 * j) / n, false, false};
  const long long x = std::llabs(2LL * i + 1 - size);
  const long long y = std::llabs(2LL * j + 1 - size);
  const long long radius = static_cast<long long>(size) * size;
  s.has_corners_inside = (x + 1) * (x + 1) + (y + 1) * (y + 1) <= radius;
  s.has_centre_inside = x * x + y * y <= radius;
  return s;
}

/// Points of the k x k rule in a square.
inline void for_rule_points(const Square& square, const PixelQuadrature& rule, const Take& take) {
  const Wide half = (square.x1 - square.x0) / 2;
  for (int r = 0; r < rule.points(); ++r) {
    for (int s = 0; s < rule.points(); ++s) {
      take(square.x0 + half * (1 + rule.nodes[s]), square.y0 + half * (1 + rule.nodes[r]),
           half * half * rule.weights[r] * rule.weights[s]);
    }
  }
}

/// The part of a square inside the disk: many nodes between the heights at which the circle crosses
/// its sides.
inline void for_exact_points(const Square& square, int nodes, const Take& take) {
  const PixelQuadrature rule = gauss_legendre_rule(nodes);
  std::vector<Wide> heights = {std::max(square.y0, -1.0L), std::min(square.y1, 1.0L)};
  for (const Wide x : {square.x0, square.x1, Wide(0)}) {
    if (std::abs(x) > 1) continue;
    for (const Wide y : {std::sqrt(1 - x * x), -std::sqrt(1 - x * x)}) {
      if (y > heights[0] && y < heights[1]) heights.push_back(y);
    }
  }
  std::sort(heights.begin(), heights.end());
  for (std::size_t piece = 0; piece + 1 < heights.size(); ++piece) {
    const Wide angle0 = std::asin(heights[piece]);
    const Wide angle = (std::asin(heights[piece + 1]) - angle0) / 2;
    for (int r = 0; r < nodes; ++r) {
      const Wide at = angle0 + angle * (1 + rule.nodes[r]);
      const Wide x0 = std::max(square.x0, -std::cos(at));
      const Wide half = (std::min(square.x1, std::cos(at)) - x0) / 2;
      if (half <= 0) continue;
      for (int s = 0; s < nodes; ++s) {
        take(x0 + half * (1 + rule.nodes[s]), std::sin(at),
             angle * std::cos(at) * rule.weights[r] * half * rule.weights[s]);
      }
    }
  }
}

/// The stored moments up to rule.order of an image of size x size pixels.
inline std::vector<std::complex<Wide>> disk_moments(const DiskRule& rule,
                                                    const std::vector<double>& image) {
  const auto indices = moment_indices(Family::kZernike, rule.order);
  std::vector<std::complex<Wide>> sums(indices.size());
  const Wide pi = std::acos(-1.0L);
  const auto add = [&](Wide f, Wide x, Wide y, Wide weight) {
    const auto radial = radial_table(Family::kZernike, rule.order, std::hypot(x, y));
    const Wide theta = std::atan2(y, x);
    for (std::size_t c = 0; c < indices.size(); ++c) {
      const auto [n, m] = indices[c];
      const Wide value = f * weight * (n + 1) / pi * radial[n][m];
      sums[c] += std::complex<Wide>(value * std::cos(m * theta), -value * std::sin(m * theta));
    }
  };
  for (int j = 0; j < rule.size; ++j) {
    for (int i = 0; i < rule.size; ++i) {
      const Square square = square_of(i, j, rule.size);
      const Wide f = image[static_cast<std::size_t>(j) * rule.size + i];
      const bool whole = rule.mask == Mask::kWhole;
      if (whole ? !square.has_corners_inside
                : rule.method != Method::kSubregion && !square.has_centre_inside) {
        continue;
      }
      if (rule.method == Method::kExact) {
        // Enough nodes for polynomials of that order in both directions.
        for_exact_points(square, rule.order / 2 + 12,
                         [&](Wide x, Wide y, Wide weight) { add(f, x, y, weight); });
        continue;
      }
      const PixelQuadrature quadrature = pixel_quadrature(rule.method, rule.points);
      std::size_t inside = 0;
      for_rule_points(square, quadrature,
                      [&](Wide x, Wide y, Wide) { inside += x * x + y * y <= 1 + 1e-15L; });
      const bool all = inside == static_cast<std::size_t>(rule.points) * rule.points;
      if (rule.method == Method::kSubregion && !all) continue;
      for_rule_points(square, quadrature, [&](Wide x, Wide y, Wide weight) {
        if (all || x * x + y * y <= 1) add(f, x, y, weight);
      });
    }
  }
  return sums;
}

}  // namespace leafglyph::oracle
