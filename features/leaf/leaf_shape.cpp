#include "features/leaf/leaf_shape.h"

#include <algorithm>
#include <cmath>
#include <opencv2/imgproc.hpp>
#include <vector>

#include "features/image/image.h"
#include "features/leaf/foreground_parts.h"
#include "features/leaf/pixel_kernels.h"

namespace leafglyph {
namespace {

// Radius of the disk whose second moments a rounded leaf gets, as a share of the unit circle's
// radius. Lobes and tips extend farther.
constexpr double kRoundedRadius = 0.4;
// Variance of a row of single pixels across its direction. It is added to the moments, so that no
// leaf is stretched as if it were thinner than a pixel.
constexpr double kPixelVariance = 1.0 / 12;

/// Mean and covariance of the mask's pixels, in pixels.
struct MaskMoments {
  double count = 0, x = 0, y = 0, xx = 0, xy = 0, yy = 0;
};

// Relative to the corner of the box, the sums are integers. They are exact in 64 bits, and the
// differences below are nearly so.
MaskMoments moments_of(const Image<std::uint8_t>& mask, const MaskBox& box) {
  std::uint64_t count = 0, of_x = 0, of_y = 0, of_xx = 0, of_xy = 0, of_yy = 0;
  for (int row = box.top; row <= box.bottom; ++row) {
    const std::uint8_t* p = &mask.at(row, box.left);
    std::uint32_t in_row = 0, x_in_row = 0;  // at most kMaxPreparedSide^2
    std::uint64_t xx_in_row = 0;
    for (std::uint32_t x = 0; x < static_cast<std::uint32_t>(box.width()); ++x) {
      const std::uint32_t inside = p[x] != 0 ? ~0U : 0U;
      in_row += inside & 1U;
      x_in_row += inside & x;
      xx_in_row += inside & (x * x);
    }
    const auto y = static_cast<std::uint64_t>(row - box.top);
    count += in_row;
    of_x += x_in_row;
    of_y += y * in_row;
    of_xx += xx_in_row;
    of_xy += y * x_in_row;
    of_yy += y * y * in_row;
  }
  MaskMoments m;
  if (count == 0) return m;
  m.count = static_cast<double>(count);
  const double x = static_cast<double>(of_x) / m.count, y = static_cast<double>(of_y) / m.count;
  m.x = box.left + x;
  m.y = box.top + y;
  m.xx = static_cast<double>(of_xx) / m.count - x * x + kPixelVariance;
  m.xy = static_cast<double>(of_xy) / m.count - x * y;
  m.yy = static_cast<double>(of_yy) / m.count - y * y + kPixelVariance;
  return m;
}

// C^(-1/2) for a 2 x 2 matrix in closed form: C^(1/2) = (C + s I) / t with s = sqrt(det C) and t =
// sqrt(tr C + 2 s).
cv::Matx22d inverse_root(const MaskMoments& m) {
  const double s = std::sqrt(m.xx * m.yy - m.xy * m.xy);
  const double t = std::sqrt(m.xx + m.yy + 2 * s);
  return cv::Matx22d(m.yy + s, -m.xy, -m.xy, m.xx + s) * (1 / (s * t));
}

// Contains every pixel that shows a part of the box.
cv::Rect mapped(const MaskBox& box, const LeafMap& map) {
  double left = HUGE_VAL, top = HUGE_VAL, right = -HUGE_VAL, bottom = -HUGE_VAL;
  // A pixel is interpolated from neighbours that are less than a pixel away.
  for (const double x : {box.left - 1.0, box.right + 1.0}) {
    for (const double y : {box.top - 1.0, box.bottom + 1.0}) {
      const double u = map[0] * x + map[1] * y + map[2], v = map[3] * x + map[4] * y + map[5];
      left = std::min(left, u);
      right = std::max(right, u);
      top = std::min(top, v);
      bottom = std::max(bottom, v);
    }
  }
  const cv::Point first(cvFloor(left), cvFloor(top)), last(cvCeil(right), cvCeil(bottom));
  return {first, last + cv::Point(1, 1)};
}

// Distance from the centroid to the farthest leaf pixel after the stretch. That pixel is a corner
// of the convex hull.
double stretched_radius(const Image<std::uint8_t>& mask, const MaskMoments& m,
                        const cv::Matx22d& stretch) {
  double farthest = 0;
  for (const cv::Point& corner : convex_hull(mask)) {
    const cv::Vec2d p = stretch * cv::Vec2d(corner.x - m.x, corner.y - m.y);
    farthest = std::max(farthest, p.dot(p));
  }
  return std::sqrt(farthest);
}

}  // namespace

std::optional<LeafMap> rounding_map(const Image<std::uint8_t>& mask) {
  const MaskBox box = box_of(mask);
  const MaskMoments m = moments_of(mask, box);
  if (m.count == 0) return std::nullopt;
  const int size = mask.width();
  // Along each axis, a disk of radius r has the variance r^2 / 4.
  cv::Matx22d stretch = inverse_root(m) * (0.5 * kRoundedRadius * 0.5 * size);
  const double radius = stretched_radius(mask, m, stretch), room = 0.5 * size - kCircleRim;
  if (radius > room) stretch = stretch * (room / radius);
  const double centre = 0.5 * (size - 1);
  const cv::Vec2d shift = cv::Vec2d(centre, centre) - stretch * cv::Vec2d(m.x, m.y);
  return LeafMap{stretch(0, 0), stretch(0, 1), shift[0], stretch(1, 0), stretch(1, 1), shift[1]};
}

LeafMap inverse(const LeafMap& map) {
  const auto& [a, b, c, d, e, f] = map;
  const double scale = 1 / (a * e - b * d);
  const double xx = e * scale, xy = -b * scale, yx = -d * scale, yy = a * scale;
  return {xx, xy, -(xx * c + xy * f), yx, yy, -(yx * c + yy * f)};
}

// Samples as cv::warpAffine does, to the last bit: positions are rounded to 1/1024 and then to 1/32
// of a pixel.
void round_leaf(const Image<std::uint8_t>& mask, std::span<const float> values,
                std::span<float> out) {
  constexpr double kPositions = 1024;
  const std::optional<LeafMap> map = rounding_map(mask);
  if (!map) {
    std::ranges::fill(out, 0.0f);
    return;
  }
  const int size = mask.width();
  const MaskBox box = box_of(mask);
  // The leaf's box with a rim of one pixel.
  Image<float> plane(box.width() + 2, box.height() + 2);
  for (int row = box.top; row <= box.bottom; ++row) {
    std::copy_n(&values[static_cast<std::size_t>(row) * size + box.left], box.width(),
                &plane.at(row - box.top + 1, 1));
  }
  const cv::Rect used = mapped(box, *map) & cv::Rect(0, 0, size, size);
  const LeafMap from = inverse(*map);
  const auto count = static_cast<std::size_t>(used.width);
  std::vector<std::int32_t> across(count), down(count);
  for (std::size_t i = 0; i < count; ++i) {
    const double column = used.x + static_cast<double>(i);
    across[i] = cvRound(from[0] * column * kPositions);
    down[i] = cvRound(from[3] * column * kPositions);
  }
  const SampledPlane sampled{plane.data(), plane.width(), plane.height()};
  SamplePositions positions{0, 0, across.data(), down.data()};
  std::size_t written = 0;
  for (int row = used.y; row < used.br().y; ++row) {
    const std::size_t first = static_cast<std::size_t>(row) * size + used.x;
    std::fill(out.begin() + written, out.begin() + first, 0.0f);
    positions.x = cvRound((from[1] * row + from[2]) * kPositions) - 1024 * (box.left - 1);
    positions.y = cvRound((from[4] * row + from[5]) * kPositions) - 1024 * (box.top - 1);
    pixel_kernels().sample(sampled, positions, count, &out[first]);
    written = first + count;
  }
  std::fill(out.begin() + written, out.end(), 0.0f);
}

void fill_hull(const Image<std::uint8_t>& mask, std::span<std::uint8_t> out) {
  std::ranges::fill(out, std::uint8_t{0});
  const std::vector<cv::Point> hull = convex_hull(mask);
  if (hull.empty()) return;
  cv::Mat image(mask.height(), mask.width(), CV_8U, out.data());
  cv::fillConvexPoly(image, hull, cv::Scalar(1));
}

void hull_gaps(const Image<std::uint8_t>& mask, std::span<float> out) {
  std::vector<std::uint8_t> hull(mask.size());
  fill_hull(mask, hull);
  for (std::size_t i = 0; i < hull.size(); ++i) {
    out[i] = static_cast<float>(hull[i] & (mask.data()[i] ^ 1));
  }
}

}  // namespace leafglyph
