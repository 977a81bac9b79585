#include "features/image/volume.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numeric>

#include "features/base/errors.h"
#include "tests/support/plans.h"

namespace leafglyph {
namespace {

constexpr std::uint32_t kVolumeSeed = 20240901;

Volume numbered(int width, int height, int depth) {
  Volume volume(width, height, depth);
  for (std::size_t v = 0; v < volume.values.size(); ++v) volume.values[v] = static_cast<double>(v);
  return volume;
}

// oracle: slices are the voxels they should be
TEST(Volume, SlicesAreTheVoxels) {
  const Volume volume = numbered(3, 4, 5);
  const auto z = volume_slice(volume, Axis::kZ, 2);
  const auto y = volume_slice(volume, Axis::kY, 3);
  const auto x = volume_slice(volume, Axis::kX, 1);
  ASSERT_EQ(z.width(), 3);
  ASSERT_EQ(z.height(), 4);
  ASSERT_EQ(y.width(), 3);
  ASSERT_EQ(y.height(), 5);
  ASSERT_EQ(x.width(), 4);
  ASSERT_EQ(x.height(), 5);
  EXPECT_EQ(z.at(3, 1), volume.at(2, 3, 1));
  EXPECT_EQ(y.at(4, 2), volume.at(4, 3, 2));
  EXPECT_EQ(x.at(4, 2), volume.at(4, 2, 1));
  EXPECT_THROW(volume_slice(volume, Axis::kX, 3), UsageError);
  EXPECT_THROW(volume_slice(volume, Axis::kZ, -1), UsageError);
  EXPECT_THROW(Volume(0, 1, 1), UsageError);
}

// oracle: a linear volume is interpolated exactly, in the coordinates of the plane
TEST(Volume, ObliquePlanesOfALinearVolume) {
  Volume volume(40, 50, 60);
  for (int k = 0; k < 60; ++k) {
    for (int j = 0; j < 50; ++j) {
      for (int i = 0; i < 40; ++i) {
        volume.at(k, j, i) =
            5.0 + (2.0 * i - 39) / 40 - 2.0 * (49.0 - 2 * j) / 50 + 3.0 * (2.0 * k - 59) / 60;
      }
    }
  }
  // normal (1, 1, 0): columns run along z x n = (-1, 1, 0) / sqrt 2, rows upwards along n x that =
  // z
  const int size = 21;
  const auto plane = oblique_plane(volume, {2.0, 2.0, 0.0}, 0.1, size);
  for (int row = 0; row < size; ++row) {
    for (int column = 0; column < size; ++column) {
      const double u = std::sqrt(3.0) * (2.0 * column + 1 - size) / size;
      const double v = std::sqrt(3.0) * (size - 1.0 - 2 * row) / size;
      const double x = (0.1 - u) / std::sqrt(2.0);
      const double y = (0.1 + u) / std::sqrt(2.0);
      const double outermost = std::max({std::abs(x), std::abs(y), std::abs(v)});
      if (outermost > 1.0) {
        EXPECT_EQ(plane.at(row, column), 0.0);
      } else if (outermost < 0.97) {  // between the outer voxel centres
        EXPECT_NEAR(plane.at(row, column), 5.0 + x - 2.0 * y + 3.0 * v, 1e-12);
      }
    }
  }
  // seen along z, the middle plane is the image itself, shrunk
  EXPECT_NEAR(oblique_plane(volume, {0.0, 0.0, -1.0}, 0.0, 1).at(0, 0), 5.0, 1e-12);
  EXPECT_THROW(oblique_plane(volume, {0.0, 0.0, 0.0}, 0.0, 9), UsageError);
  EXPECT_THROW(oblique_plane(volume, {0.0, std::nan(""), 1.0}, 0.0, 9), UsageError);
  EXPECT_THROW(oblique_plane(volume, {0.0, 1.0, 1.0}, 0.0, 0), UsageError);
  EXPECT_THROW(oblique_plane(volume, {0.0, 1.0, 1.0}, 1.42, 9), UsageError);  // beyond the edge
  EXPECT_NO_THROW(oblique_plane(volume, {0.0, 1.0, 1.0}, -1.41, 9));
}

// mechanics: generated bones are grey values, equal for equal seeds, and have all their parts
TEST(Volume, GeneratedBones) {
  const Volume bone = generate_bone(48, 40, 32, kVolumeSeed);
  EXPECT_EQ(bone.values, generate_bone(48, 40, 32, kVolumeSeed).values);
  EXPECT_NE(bone.values, generate_bone(48, 40, 32, kVolumeSeed + 1).values);
  const auto [low, high] = std::minmax_element(bone.values.begin(), bone.values.end());
  EXPECT_GE(*low, 0.0);
  EXPECT_LE(*high, 255.0);
  EXPECT_NEAR(bone.at(16, 0, 0), 20.0, 1e-12);  // outside
  EXPECT_GT(*high, 200.0);                      // the shell
  EXPECT_NEAR(bone.at(16, 20, 24), 45.0, 1.0);  // the canal
}

// invariant: every higher order reconstructs a bone better, from one set of moments
TEST(Volume, HigherOrdersBringABoneBack) {
  const Volume bone = generate_bone(48, 44, 40, kVolumeSeed);
  const ArraySize size{bone.width, bone.height, bone.depth};
  const auto plan = cpu_plan({Family::kJacobi, 48, Method::kExact, 1, {0.3, 0.7}}, size);
  const auto moments = moments_of(*plan, bone.values);
  double before = 0.0;
  for (int order : {4, 8, 16, 32, 48}) {
    Volume back(bone.width, bone.height, bone.depth);
    back.values = image_of(*plan, moments, order);
    const double psnr = volume_psnr(bone, back, SampleRange{}, Rounding::kNone);
    EXPECT_GT(psnr, before + 0.5) << order;
    before = psnr;
  }
  EXPECT_TRUE(std::isinf(volume_psnr(bone, bone, SampleRange{}, Rounding::kNone)));
  EXPECT_THROW(volume_psnr(bone, Volume(2, 2, 2), SampleRange{}, Rounding::kNone), UsageError);
}

// oracle: every voxel off by a quarter, one of them by 2.25: rounded, one is off by 2
TEST(Volume, ErrorsAreThoseOfWholeSamplesIfAsked) {
  const Volume whole = numbered(3, 4, 5);
  Volume near = whole;
  for (double& value : near.values) value += 0.25;
  near.values.front() += 2.0;
  const double voxels = 60.0;
  const double of_values = 10 * std::log10(255.0 * 255.0 * voxels / (59 * 0.0625 + 2.25 * 2.25));
  // 1e-9: rounding of the sum
  EXPECT_NEAR(volume_psnr(whole, near, SampleRange{}, Rounding::kNone), of_values, 1e-9);
  EXPECT_NEAR(volume_psnr(whole, near, SampleRange{}, Rounding::kSamples),
              10 * std::log10(255.0 * 255.0 * voxels / 4), 1e-9);
}

// oracle: two voxels of mass 4 apart lie 2 from their middle; a middle on a voxel needs odd
// lengths, one between voxels even ones.
TEST(AroundMass, IsAsLargeAsTheMassIsWide) {
  Volume volume(16, 14, 12);
  volume.at(6, 5, 5) = 3;
  volume.at(6, 5, 9) = 3;
  const Volume odd = around_mass(volume, 1.5);  // 6 voxels
  EXPECT_EQ((std::array{odd.width, odd.height, odd.depth}), (std::array{5, 5, 5}));
  EXPECT_EQ(odd.at(2, 2, 0), 3);
  EXPECT_EQ(odd.at(2, 2, 4), 3);
  EXPECT_EQ(std::accumulate(odd.values.begin(), odd.values.end(), 0.0), 6);
  volume.at(6, 5, 9) = 0;
  volume.at(6, 5, 8) = 3;  // 1.5 from the middle
  const Volume even = around_mass(volume, 2);
  EXPECT_EQ((std::array{even.width, even.height, even.depth}), (std::array{6, 5, 5}));
  EXPECT_EQ(even.at(2, 2, 1), 3);
  EXPECT_EQ(even.at(2, 2, 4), 3);
}

// invariant: the box moves with the mass, also beyond the volume, where it is 0
TEST(AroundMass, MovesWithTheMass) {
  const auto bump = [](int column, int row, int slice) {
    Volume volume(20, 18, 16);
    for (int k = 0; k < 5; ++k) {
      for (int j = 0; j < 4; ++j) {
        for (int i = 0; i < 3; ++i) volume.at(slice + k, row + j, column + i) = 1 + i + 2 * j * k;
      }
    }
    return volume;
  };
  const Volume middle = around_mass(bump(8, 7, 6), 2.5);
  EXPECT_GT(middle.width, 6);
  for (const Volume& moved : {bump(3, 9, 4), bump(0, 0, 0), bump(17, 14, 11)}) {
    const Volume box = around_mass(moved, 2.5);
    EXPECT_EQ(box.values, middle.values);
    EXPECT_EQ(box.width, middle.width);
  }
}

// mechanics: what has no mass or no size is refused.
TEST(AroundMass, RefusesWhatHasNone) {
  Volume volume(6, 6, 6);
  EXPECT_THROW(around_mass(volume, 1.8), InputError);
  volume.at(3, 3, 3) = 1;
  EXPECT_THROW(around_mass(volume, 1.8), InputError);
  volume.at(3, 3, 4) = -1;
  EXPECT_THROW(around_mass(volume, 1.8), InputError);
  volume.at(3, 3, 4) = std::numeric_limits<double>::quiet_NaN();
  EXPECT_THROW(around_mass(volume, 1.8), InputError);
  volume.at(3, 3, 4) = 1;
  for (const double factor : {0.0, -1.0, 10.5, std::numeric_limits<double>::quiet_NaN()}) {
    EXPECT_THROW(around_mass(volume, factor), UsageError) << factor;
  }
  EXPECT_EQ(around_mass(volume, 1.8).width, 2);
}

}  // namespace
}  // namespace leafglyph
