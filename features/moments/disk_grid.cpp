#include "features/moments/disk_grid.h"

#include <cmath>
#include <numbers>

#include "features/base/errors.h"

namespace leafglyph {
namespace {

// Whether the farthest point of the pixel that must lie in the disk does so. In units of 1/(kN) the
// pixel centre is at |2 i + 1 - N| k, the outermost sub-pixel centre k - 1 further out, the corner
// k further out. Integers decide points on the circle exactly.
bool counts(long long column, long long row, int size, Mask mask, int k) {
  const bool corners = mask == Mask::kWhole;
  const long long reach = corners ? 1 : k - 1;
  const long long unit = corners ? 1 : k;
  const long long x = std::llabs(2 * column + 1 - size) * unit + reach;
  const long long y = std::llabs(2 * row + 1 - size) * unit + reach;
  return x * x + y * y <= (unit * size) * (unit * size);
}

}  // namespace

DiskGrid::DiskGrid(int size, const MomentSpec& spec)
    : DiskGrid(size, mask_of(spec), spec.method == Method::kSubregion ? spec.points : 1) {}

DiskGrid::DiskGrid(int size, Mask mask, int k) : size_(size) {
  if (size < 1) throw UsageError("image size " + std::to_string(size) + "; use 1 or more");
  if (size > 1) validate_image_size(size);
  validate_points_a_side(k);
  mask_ = Image<unsigned char>(size, size);
  for (int j = 0; j < size; ++j) {
    throw_if_interrupted();
    for (int i = 0; i < size; ++i) {
      const bool inside = counts(i, j, size, mask, k);
      mask_.at(j, i) = inside;
      pixel_count_ += inside;
    }
  }
  const int last = size - 1;
  // (u, v) count columns to the right and rows upwards from the first ones with x >= 0 and y >= 0.
  const int first = size / 2;
  for (int v = 0; first + v <= last; ++v) {
    const int row = last - (first + v);
    for (int u = v; first + u <= last; ++u) {
      const int column = first + u;
      if (!mask_.at(row, column)) break;
      const int across = last - row;  // the column at the same distance as this row
      const int down = last - column;
      const auto number = [size](int r, int c) { return static_cast<std::int32_t>(r * size + c); };
      const bool on_axis = size % 2 == 1 && v == 0;
      const bool on_diagonal = u == v;
      OctantPixel pixel;
      pixel.images = {number(row, column),
                      number(down, across),
                      number(down, last - across),
                      number(row, last - column),
                      number(last - row, last - column),
                      number(last - down, last - across),
                      number(last - down, across),
                      number(last - row, column)};
      pixel.x = subpixel_centre(column, 0, 1, size);
      pixel.y = -subpixel_centre(row, 0, 1, size);
      pixel.weight = on_axis && on_diagonal ? 0.125 : on_axis || on_diagonal ? 0.5 : 1.0;
      octant_.push_back(pixel);
    }
  }
}

double most_octant_pixels(int image_size) {
  return static_cast<double>(image_size) * image_size * std::numbers::pi / 32 + image_size;
}

double about_octant_pixels(int image_size) {
  const double side = image_size;
  return std::numbers::pi / 32 * side * side + side / (4 * std::numbers::sqrt2);
}

double disk_grid_bytes(int image_size, double sums) {
  // A growing array may take up to twice the space it needs, and the old array exists beside the
  // new one.
  constexpr double kGrowth = 3.0;
  const double kept = (5 + sums) * sizeof(double) + 8 * sizeof(std::int32_t);
  return static_cast<double>(image_size) * image_size +
         most_octant_pixels(image_size) * kGrowth * (sizeof(OctantPixel) + kept);
}

PixelQuadrature midpoint_rule(int points) {
  PixelQuadrature rule;
  for (int s = 0; s < points; ++s) {
    rule.nodes.push_back((2.0L * s + 1.0L) / points - 1.0L);
    rule.weights.push_back(2.0L / points);
  }
  return rule;
}

PixelQuadrature gauss_legendre_rule(int points) {
  PixelQuadrature rule;
  for (int s = points - 1; s >= 0; --s) {
    long double x = std::cos(std::numbers::pi_v<long double> * (s + 0.75L) / (points + 0.5L));
    long double slope = 1.0L;
    // Tricomi's starting value is within 1e-2 of a zero. Six steps square that error below long
    // double.
    for (int step = 0; step < 6; ++step) {
      long double before = 0.0L;
      long double value = 1.0L;
      for (int n = 1; n <= points; ++n) {
        const long double next = ((2 * n - 1) * x * value - (n - 1) * before) / n;
        before = value;
        value = next;
      }
      slope = points * (x * value - before) / (x * x - 1.0L);
      x -= value / slope;
    }
    rule.nodes.push_back(x);
    rule.weights.push_back(2.0L / ((1.0L - x * x) * slope * slope));
  }
  return rule;
}

PixelQuadrature pixel_quadrature(Method method, int points) {
  if (method == Method::kExact) throw UsageError("the exact method samples no points in a pixel");
  if (method == Method::kAdaptive) {
    throw UsageError("the adaptive method has no rule that is accurate enough at every pixel");
  }
  return method == Method::kGauss ? gauss_legendre_rule(points) : midpoint_rule(points);
}

}  // namespace leafglyph
