// The pixel grid on the unit disk: mask, octant folding, sub-pixel centres and quadrature rules.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "features/image/image.h"
#include "features/moments/moment_spec.h"

namespace leafglyph {

/// Points with x * x + y * y of at most this lie inside or on the unit circle. The excess over 1
/// allows for rounding of points on the circle.
inline constexpr double kDiskSquare = 1.0 + 1e-12;

/// One pixel of the octant 0 <= y <= x together with its mirror images.
struct OctantPixel {
  /// Pixel numbers (j * N + i) of the eight images of the pixel, at the angles theta, pi/2-theta,
  /// pi/2+theta, pi-theta, pi+theta, 3pi/2-theta, 3pi/2+theta, 2pi-theta.
  std::array<std::int32_t, 8> images;
  double x;  ///< centre of the pixel itself
  double y;
  /// 1, or 1/2 on an axis or the diagonal (where each of the four distinct images is twice in
  /// `images`), or 1/8 for the centre pixel of an odd N.
  double weight;
};

/// The pixels that count under a mask rule (see Mask), folded into one octant.
class DiskGrid {
 public:
  /// kCentre: every one of the k x k sub-pixel centres lies in the disk (k = 1: the pixel centre).
  /// Throws UsageError when size < 1 or above kMaxImageSize, or k is out of range.
  DiskGrid(int size, Mask mask, int k = 1);
  /// The pixels that count for the spec.
  DiskGrid(int size, const MomentSpec& spec);

  int size() const { return size_; }
  /// Octant pixels row by row upwards from y >= 0, sorted by x within a row.
  const std::vector<OctantPixel>& octant() const { return octant_; }
  /// True where a pixel counts. Row by row, as in Image.
  const Image<unsigned char>& mask() const { return mask_; }
  std::size_t pixel_count() const { return pixel_count_; }  ///< number of pixels that count

 private:
  int size_;
  std::vector<OctantPixel> octant_;
  Image<unsigned char> mask_;
  std::size_t pixel_count_ = 0;
};

/// Upper bound for the octant pixels of the disk in an image of N x N: pi / 32 of the square, and
/// N.
double most_octant_pixels(int image_size);
/// About how many there are: pi / 32 of the square, and half of those on the diagonal.
double about_octant_pixels(int image_size);

/// The mean over the disk of a function of the radius, from 64 rings: an estimate.
template <class Function>
double mean_over_disk(const Function& function) {
  constexpr int kRings = 64;
  double sum = 0.0;
  for (int i = 0; i < kRings; ++i) {
    const double rho = (i + 0.5) / kRings;
    sum += 2 * rho / kRings * function(rho);
  }
  return sum;
}

/// Upper bound in bytes for such a grid and what transforms keep of its octant: coordinates, image
/// numbers and `sums` folded sums per pixel.
double disk_grid_bytes(int image_size, double sums = 8);

/// Centre of sub-pixel s of k in column (or, negated, row) i of an image of size N:
/// (2 i + (2 s + 1) / k - N) / N.
inline double subpixel_centre(int i, int s, int k, int size) {
  return (static_cast<double>((2 * i - size) * static_cast<long long>(k) + 2 * s + 1)) /
         (static_cast<double>(k) * size);
}

/// One-dimensional rule on [-1, 1], used along x and along y in every pixel. Point s of a pixel
/// with centre c and half side h is c + h nodes[s]. The weights add up to 2.
struct PixelQuadrature {
  std::vector<long double> nodes;
  std::vector<long double> weights;

  int points() const { return static_cast<int>(nodes.size()); }
};

/// Midpoints of `points` equal parts, points >= 1.
PixelQuadrature midpoint_rule(int points);

/// The Gauss-Legendre rule with `points` points, by Newton's method on P_n, points >= 1.
PixelQuadrature gauss_legendre_rule(int points);

/// The rule of a spec whose method samples pixels (kSubregion or kGauss).
PixelQuadrature pixel_quadrature(Method method, int points);

}  // namespace leafglyph
