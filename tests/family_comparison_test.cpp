#include "classify/family_comparison.h"

#include <gtest/gtest.h>

#include <cmath>
#include <fstream>

#include "features/errors.h"
#include "features/volume.h"

namespace leafglyph {
namespace {

// oracle: counts by hand
TEST(FamilyComparison, CountsBothSignsOfTheRepetition) {
  for (int order : {1, 2, 5, 30}) {
    const auto t = static_cast<std::size_t>(order);
    const std::size_t triangle = (t + 1) * (t + 2) / 2;
    EXPECT_EQ(independent_count(Family::kZernike, order), triangle);
    EXPECT_EQ(independent_count(Family::kLegendre, order), triangle);
    EXPECT_EQ(independent_count(Family::kPseudoZernike, order), (t + 1) * (t + 1));
    EXPECT_EQ(independent_count(Family::kBesselFourier, order), t * (2 * t + 1));
  }
  EXPECT_EQ(order_for_count(Family::kZernike, 496), 30);
  EXPECT_EQ(order_for_count(Family::kZernike, 495), 29);
  EXPECT_EQ(order_for_count(Family::kBesselFourier, 0), 1);
}

// invariant: every family comes closer to an image with edges with more moments, and the report
// holds what was measured and nothing else
TEST(FamilyComparison, MoreMomentsComeCloser) {
  const int size = 64;
  const std::vector<double> image = generate_bone(size, size, 1, /*seed=*/20250101).values;
  const std::vector<Family> families = {Family::kZernike, Family::kPseudoZernike,
                                        Family::kBesselFourier, Family::kLegendre};
  const std::vector<std::size_t> counts = {10, 60, 400};
  EngineOptions options;
  options.device.kind = DeviceChoice::Kind::kCpu;
  auto points = compare_reconstructions(image, size, families, counts, options);
  ASSERT_EQ(points.size(), 12U);
  for (std::size_t p = 4; p < points.size(); ++p) {
    EXPECT_EQ(points[p].family, points[p - 4].family);
    EXPECT_GT(points[p].psnr, points[p - 4].psnr) << family_name(points[p].family);
    EXPECT_LE(points[p].moments, counts[p / 4]);
  }
  EXPECT_THROW(compare_reconstructions(image, size, families, {}, options), UsageError);
  EXPECT_NE(comparison_text(points).find("legendre"), std::string::npos);
  EXPECT_EQ(comparison_svg(points, "a").find("look-alike"), std::string::npos);
  points[0].leaf_accuracy = 0.5;
  points[1].recall = 0.25;
  const std::string csv = comparison_csv(points);
  EXPECT_NE(csv.find(",0.5,\n"), std::string::npos) << csv;
  EXPECT_NE(csv.find(",,0.25\n"), std::string::npos) << csv;
  EXPECT_NE(comparison_svg(points, "a").find("Look-alike"), std::string::npos);
}

// regression: look-alikes among the ten nearest of GB 2312 in the Song ti, Zernike of order 16
// inside the unit circle; skipped without the font
TEST(FamilyComparison, LookAlikesAreFound) {
  const GlyphSelection selection;
  if (!std::ifstream(selection.fonts.front().file)) GTEST_SKIP() << "no xfonts-base";
  const std::vector<ListedPair> pairs = {
      {U'未', U'末', 1}, {U'土', U'士', 2}, {U'己', U'已', 3}, {U'人', U'鑫', 4}};
  FamilyPoint point;
  point.family = Family::kZernike;
  point.order = 16;
  FamilyPoint square = point;
  square.family = Family::kLegendre;
  std::vector<FamilyPoint> points = {point, square};
  EngineOptions options;
  options.device.kind = DeviceChoice::Kind::kCpu;
  add_lookalike_recall(selection, pairs, options, points);
  for (const FamilyPoint& found : points) {
    EXPECT_GE(found.recall.value(), 0.5);   // at least two of the three pairs that are alike
    EXPECT_LE(found.recall.value(), 0.75);  // never a plain character and a crowded one
  }
  const std::vector<ListedPair> unknown = {{U'A', U'末', 1}};
  EXPECT_THROW(add_lookalike_recall(selection, unknown, options, points), InputError);
}

}  // namespace
}  // namespace leafglyph
