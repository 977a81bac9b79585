#include "features/leaf/leaf_shape.h"

#include <algorithm>
#include <cmath>
#include <opencv2/imgproc.hpp>
#include <vector>

#include "features/image/mask_box.h"

namespace leafglyph {
namespace {

// Radius of the disk whose second moments a rounded leaf gets, as a share of the unit circle's:
// lobes and tips reach farther.
constexpr double kRoundedRadius = 0.4;
// Variance that a row of single pixels has across itself; nothing is stretched as if it had less.
constexpr double kPixelVariance = 1.0 / 12;

/// Mean and covariance of the mask's pixels, in pixels.
struct MaskMoments {
  double count = 0, x = 0, y = 0, xx = 0, xy = 0, yy = 0;
};

template <class Function>
void each_pixel(const Image<std::uint8_t>& mask, const MaskBox& box, Function function) {
  for (int row = box.top; row <= box.bottom; ++row) {
    for (int column = box.left; column <= box.right; ++column) {
      if (mask.at(row, column) != 0) function(column, row);
    }
  }
}

MaskMoments moments_of(const Image<std::uint8_t>& mask, const MaskBox& box) {
  MaskMoments m;
  each_pixel(mask, box, [&](double x, double y) {
    m.count += 1;
    m.x += x;
    m.y += y;
  });
  if (m.count == 0) return m;
  m.x /= m.count;
  m.y /= m.count;
  each_pixel(mask, box, [&](double x, double y) {
    m.xx += (x - m.x) * (x - m.x);
    m.xy += (x - m.x) * (y - m.y);
    m.yy += (y - m.y) * (y - m.y);
  });
  m.xx = m.xx / m.count + kPixelVariance;
  m.xy /= m.count;
  m.yy = m.yy / m.count + kPixelVariance;
  return m;
}

// C^(-1/2) by the closed form for 2 x 2: C^(1/2) = (C + s I) / t with s = sqrt(det C) and
// t = sqrt(tr C + 2 s).
cv::Matx22d inverse_root(const MaskMoments& m) {
  const double s = std::sqrt(m.xx * m.yy - m.xy * m.xy);
  const double t = std::sqrt(m.xx + m.yy + 2 * s);
  return cv::Matx22d(m.yy + s, -m.xy, -m.xy, m.xx + s) * (1 / (s * t));
}

// Distance from the centroid to the farthest leaf pixel after the stretch.
double stretched_radius(const Image<std::uint8_t>& mask, const MaskBox& box, const MaskMoments& m,
                        const cv::Matx22d& stretch) {
  double farthest = 0;
  each_pixel(mask, box, [&](double x, double y) {
    const cv::Vec2d p = stretch * cv::Vec2d(x - m.x, y - m.y);
    farthest = std::max(farthest, p.dot(p));
  });
  return std::sqrt(farthest);
}

}  // namespace

std::optional<LeafMap> rounding_map(const Image<std::uint8_t>& mask) {
  const MaskBox box = box_of(mask);
  const MaskMoments m = moments_of(mask, box);
  if (m.count == 0) return std::nullopt;
  const int size = mask.width();
  // Each axis of a disk of radius r has the variance r^2 / 4.
  cv::Matx22d stretch = inverse_root(m) * (0.5 * kRoundedRadius * 0.5 * size);
  const double radius = stretched_radius(mask, box, m, stretch), room = 0.5 * size - kCircleRim;
  if (radius > room) stretch = stretch * (room / radius);
  const double centre = 0.5 * (size - 1);
  const cv::Vec2d shift = cv::Vec2d(centre, centre) - stretch * cv::Vec2d(m.x, m.y);
  return LeafMap{stretch(0, 0), stretch(0, 1), shift[0], stretch(1, 0), stretch(1, 1), shift[1]};
}

void round_leaf(const Image<std::uint8_t>& mask, std::span<const float> values,
                std::span<float> out) {
  const std::optional<LeafMap> map = rounding_map(mask);
  if (!map) {
    std::ranges::fill(out, 0.0f);
    return;
  }
  const int size = mask.width();
  const cv::Mat from(size, size, CV_32F, const_cast<float*>(values.data()));
  cv::Mat to(size, size, CV_32F, out.data());
  cv::warpAffine(from, to, cv::Matx23d(map->data()), to.size(), cv::INTER_LINEAR,
                 cv::BORDER_CONSTANT);
}

void hull_gaps(const Image<std::uint8_t>& mask, std::span<float> out) {
  std::fill(out.begin(), out.end(), 0.0f);
  // The first and the last pixel of each row are all that a hull needs.
  const MaskBox box = box_of(mask);
  std::vector<cv::Point> ends;
  for (int row = box.top; row <= box.bottom; ++row) {
    int left = box.left, right = box.right;
    while (left <= right && mask.at(row, left) == 0) ++left;
    while (right > left && mask.at(row, right) == 0) --right;
    if (left > right) continue;
    ends.emplace_back(left, row);
    ends.emplace_back(right, row);
  }
  if (ends.empty()) return;
  std::vector<cv::Point> hull;
  cv::convexHull(ends, hull);
  cv::Mat image(mask.height(), mask.width(), CV_32F, out.data());
  cv::fillConvexPoly(image, hull, cv::Scalar(1));
  each_pixel(mask, box, [&](int column, int row) {
    out[static_cast<std::size_t>(row) * mask.width() + column] = 0;
  });
}

}  // namespace leafglyph
