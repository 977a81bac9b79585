#include "classify/families/family_comparison.h"

#include <gtest/gtest.h>

#include <fstream>

#include "features/base/errors.h"
#include "features/image/volume.h"

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

constexpr unsigned kFamilyComparisonSeed = 20250101;

PlanOptions on_cpu() {
  PlanOptions options;
  options.device.kind = DeviceChoice::Kind::kCpu;
  return options;
}

std::vector<ComparedFamily> families_named(std::initializer_list<const char*> names) {
  std::vector<ComparedFamily> families;
  for (const char* name : names) families.push_back(compared_family_from_name(name));
  return families;
}

// oracle: a name consists of a family and its weight
TEST(FamilyComparison, NamesCarryTheWeight) {
  const ComparedFamily jacobi = compared_family_from_name("jacobi:-0.5:7e-1");
  EXPECT_EQ(jacobi.family(), Family::kJacobi);
  EXPECT_EQ(jacobi.kind.weight, (JacobiWeight{-0.5, 0.7}));
  EXPECT_EQ(family_text(jacobi.kind), "jacobi:-0.5:0.7");
  EXPECT_EQ(jacobi.name, "jacobi:-0.5:7e-1");
  EXPECT_EQ(compared_family_from_name("gegenbauer:1").kind.weight, (JacobiWeight{0.5, 0.5}));
  EXPECT_EQ(compared_family_from_name("zernike").family(), Family::kZernike);
  for (const char* name :
       {"jacobi", "jacobi:", "jacobi:1", "jacobi:1:2:3", "jacobi:1:x", "jacobi:1: 2", "jacobi:1:2 ",
        "jacobi:-1:0", "jacobi:0:-1.5", "jacobi:nan:0", "jacobi:0:inf", "gegenbauer",
        "gegenbauer:-0.5", "gegenbauer:1:2", "legendre:0", "hahn", ""}) {
    EXPECT_THROW(compared_family_from_name(name), UsageError) << name;
  }
}

// invariant: with more moments every family comes closer to an image with edges, and the report
// contains the measured values only
TEST(FamilyComparison, MoreMomentsComeCloser) {
  const int size = 64;
  const std::vector<double> image = generate_bone(size, size, 1, kFamilyComparisonSeed).values;
  const auto families = families_named({"zernike", "pseudo-zernike", "bessel-fourier", "legendre",
                                        "gegenbauer:1", "jacobi:0.3:0.7"});
  const std::vector<std::size_t> counts = {10, 60, 400};
  auto points = points_by_count(families, counts);
  ASSERT_EQ(points.size(), 18U);
  add_reconstructions(image, size, SampleRange{}, on_cpu(), points);
  for (std::size_t p = 6; p < points.size(); ++p) {
    EXPECT_EQ(points[p].family, points[p - 6].family);
    EXPECT_GT(points[p].psnr, points[p - 6].psnr) << points[p].family.name;
    EXPECT_LE(points[p].moments, counts[p / 6]);
  }
  EXPECT_THROW(points_by_count(families, {}), UsageError);
  EXPECT_NE(comparison_text(points).find("jacobi:0.3:0.7"), std::string::npos);
  EXPECT_EQ(comparison_svg(points, PlotAgainst::kOrder, "a").find("look-alike"), std::string::npos);
  points[0].leaf_accuracy = 0.5;
  points[1].recall = 0.25;
  const std::string csv = comparison_table(points).csv();
  EXPECT_NE(csv.find(",0.5,\n"), std::string::npos) << csv;
  EXPECT_NE(csv.find(",,0.25\n"), std::string::npos) << csv;
  EXPECT_NE(comparison_svg(points, PlotAgainst::kMoments, "a").find("Look-alike"),
            std::string::npos);
}

// agreement: Gegenbauer 1/2 and Jacobi 0, 0 are Legendre
TEST(FamilyComparison, NamedCasesAreLegendre) {
  const int size = 48;
  const std::vector<double> image = generate_bone(size, size, 1, kFamilyComparisonSeed).values;
  const auto families = families_named({"legendre", "gegenbauer:0.5", "jacobi:0:0"});
  const std::vector<int> orders = {20};
  auto points = points_by_order(families, orders);
  add_reconstructions(image, size, SampleRange{}, on_cpu(), points);
  EXPECT_EQ(points[1].psnr, points[0].psnr);  // the same weight, hence the same sums
  EXPECT_EQ(points[2].psnr, points[0].psnr);
  EXPECT_EQ(points[2].moments, 231U);
}

// mechanics: every family is computed at the requested orders; invalid orders are refused
TEST(FamilyComparison, OrdersAreThoseAskedFor) {
  const auto families = families_named({"zernike", "bessel-fourier", "jacobi:1:1"});
  for (const FamilyPoint& point : points_by_order(families, std::vector<int>{3, 7})) {
    EXPECT_TRUE(point.order == 3 || point.order == 7);
    EXPECT_EQ(point.moments, independent_count(point.family.family(), point.order));
  }
  EXPECT_THROW(points_by_order(families, std::vector<int>{}), UsageError);
  EXPECT_THROW(points_by_order(families, std::vector<int>{0}), UsageError);
  EXPECT_THROW(points_by_order(families, std::vector<int>{-1}), UsageError);
}

// regression: look-alikes among the ten nearest characters of GB 2312 in the Song ti, Zernike
// moments of order 16 inside the unit circle; skipped without the font
TEST(FamilyComparison, LookAlikesAreFound) {
  const GlyphSelection selection;
  if (!std::ifstream(selection.fonts.front().file)) GTEST_SKIP() << "no xfonts-base";
  const std::vector<ListedPair> pairs = {
      {U'未', U'末', 1}, {U'土', U'士', 2}, {U'己', U'已', 3}, {U'人', U'鑫', 4}};
  auto points = points_by_order(
      families_named({"zernike", "legendre", "jacobi:0:0", "gegenbauer:1"}), std::vector<int>{16});
  add_lookalike_recall(selection, pairs, on_cpu(), points);
  EXPECT_EQ(points[2].recall, points[1].recall);
  for (const FamilyPoint& found : points) {
    EXPECT_GE(found.recall.value(), 0.5);   // at least two of the three look-alike pairs
    EXPECT_LE(found.recall.value(), 0.75);  // never a plain character with a crowded one
  }
  const std::vector<ListedPair> unknown = {{U'A', U'末', 1}};
  EXPECT_THROW(add_lookalike_recall(selection, unknown, on_cpu(), points), InputError);
}

}  // namespace
}  // namespace leafglyph
