#include "features/moments/disk_grid.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <map>

#include "features/base/errors.h"

namespace leafglyph {
namespace {

// oracle: the count that reproduces the published character statistics
TEST(DiskGrid, MaskOf24PixelsHolds448) {
  EXPECT_EQ(DiskGrid(24, Mask::kCentre, 1).pixel_count(), 448U);
}

// oracle: every sub-pixel centre, or every corner, tested individually in integers
TEST(DiskGrid, MaskIsTheRuleTestedPointByPoint) {
  for (const int size : {2, 3, 8, 15, 24, 33}) {
    for (const int k : {1, 2, 3, 7}) {
      const DiskGrid grid(size, Mask::kCentre, k);
      const DiskGrid exact(size, Mask::kWhole);
      for (int j = 0; j < size; ++j) {
        for (int i = 0; i < size; ++i) {
          bool inside = true;
          for (int s = 0; s < k * k; ++s) {
            const int u = (2 * i - size) * k + 2 * (s % k) + 1;
            const int v = (2 * j - size) * k + 2 * (s / k) + 1;
            inside = inside && u * u + v * v <= k * k * size * size;
          }
          EXPECT_EQ(grid.mask().at(j, i) != 0, inside)
              << size << " k=" << k << " " << j << "," << i;
          bool corners = true;
          for (int c = 0; c < 4; ++c) {
            const int u = 2 * (i + c % 2) - size;
            const int v = 2 * (j + c / 2) - size;
            corners = corners && u * u + v * v <= size * size;
          }
          EXPECT_EQ(exact.mask().at(j, i) != 0, corners) << size << " exact " << j << "," << i;
        }
      }
    }
  }
}

// oracle: with one thread per pixel of the square, 78.5 % are in the disk, as published for GPUs
TEST(DiskGrid, HoldsPiQuartersOfTheSquare) {
  for (const int size : {256, 512, 1024}) {
    const double pixels = static_cast<double>(size) * size;
    const auto count = static_cast<double>(DiskGrid(size, Mask::kCentre, 1).pixel_count());
    EXPECT_NEAR(100.0 * count / pixels, 78.5, 0.05) << size;  // to the printed digit
  }
}

// invariant: the weighted images of all octant pixels count every pixel of the mask once
TEST(DiskGrid, OctantCoversTheMaskOnce) {
  for (const int size : {2, 3, 8, 9, 24, 57, 128}) {
    const DiskGrid grid(size, Mask::kCentre, 1);
    std::map<int, double> seen;
    for (const OctantPixel& pixel : grid.octant()) {
      for (const int number : pixel.images) seen[number] += pixel.weight;
    }
    EXPECT_EQ(seen.size(), grid.pixel_count()) << size;
    for (const auto& [number, weight] : seen) {
      EXPECT_EQ(weight, 1.0) << size << " pixel " << number;
      EXPECT_TRUE(grid.mask().pixels()[static_cast<std::size_t>(number)]) << size;
    }
  }
}

// mechanics: pixel and sub-pixel numbers never overflow
TEST(DiskGrid, SizesThatCannotBeNumberedAreRefused) {
  const int huge = std::numeric_limits<int>::max();
  EXPECT_THROW(DiskGrid(0, Mask::kCentre, 1), UsageError);
  EXPECT_THROW(DiskGrid(46341, Mask::kCentre, 1), UsageError);
  EXPECT_THROW(DiskGrid(huge, Mask::kWhole), UsageError);
  EXPECT_THROW(DiskGrid(4, Mask::kCentre, huge), UsageError);
  EXPECT_EQ(DiskGrid(4, Mask::kCentre, 1000).pixel_count(), 4U);
}

// invariant: the eight images lie at the angles that the header promises
TEST(DiskGrid, ImagesStandAtTheirAngles) {
  const int size = 10;
  const double pi = std::acos(-1.0);
  const DiskGrid grid(size, Mask::kCentre, 1);
  for (const OctantPixel& pixel : grid.octant()) {
    const double theta = std::atan2(pixel.y, pixel.x);
    const double angles[8] = {theta,      pi / 2 - theta,     pi / 2 + theta,     pi - theta,
                              pi + theta, 3 * pi / 2 - theta, 3 * pi / 2 + theta, -theta};
    for (int q = 0; q < 8; ++q) {
      const double x = (2.0 * (pixel.images[q] % size) + 1 - size) / size;
      const int row = pixel.images[q] / size;
      const double y = (size - 1 - 2.0 * row) / size;
      const double rho = std::hypot(pixel.x, pixel.y);
      // 1e-14: a few roundings of numbers of size 1
      EXPECT_NEAR(x, rho * std::cos(angles[q]), 1e-14) << q;
      EXPECT_NEAR(y, rho * std::sin(angles[q]), 1e-14) << q;
    }
  }
}

}  // namespace
}  // namespace leafglyph
