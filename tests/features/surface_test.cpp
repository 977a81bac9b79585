#include "features/image/surface.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "features/base/errors.h"

namespace leafglyph {
namespace {

using Vector = std::array<double, 3>;
using HitKind = SurfaceHit::Kind;

constexpr int kSide = 48;
constexpr double kRadius = 20.0;
constexpr double kSurfaceMiddle = (kSide - 1) / 2.0;
// Trilinear interpolation of a distance is off by an eighth of its second differences, which sum to
// 2 / r.
constexpr double kBulge = 2.0 / kRadius / 8.0;

template <class Function>
Volume filled(int width, int height, int depth, const Function& value) {
  Volume volume(width, height, depth);
  for (int k = 0; k < depth; ++k) {
    for (int j = 0; j < height; ++j) {
      for (int i = 0; i < width; ++i) volume.at(k, j, i) = value(i, j, k);
    }
  }
  return volume;
}

double from_middle(const Vector& p) {
  return std::hypot(p[0] - kSurfaceMiddle, p[1] - kSurfaceMiddle, p[2] - kSurfaceMiddle);
}

// The values fall outwards by 1 per voxel and are 100 at the radius.
Volume ball() {
  return filled(kSide, kSide, kSide, [](double i, double j, double k) {
    return 100.0 + kRadius - from_middle({i, j, k});
  });
}

// Seen from the last row along the rows: columns run to the right, slices upwards, 512 pixels for
// all voxels.
SurfaceView front(double level) { return {level, {}, -90.0, 0.0}; }
double right_of(int column) { return (2.0 * column + 1 - 512) * kSide / 1024.0; }
double up_of(int row) { return (511 - 2.0 * row) * kSide / 1024.0; }

// oracle: a ball seen from the front is a disk of its radius, its points and normals a sphere's
TEST(Surface, OfABallIsASphere) {
  const Volume volume = ball();
  const auto hits = cast_rays(volume, front(100.0));
  ASSERT_EQ(hits.width(), 512);
  ASSERT_EQ(hits.height(), 512);
  for (int row = 0; row < 512; ++row) {
    for (int column = 0; column < 512; ++column) {
      const SurfaceHit& hit = hits.at(row, column);
      const double off = std::hypot(right_of(column), up_of(row));
      if (off < kRadius - kBulge) {
        ASSERT_EQ(hit.kind, HitKind::kSurface) << row << ", " << column;
      } else if (off > kRadius + kBulge) {
        ASSERT_EQ(hit.kind, HitKind::kNothing) << row << ", " << column;
      }
      if (hit.kind == HitKind::kNothing) continue;
      EXPECT_NEAR(hit.point[0] - kSurfaceMiddle, right_of(column),
                  1e-12);  // parallel rays keep their place
      EXPECT_NEAR(hit.point[2] - kSurfaceMiddle, up_of(row), 1e-12);
      EXPECT_GE(hit.point[1], kSurfaceMiddle - 1.0) << "the side away from the eye";
      EXPECT_NEAR(from_middle(hit.point), kRadius, kBulge);
      for (std::size_t c = 0; c < 3; ++c) {
        // differences over two voxels: third derivatives, up to 3 / r^2, and the values' own error
        EXPECT_NEAR(hit.normal[c], (hit.point[c] - kSurfaceMiddle) / kRadius, 2.0 * kBulge);
      }
    }
  }
}

// oracle: linear values are interpolated exactly, and so are the position and normal of the level
TEST(Surface, OfLinearValuesIsAPlane) {
  const Vector slope = {2.0, -3.0, 1.0};
  const Volume volume = filled(20, 30, 40, [&](double i, double j, double k) {
    return slope[0] * i + slope[1] * j + slope[2] * k;
  });
  int inner = 0;
  for (const auto& [azimuth, elevation] : {std::pair{-60.0, 30.0}, {100.0, -20.0}, {0.0, 90.0}}) {
    const auto hits = cast_rays(volume, {3.0, {}, azimuth, elevation});
    for (const SurfaceHit& hit : hits.pixels()) {
      const Vector& p = hit.point;
      if (hit.kind != HitKind::kSurface) continue;
      if (std::min({p[0], p[1], p[2]}) < 1.0 || p[0] > 18.0 || p[1] > 28.0 || p[2] > 38.0) continue;
      ++inner;
      // bisected 48 times from half a voxel
      EXPECT_NEAR(slope[0] * p[0] + slope[1] * p[1] + slope[2] * p[2], 3.0, 1e-10);
      for (std::size_t c = 0; c < 3; ++c) {
        EXPECT_NEAR(hit.normal[c], -slope[c] / std::sqrt(14.0), 1e-12);
      }
    }
  }
  EXPECT_GT(inner, 10000);
}

// oracle: a plane cuts a ball in a disk, exactly in the plane; the rest of the ball stays
TEST(Surface, ClippingIsExact) {
  const Volume volume = ball();
  const SurfaceView whole = front(100.0);
  SurfaceView cut = whole;
  const double nearer = 5.0;  // rows from the middle to the plane
  cut.clips = {{{0.0, 2.0, 0.0}, 2.0 * (kSurfaceMiddle + nearer)},
               {{-1.0, 0.0, 1.0}, 9.0}};  // seen from the side
  const auto before = cast_rays(volume, whole);
  const auto after = cast_rays(volume, cut);
  ASSERT_EQ(after.size(), before.size());
  const double disk = std::sqrt(kRadius * kRadius - nearer * nearer);
  int faces = 0;
  for (int row = 0; row < 512; ++row) {
    for (int column = 0; column < 512; ++column) {
      const SurfaceHit& hit = after.at(row, column);
      const bool is_left = up_of(row) - right_of(column) <= 9.0;
      const double off = std::hypot(right_of(column), up_of(row));
      const bool in_disk = off < disk - 2.0 * kBulge;  // where the sphere is oblique to the plane
      const bool beyond = off > disk + 2.0 * kBulge;
      EXPECT_TRUE(is_left || hit.kind == HitKind::kNothing);
      if (is_left && in_disk) {
        ++faces;
        ASSERT_EQ(hit.kind, HitKind::kCut) << row << ", " << column;
        EXPECT_NEAR(hit.point[1], kSurfaceMiddle + nearer, 1e-12);
        EXPECT_EQ(hit.normal, (Vector{0.0, 1.0, 0.0}));
      } else if (is_left && beyond) {
        ASSERT_EQ(hit.kind, before.at(row, column).kind) << row << ", " << column;
        for (std::size_t c = 0; c < 3; ++c) {
          EXPECT_NEAR(hit.point[c], before.at(row, column).point[c], 1e-10);
        }
      }
    }
  }
  EXPECT_GT(faces, 1000);
}

// invariant: a volume without an outside ends at its own faces, from any direction
TEST(Surface, AFullVolumeIsABox) {
  const Volume volume = filled(7, 5, 3, [](double, double, double) { return 50.0; });
  const Vector lengths = {7.0, 5.0, 3.0};
  for (const auto& [azimuth, elevation] : {std::pair{-60.0, 30.0}, {45.0, -70.0}, {90.0, 0.0}}) {
    const auto hits = cast_rays(volume, {50.0, {}, azimuth, elevation});
    int met = 0;
    for (const SurfaceHit& hit : hits.pixels()) {
      if (hit.kind == HitKind::kNothing) continue;
      ++met;
      ASSERT_EQ(hit.kind, HitKind::kCut);
      double nearest = 1.0;
      for (std::size_t c = 0; c < 3; ++c) {
        const double off = std::abs(hit.point[c] - (lengths[c] - 1.0) / 2.0);
        nearest = std::min(nearest, std::abs(lengths[c] / 2.0 - off));
      }
      EXPECT_LT(nearest, 1e-12);
    }
    EXPECT_GT(met, 1000);
  }
  EXPECT_EQ(cast_rays(volume, {50.5, {}, 0.0, 0.0}).at(0, 0).kind, HitKind::kNothing);
  EXPECT_EQ(cast_rays(volume, {50.0, {}, -90.0, 0.0}).width(), 512);
  EXPECT_EQ(cast_rays(Volume(600, 2, 2), {50.0, {}, -90.0, 0.0}).width(), 600);
  EXPECT_EQ(cast_rays(Volume(5000, 2, 2), {50.0, {}, -90.0, 0.0}).width(), 4096);
}

// oracle: light comes from the upper left, cut faces show the voxels, the rest is black
TEST(Surface, IsLitFromTheUpperLeft) {
  const Volume volume = ball();
  SurfaceView view = front(100.0);
  const auto picture = [&](double peak) {
    return shade(cast_rays(volume, view), volume, view, peak);
  };
  const auto whole = picture(255.0);
  const auto brightest = std::max_element(whole.pixels().begin(), whole.pixels().end());
  const auto place = brightest - whole.pixels().begin();
  // the light is (-1/2, 1/2, 1) in right, up and eye, so that the sphere is brightest at -r / sqrt
  // 6
  EXPECT_NEAR(right_of(static_cast<int>(place % 512)), -kRadius / std::sqrt(6.0), 0.5);
  EXPECT_NEAR(up_of(static_cast<int>(place / 512)), kRadius / std::sqrt(6.0), 0.5);
  EXPECT_NEAR(*brightest, 255.0, 1.0);
  EXPECT_EQ(whole.at(0, 0), 0.0);
  view.clips = {{{0.0, 1.0, 0.0}, kSurfaceMiddle}};
  const auto half = picture(255.0);
  EXPECT_NEAR(half.at(255, 255), 100.0 + kRadius, 1.0);  // the values in the middle
  EXPECT_EQ(picture(110.0).at(255, 255), 110.0);
}

// mechanics: what is refused
TEST(Surface, RefusesWhatCannotBeDrawn) {
  const Volume volume(4, 5, 6);
  const double nan = std::nan("");
  const auto draw = [&](const SurfaceView& view) { return cast_rays(volume, view); };
  EXPECT_THROW(draw({nan, {}, 0.0, 0.0}), UsageError);
  EXPECT_THROW(draw({1.0, {}, nan, 0.0}), UsageError);
  EXPECT_THROW(draw({1.0, {}, 0.0, 90.5}), UsageError);
  EXPECT_THROW(draw({1.0, {{{0.0, 0.0, 0.0}, 1.0}}, 0.0, 0.0}), UsageError);
  EXPECT_THROW(draw({1.0, {{{1.0, nan, 0.0}, 1.0}}, 0.0, 0.0}), UsageError);
  EXPECT_THROW(draw({1.0, {{{1.0, 0.0, 0.0}, -0.6}}, 0.0, 0.0}), UsageError);
  EXPECT_THROW(draw({1.0, {{{-1.0, -1.0, 0.0}, -8.1}}, 0.0, 0.0}), UsageError);
  EXPECT_NO_THROW(draw({1.0, {{{-1.0, -1.0, 0.0}, -7.9}}, 0.0, -90.0}));
}

}  // namespace
}  // namespace leafglyph
