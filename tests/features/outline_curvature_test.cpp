#include "features/leaf/outline_curvature.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <vector>

#include "features/base/errors.h"
#include "features/leaf/preprocess.h"

namespace leafglyph {
namespace {

using MaskImage = Image<std::uint8_t>;

template <class Inside>  // of (column, row)
MaskImage mask_of(int width, int height, Inside inside) {
  MaskImage mask(width, height);
  for (int row = 0; row < height; ++row) {
    for (int column = 0; column < width; ++column) {
      mask.at(row, column) = inside(column, row) ? 1 : 0;
    }
  }
  return mask;
}

// A disc with notches and teeth, its centre at (x, y).
MaskImage lobed(int width, int height, double x, double y, double radius) {
  return mask_of(width, height, [=](int column, int row) {
    const double angle = std::atan2(row - y, column - x);
    const double wave = 0.12 * std::sin(5 * angle) + 0.03 * std::sin(31 * angle + 1);
    return std::hypot(column - x, row - y) <= radius * (0.85 + wave);
  });
}

int pixel(const MaskImage& mask, int column, int row) {
  const bool inside = column >= 0 && row >= 0 && column < mask.width() && row < mask.height();
  return inside ? mask.at(row, column) : 0;
}

bool is_outline(const MaskImage& mask, int column, int row) {
  return pixel(mask, column, row) != 0 &&
         (pixel(mask, column - 1, row) & pixel(mask, column + 1, row) &
          pixel(mask, column, row - 1) & pixel(mask, column, row + 1)) == 0;
}

int count_in_disc(const MaskImage& mask, int column, int row, int radius) {
  int count = 0;
  for (int y = -radius; y <= radius; ++y) {
    for (int x = -radius; x <= radius; ++x) {
      if (x * x + y * y <= radius * radius) count += pixel(mask, column + x, row + y);
    }
  }
  return count;
}

// The histograms as they are defined, pixel by pixel.
std::vector<float> slow_histograms(const MaskImage& mask) {
  std::vector<double> points(kCurvatureColumns);
  double all = 0;
  for (int row = 0; row < mask.height(); ++row) {
    for (int column = 0; column < mask.width(); ++column) {
      if (!is_outline(mask, column, row)) continue;
      ++all;
      for (std::size_t disc = 0; disc < kDiscs; ++disc) {
        const int count = count_in_disc(mask, column, row, kDiscRadii[disc]);
        const int bin = std::min(17, 18 * count / disc_size(kDiscRadii[disc]));
        ++points[disc * 18 + static_cast<std::size_t>(bin)];
      }
    }
  }
  std::vector<float> values;
  values.reserve(points.size());
  for (const double count : points) values.push_back(static_cast<float>(std::sqrt(count / all)));
  return values;
}

LeafWindow window_of(const MaskImage& mask) {
  return {mask.data(), static_cast<std::size_t>(mask.width()), mask.width(), mask.height(),
          static_cast<double>(std::ranges::count(mask.pixels(), 1))};
}

double difference(const std::vector<float>& a, const std::vector<float>& b) {
  double sum = 0;
  for (std::size_t i = 0; i < a.size(); ++i) sum += std::pow(a[i] - b[i], 2);
  return std::sqrt(sum / kDiscs);  // of two histograms at most sqrt(2)
}

// oracle: the definition, for widths of less and more than a word, with the leaf at the frame and
// apart from it.
TEST(OutlineCurvature, CountsArePixelsInDiscs) {
  for (const int width : {5, 64, 65, 200}) {
    const MaskImage mask = lobed(width, 70, 0.5 * width, 30, 0.6 * width);
    EXPECT_EQ(curvature_histograms(mask), slow_histograms(mask)) << width;
  }
  std::mt19937 random(7);
  const MaskImage noise = mask_of(150, 90, [&](int, int) { return random() % 4 != 0; });
  EXPECT_EQ(curvature_histograms(noise), slow_histograms(noise));
  const MaskImage full = mask_of(40, 40, [](int, int) { return true; });
  EXPECT_EQ(curvature_histograms(full), slow_histograms(full));
  const MaskImage dot = mask_of(1, 1, [](int, int) { return true; });
  EXPECT_EQ(curvature_histograms(dot), slow_histograms(dot));
}

// invariant: the squares of each histogram add up to 1.
TEST(OutlineCurvature, HistogramsAreShares) {
  const std::vector<float> values = curvature_histograms(lobed(220, 220, 110, 110, 100));
  ASSERT_EQ(values.size(), kCurvatureColumns);
  ASSERT_EQ(curvature_column_names().size(), kCurvatureColumns);
  EXPECT_EQ(curvature_column_names()[19], "curvature_4_1");
  for (std::size_t disc = 0; disc < kDiscs; ++disc) {
    double sum = 0;
    for (std::size_t bin = 0; bin < 18; ++bin) sum += std::pow(values[disc * 18 + bin], 2);
    EXPECT_NEAR(sum, 1, 1e-6);
  }
}

// oracle: a straight outline halves a disc: all points of a square that are farther from its
// corners than the radius, and a few nearer ones whose share is in the same bin.
TEST(OutlineCurvature, StraightOutlinesHalveDiscs) {
  const MaskImage square =
      mask_of(300, 300, [](int x, int y) { return x >= 60 && x < 240 && y >= 60 && y < 240; });
  const std::vector<float> values = curvature_histograms(square);
  // The pixel itself is inside, so that of 2,453 pixels of radius 28 (2,453 + 57) / 2 are.
  const std::size_t bin = 18 * ((2453 + 57) / 2) / 2453;
  EXPECT_EQ(disc_size(28), 2453);
  const double share = std::pow(values[7 * 18 + bin], 2), farther = 1 - 4 * 2 * 28.0 / (4 * 179);
  EXPECT_GE(share, farther);
  EXPECT_LT(share, farther + 4 * 2 * 7.0 / (4 * 179));
}

// invariant: pixels that are turned or mirrored lie in discs as before.
TEST(OutlineCurvature, TurningAndMirroringByPixelsChangesNothing) {
  const MaskImage mask = lobed(180, 160, 85, 82, 75);
  const MaskImage turned =
      mask_of(160, 180, [&](int column, int row) { return pixel(mask, row, 159 - column) != 0; });
  const MaskImage mirrored =
      mask_of(180, 160, [&](int column, int row) { return pixel(mask, 179 - column, row) != 0; });
  EXPECT_EQ(curvature_histograms(turned), curvature_histograms(mask));
  EXPECT_EQ(curvature_histograms(mirrored), curvature_histograms(mask));
}

// invariant: photographs of a leaf from other distances give nearly the same histograms, those of
// another leaf do not.
TEST(OutlineCurvature, SizeOfThePhotographMattersLittle) {
  const std::vector<float> large = outline_curvature(window_of(lobed(900, 800, 440, 400, 380)));
  const std::vector<float> small = outline_curvature(window_of(lobed(300, 280, 150, 140, 127)));
  const MaskImage round =
      mask_of(300, 300, [](int x, int y) { return std::hypot(x - 150, y - 150) <= 100; });
  EXPECT_LT(difference(large, small), 0.2);
  EXPECT_GT(difference(large, outline_curvature(window_of(round))), 0.5);
}

// invariant: a pixel twice as wide as high: the mask is stretched before anything is measured.
TEST(OutlineCurvature, PixelsHaveAShape) {
  const MaskImage whole = lobed(800, 800, 400, 400, 380);
  const MaskImage squeezed =
      mask_of(400, 800, [&](int column, int row) { return pixel(whole, 2 * column, row) != 0; });
  LeafWindow window = window_of(squeezed);
  EXPECT_GT(difference(outline_curvature(window_of(whole)), outline_curvature(window)), 0.15);
  window.pixel_aspect = 2;
  EXPECT_LT(difference(outline_curvature(window_of(whole)), outline_curvature(window)), 0.1);
}

// invariant: a mask of one row gives finite values, and no mask gives zeros.
TEST(OutlineCurvature, ThinLeavesStaySmall) {
  const MaskImage line = mask_of(1500, 1, [](int, int) { return true; });
  const std::vector<float> values = outline_curvature(window_of(line));
  EXPECT_TRUE(std::ranges::all_of(values, [](float value) { return std::isfinite(value); }));
  EXPECT_EQ(outline_curvature({}), std::vector<float>(kCurvatureColumns));
}

// mechanics: too few places for the counts.
TEST(OutlineCurvature, CountsNeedRoom) {
  const MaskPoint point{0, 0};
  std::vector<std::uint32_t> counts(kDiscs - 1);
  EXPECT_THROW(count_in_discs(MaskBits(1, 1), std::span(&point, 1), counts), UsageError);
}

// agreement: the preparation measures the leaf in the photograph, not in the prepared image. Its
// window has no margin, so that pixels lie on another grid.
TEST(OutlineCurvature, PreparedLeavesHaveItWhenAsked) {
  Image<std::uint8_t> photograph = lobed(500, 460, 250, 230, 190);
  for (std::uint8_t& value : photograph.pixels()) value = value != 0 ? 60 : 230;
  PrepareSpec spec;
  EXPECT_TRUE(prepare_leaf(photograph, "leaf", spec).curvature.empty());
  spec.curvature = true;
  const std::vector<float> found = prepare_leaf(photograph, "leaf", spec).curvature;
  EXPECT_LT(difference(found, outline_curvature(window_of(lobed(500, 460, 250, 230, 190)))), 0.1);
}

}  // namespace
}  // namespace leafglyph
