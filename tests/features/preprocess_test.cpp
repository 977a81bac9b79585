#include "features/leaf/preprocess.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <complex>
#include <numbers>
#include <random>
#include <string>
#include <vector>

#include "features/base/errors.h"
#include "features/image/image.h"
#include "features/leaf/leaf_texture.h"
#include "features/leaf/segment_leaf.h"
#include "gpu/plans.h"
#include "tests/support/leaf_test_images.h"

namespace leafglyph {
namespace {

using testing::ellipse_photograph;
using testing::fill;
using testing::fill_octagon;

double mask_area(const PreparedLeaf& leaf) {
  double area = 0;
  for (const std::uint8_t inside : leaf.mask.pixels()) area += inside;
  return area;
}

std::array<double, 2> mask_centroid(const PreparedLeaf& leaf) {
  double x = 0, y = 0;
  for (int row = 0; row < leaf.mask.height(); ++row) {
    for (int column = 0; column < leaf.mask.width(); ++column) {
      x += leaf.mask.at(row, column) * column;
      y += leaf.mask.at(row, column) * row;
    }
  }
  return {x / mask_area(leaf), y / mask_area(leaf)};
}

bool warns(const std::vector<std::string>& warnings, const std::string& words) {
  return std::any_of(warnings.begin(), warnings.end(), [&](const std::string& warning) {
    return warning.find(words) != std::string::npos;
  });
}

std::string refusal(const Image<std::uint8_t>& photograph, const PrepareSpec& spec = {}) {
  try {
    prepare_leaf(photograph, "leaf.png", spec);
  } catch (const InputError& error) {
    return error.what();
  }
  return "";
}

// Otsu's threshold from its definition: the lowest t that maximises the variance between the
// classes <= t and > t, count_0 count_1 (mean_0 - mean_1)^2.
int otsu_by_definition(const Image<std::uint8_t>& image) {
  int best = 0;
  double best_variance = -1;
  for (int t = 0; t < 255; ++t) {
    double count[2] = {}, sum[2] = {};
    for (const std::uint8_t value : image.pixels()) {
      ++count[value > t];
      sum[value > t] += value;
    }
    if (count[0] == 0 || count[1] == 0) continue;
    const double difference = sum[0] / count[0] - sum[1] / count[1];
    const double variance = count[0] * count[1] * difference * difference;
    if (variance > best_variance) {
      best_variance = variance;
      best = t;
    }
  }
  return best;
}

// oracle: Otsu's threshold from its definition, on leaves and backgrounds with overlapping random
// grey values, on both backgrounds.
TEST(SegmentLeaf, DividesAtOtsusThreshold) {
  for (std::uint32_t seed = 1; seed <= 20; ++seed) {
    std::mt19937 random(seed);
    const bool dark_leaf = seed % 2 == 0;
    Image<std::uint8_t> image(61, 47);
    for (int row = 0; row < 47; ++row) {
      for (int column = 0; column < 61; ++column) {
        const bool inside = row >= 10 && row < 40 && column >= 15 && column < 45;
        const std::uint32_t lowest = inside == dark_leaf ? 40 : 115;
        image.at(row, column) = static_cast<std::uint8_t>(lowest + random() % 90);
      }
    }
    PrepareSpec spec;
    spec.parts = LeafParts::kAll;
    spec.background = dark_leaf ? Background::kLight : Background::kDark;
    const LeafRegion region = segment_leaf(Photograph{image}, "random", spec);
    EXPECT_EQ(region.threshold, otsu_by_definition(image)) << "seed " << seed;
    for (int row = 0; row < 47; ++row) {
      for (int column = 0; column < 61; ++column) {
        ASSERT_EQ(region.mask.at(row, column) == 1,
                  (image.at(row, column) <= region.threshold) == dark_leaf)
            << "seed " << seed << ", " << row << ", " << column;
      }
    }
  }
}

// oracle: a rectangle's area and centroid are known.
TEST(SegmentLeaf, MomentsOfARectangle) {
  Image<std::uint8_t> image(100, 80, 230);
  fill(image, 20, 30, 31, 15, 90);
  const LeafRegion region = segment_leaf(Photograph{image}, "rectangle", {});
  EXPECT_EQ(region.area, 31 * 15);
  EXPECT_EQ(region.centroid_x, 35);
  EXPECT_EQ(region.centroid_y, 37);
  EXPECT_GE(region.threshold, 90);
  EXPECT_LT(region.threshold, 230);
  EXPECT_TRUE(region.warnings.empty());
}

// oracle: holes are filled; smaller parts are left out, and large ones are counted.
TEST(SegmentLeaf, LargestPartWithHolesFilled) {
  Image<std::uint8_t> image(100, 80, 230);
  const int area = fill_octagon(image, 20, 20, 40, 90);
  fill(image, 35, 35, 5, 5, 230);
  fill(image, 70, 10, 20, 20, 90);
  fill(image, 5, 5, 2, 2, 90);
  const LeafRegion largest = segment_leaf(Photograph{image}, "parts", {});
  EXPECT_EQ(largest.area, area);
  EXPECT_TRUE(
      warns(largest.warnings, "several leaves: used the largest part and left out 1 other"));
  PrepareSpec every;
  every.parts = LeafParts::kAll;
  EXPECT_EQ(segment_leaf(Photograph{image}, "parts", every).area, area - 5 * 5 + 20 * 20 + 2 * 2);
}

// oracle: a leaflet of a twelfth of the leaf 5 pixels away belongs to it (the root of the leaf's
// area is 36, the limit 5.4), and so do one of a quarter 3 pixels away (limit 3.6) and what is near
// these; dust and what is further away do not.
TEST(SegmentLeaf, LeafletsNearTheLeafBelongToIt) {
  Image<std::uint8_t> image(200, 80, 230);
  const int area = fill_octagon(image, 20, 20, 40, 90);
  fill(image, 64, 35, 10, 10, 90);
  fill(image, 30, 62, 20, 15, 90);
  fill(image, 79, 35, 10, 10, 90);
  fill(image, 17, 17, 2, 2, 90);
  const int other = fill_octagon(image, 120, 20, 30, 90);
  PrepareSpec spec;
  spec.parts = LeafParts::kLeaf;
  const LeafRegion leaf = segment_leaf(Photograph{image}, "leaflets", spec);
  EXPECT_EQ(leaf.area, area + 2 * 10 * 10 + 20 * 15);
  EXPECT_TRUE(warns(leaf.notes, "the leaf includes 3 parts near its largest"));
  EXPECT_TRUE(warns(leaf.warnings, "several leaves: used the largest part and left out 1 other"));
  const std::vector<LeafRegion> leaves = segment_leaves(Photograph{image}, "leaflets", spec);
  ASSERT_EQ(leaves.size(), 2);
  EXPECT_EQ(leaves[0].area + leaves[1].area, leaf.area + other);
  spec.parts = LeafParts::kLargest;
  EXPECT_EQ(segment_leaf(Photograph{image}, "leaflets", spec).area, area);
}

// invariant: for any place and size of the leaf, the result is centred and has the requested area.
TEST(PrepareLeaf, CentroidAndAreaAreNormalised) {
  for (const Geometry geometry : {Geometry::kPublished, Geometry::kShapePreserving}) {
    for (const auto& [x, y, a, b] : std::vector<std::array<double, 4>>{
             {60, 50, 30, 20}, {200, 130, 80, 50}, {150, 100, 22, 40}, {130, 110, 100, 85}}) {
      PrepareSpec spec;
      spec.geometry = geometry;
      const PreparedLeaf leaf =
          prepare_leaf(ellipse_photograph(320, 240, x, y, a, b), "ellipse", spec);
      // The outline of an ellipse of this area is about 330 pixels long and off by at most half a
      // pixel; the errors of its two sides cancel to about a tenth of that.
      EXPECT_NEAR(mask_area(leaf), spec.area, 0.01 * spec.area);
      const auto [centre_x, centre_y] = mask_centroid(leaf);
      EXPECT_NEAR(centre_x, 127.5, 0.1);
      EXPECT_NEAR(centre_y, 127.5, 0.1);
      EXPECT_NEAR(leaf.measures.area_share, std::numbers::pi * a * b / (320 * 240),
                  0.02 * leaf.measures.area_share);
    }
  }
}

// oracle: `published` squeezes a 4:3 photograph to a square; `shape-preserving` keeps a circle
// round, also if the photograph was squeezed before and its aspect is stated.
TEST(PrepareLeaf, ShapeOfACircle) {
  const auto aspect_of = [](const PreparedLeaf& leaf) {
    const MaskBox box = box_of(leaf.mask);
    return static_cast<double>(box.width()) / box.height();
  };
  const Image<std::uint8_t> photograph = ellipse_photograph(400, 300, 190, 150, 90, 90);
  PrepareSpec shape;
  EXPECT_NEAR(aspect_of(prepare_leaf(photograph, "circle", shape)), 1, 0.02);
  EXPECT_NEAR(aspect_of(prepare_leaf(photograph, "circle", published_spec())), 0.75, 0.02);
  const Image<std::uint8_t> squeezed = ellipse_photograph(300, 300, 142, 150, 67.5, 90);
  EXPECT_NEAR(aspect_of(prepare_leaf(squeezed, "squeezed", shape)), 0.75, 0.02);
  shape.source_aspect = 4.0 / 3;
  EXPECT_NEAR(aspect_of(prepare_leaf(squeezed, "squeezed", shape)), 1, 0.02);
  EXPECT_NEAR(aspect_of(prepare_leaf(photograph, "lying", shape)), 1, 0.02);
  const Image<std::uint8_t> upright = ellipse_photograph(300, 400, 142, 190, 90, 90);
  EXPECT_NEAR(aspect_of(prepare_leaf(upright, "upright", shape)), 1, 0.02);
}

// invariant: a leaf too long for its area is made smaller, so that all of it lies in the disk.
TEST(PrepareLeaf, NothingIsCutOff) {
  const PreparedLeaf leaf =
      prepare_leaf(ellipse_photograph(600, 400, 300, 200, 280, 9), "needle", {});
  EXPECT_TRUE(warns(leaf.notes, "too long"));
  EXPECT_LT(mask_area(leaf), 8000);
  double farthest = 0;
  for (int row = 0; row < 256; ++row) {
    for (int column = 0; column < 256; ++column) {
      if (leaf.mask.at(row, column)) {
        farthest = std::max(farthest, std::hypot(column - 127.5, row - 127.5));
      }
    }
  }
  EXPECT_LE(farthest, 128);
  EXPECT_GT(farthest, 125) << "made smaller than needed";
}

// invariant: grey values come from the leaf alone: no background bleeds into its edge.
TEST(PrepareLeaf, BackgroundDoesNotBleed) {
  Image<std::uint8_t> image(300, 200, 250);
  fill(image, 60, 50, 123, 77, 100);
  const PreparedLeaf leaf = prepare_leaf(image, "flat", {});
  for (std::size_t i = 0; i < leaf.mask.size(); ++i) {
    // Rounding of float sums.
    ASSERT_NEAR(leaf.grey.data()[i], leaf.mask.data()[i] ? 100 : 0, 1e-4);
  }
  EXPECT_NEAR(leaf.measures.mean_grey, 100, 1e-4);
  EXPECT_NEAR(leaf.measures.spread_grey, 0, 1e-2);
  EXPECT_NEAR(mean_gradient(leaf), 0, 1e-4);
}

// invariant: rotating a prepared leaf by quarter turns or mirroring it keeps every magnitude.
TEST(PrepareLeaf, MagnitudesOfTurnedLeaves) {
  const PreparedLeaf leaf =
      prepare_leaf(ellipse_photograph(400, 300, 170, 140, 110, 60), "leaf", {});
  const std::size_t pixels = leaf.grey.size();
  std::vector<double> images(pixels * 5);
  for (int row = 0; row < 256; ++row) {
    for (int column = 0; column < 256; ++column) {
      const double value = leaf.grey.at(row, column);
      const int turned[5][2] = {{row, column},
                                {column, 255 - row},
                                {255 - row, 255 - column},
                                {255 - column, row},
                                {row, 255 - column}};
      for (int image = 0; image < 5; ++image) {
        images[image * pixels + static_cast<std::size_t>(turned[image][0]) * 256 +
               turned[image][1]] = value;
      }
    }
  }
  PlanOptions options;
  options.device = device_from_name("cpu");
  const auto engine = make_moment_plan({Family::kZernike, 30}, 256, options);
  std::vector<std::complex<double>> moments(5 * engine->moment_count());
  engine->moments(ImageBatch(images, 5, 256), moments);
  double largest = 0;
  for (std::size_t c = 0; c < engine->moment_count(); ++c) {
    largest = std::max(largest, std::abs(moments[c]));
  }
  for (std::size_t image = 1; image < 5; ++image) {
    for (std::size_t c = 0; c < engine->moment_count(); ++c) {
      // The target: 1e-12 of the largest magnitude, a few thousand roundings of double.
      EXPECT_NEAR(std::abs(moments[image * engine->moment_count() + c]), std::abs(moments[c]),
                  1e-12 * largest);
    }
  }
}

// mechanics: photographs without a leaf are refused with their name and the reason.
TEST(PrepareLeaf, RefusesPhotographsWithoutALeaf) {
  const Image<std::uint8_t> one(1, 1, 30), flat(50, 50, 200);
  EXPECT_EQ(refusal(one), "leaf.png: every pixel has the same grey value; there is no leaf in it");
  EXPECT_EQ(refusal(flat), "leaf.png: every pixel has the same grey value; there is no leaf in it");
  Image<std::uint8_t> shaded(80, 60);
  for (int i = 0; i < 80 * 60; ++i) shaded.data()[i] = static_cast<std::uint8_t>(230 + i % 7);
  EXPECT_NE(refusal(shaded).find("no leaf found"), std::string::npos);
  Image<std::uint8_t> speck(80, 60, 230);
  fill(speck, 20, 20, 3, 3, 40);
  EXPECT_NE(refusal(speck).find("no leaf: the largest part"), std::string::npos);
  EXPECT_NE(refusal(Image<std::uint8_t>(0, 0)).find("no pixels"), std::string::npos);
}

// mechanics: a background of the other kind is refused, and accepted once it is stated.
TEST(PrepareLeaf, BackgroundMustBeAsStated) {
  Image<std::uint8_t> negative = ellipse_photograph(320, 240, 150, 120, 80, 50);
  for (std::uint8_t& value : negative.pixels()) value = static_cast<std::uint8_t>(255 - value);
  EXPECT_NE(refusal(negative).find("set background: dark"), std::string::npos);
  PrepareSpec dark;
  dark.background = Background::kDark;
  EXPECT_NEAR(mask_area(prepare_leaf(negative, "negative", dark)), 8000, 80);
  EXPECT_NE(
      refusal(ellipse_photograph(320, 240, 150, 120, 80, 50), dark).find("set background: light"),
      std::string::npos);
}

// mechanics: a leaf at the border is used, with a warning.
TEST(PrepareLeaf, WarnsOfTheBorder) {
  const PreparedLeaf leaf = prepare_leaf(ellipse_photograph(320, 240, 20, 120, 60, 40), "cut", {});
  EXPECT_TRUE(warns(leaf.warnings, "touches the border"));
}

// mechanics: values out of range are refused as usage errors.
TEST(PrepareSpec, RefusesValuesOutOfRange) {
  PrepareSpec spec;
  spec.size = 8;
  EXPECT_THROW(validate(spec), UsageError);
  spec = {};
  spec.area = std::nan("");
  EXPECT_THROW(validate(spec), UsageError);
  spec.area = 70000;
  EXPECT_THROW(validate(spec), UsageError);
  spec = {};
  spec.source_aspect = -1;
  EXPECT_THROW(validate(spec), UsageError);
  spec = published_spec();
  EXPECT_NO_THROW(validate(spec));
  spec.source_aspect = 1.5;
  EXPECT_THROW(validate(spec), UsageError);
  EXPECT_THROW(from_name<Geometry>("square"), UsageError);
  EXPECT_EQ(from_name<Geometry>("published"), Geometry::kPublished);
  EXPECT_EQ(from_name<Background>("dark"), Background::kDark);
  EXPECT_EQ(from_name<LeafParts>("all"), LeafParts::kAll);
}

// mechanics: an aspect is a quotient, a number or none, and is written as it was given.
TEST(SourceAspect, IsReadAndWritten) {
  EXPECT_EQ(aspect_from_text("4:3"), 4.0 / 3.0);
  EXPECT_EQ(aspect_from_text("1.3333333333333333"), 4.0 / 3.0);
  EXPECT_EQ(aspect_from_text("0"), 0.0);
  EXPECT_EQ(aspect_text(4.0 / 3.0), "4:3");
  EXPECT_EQ(aspect_text(0.5), "1:2");
  EXPECT_EQ(aspect_text(1.2345), "1.2345");
  for (const char* wrong : {"", ":", "4:", "4:0", "0:0", "4:3:2", "nan", "-1", "101", "4 : 3"}) {
    EXPECT_THROW(aspect_from_text(wrong), UsageError) << wrong;
  }
}

}  // namespace
}  // namespace leafglyph
