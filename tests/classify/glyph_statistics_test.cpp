// Moment statistics of characters: the published figures, and properties that hold for any font.
#include "classify/glyph/glyph_statistics.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <map>
#include <numeric>
#include <string>
#include <vector>

#include "classify/glyph/glyph_config.h"
#include "classify/glyph/published_lookalikes.h"
#include "features/base/errors.h"
#include "features/base/text.h"

namespace leafglyph {
namespace {

constexpr std::uint64_t kPairs = 22858941;  // 6762 * 6761 / 2

// The configuration named after the publication, without changes.
class PublishedStatistics : public ::testing::Test {
 protected:
  static void SetUpTestSuite() {
    const GlyphConfig config =
        load_glyph_config(std::filesystem::path(LEAFGLYPH_CONFIGS) / "gb2312_published.yaml");
    if (!std::filesystem::exists(config.selection.fonts.front().file)) return;
    options_ = new GlyphStatisticsOptions(config.statistics);
    statistics_ = new GlyphStatistics(glyph_statistics(config.selection, config.statistics, {}));
  }
  static void TearDownTestSuite() {
    delete statistics_;
    statistics_ = nullptr;
    delete options_;
    options_ = nullptr;
  }
  void SetUp() override {
    if (statistics_ == nullptr) GTEST_SKIP() << "xfonts-base is not installed";
  }
  static const FamilyStatistics& pseudo() { return statistics_->families[0]; }
  static const FamilyStatistics& zernike() { return statistics_->families[1]; }
  static const PartStatistics& part(MomentPart which) {
    return pseudo().parts[static_cast<std::size_t>(which)];
  }
  static std::vector<std::string> chosen(MomentPart which) {
    std::vector<std::string> names;
    for (const std::size_t c : part(which).chosen)
      names.push_back(moment_name(pseudo().indices[c]));
    return names;
  }
  // Rows m = 0 ... 5, columns n = m ... 5, printed with four decimals. `misprint` gives the moments
  // whose printed figure is wrong, with the computed figures.
  static void expect_variances(MomentPart which, const std::vector<std::vector<double>>& published,
                               const std::map<std::string, double>& misprints) {
    for (std::size_t c = 0; c < pseudo().indices.size(); ++c) {
      const auto [n, m] = pseudo().indices[c];
      const std::string name = moment_name({n, m});
      const auto misprint = misprints.find(name);
      const double printed =
          published[static_cast<std::size_t>(m)][static_cast<std::size_t>(n - m)];
      const double got = part(which).variances[c];
      EXPECT_NEAR(got, misprint == misprints.end() ? printed : misprint->second, 0.00005) << name;
      if (misprint != misprints.end()) {
        EXPECT_GT(std::abs(got - printed), 0.00005) << name;
      }
    }
  }
  // Pairs with their printed distances in units of the fourth decimal; pairs with equal printed
  // distances may be in any order.
  using Closest = std::vector<std::pair<long, std::string>>;
  static void expect_closest(MomentPart which, Closest published) {
    Closest closest;
    for (const PairDistance& pair : part(which).distances.closest) {
      closest.emplace_back(std::lround(pair.distance * 1e4),
                           encode_utf8(std::u32string{statistics_->characters[pair.first],
                                                      statistics_->characters[pair.second]}));
    }
    std::sort(closest.begin(), closest.end());
    std::sort(published.begin(), published.end());
    EXPECT_EQ(closest, published) << name_of(which);
  }
  static GlyphStatistics* statistics_;
  static GlyphStatisticsOptions* options_;
};
GlyphStatistics* PublishedStatistics::statistics_ = nullptr;
GlyphStatisticsOptions* PublishedStatistics::options_ = nullptr;

// oracle: the published table of complex variances. One entry, 0.0040 for A55, is off by one unit
// of its last digit: the computed value is 0.00391. No other scale of the moments gives it (it
// would take a factor of at least 1.0107, and A53 allows 1.0001), and neither the published
// distances nor the choice of moments involve A55.
TEST_F(PublishedStatistics, VariancesOfComplexMoments) {
  expect_variances(MomentPart::kComplex,
                   {{0.0035, 0.0015, 0.0020, 0.0034, 0.0054, 0.0054},
                    {0.0014, 0.0017, 0.0025, 0.0040, 0.0056},
                    {0.0027, 0.0026, 0.0044, 0.0062},
                    {0.0026, 0.0032, 0.0048},
                    {0.0031, 0.0042},
                    {0.0040}},
                   {{"A55", 0.0039}});
}

// oracle: the published table of the variances of real parts, complete.
TEST_F(PublishedStatistics, VariancesOfRealParts) {
  expect_variances(MomentPart::kReal,
                   {{0.0035, 0.0015, 0.0020, 0.0034, 0.0054, 0.0054},
                    {0.0008, 0.0009, 0.0016, 0.0025, 0.0038},
                    {0.0021, 0.0017, 0.0031, 0.0048},
                    {0.0012, 0.0018, 0.0025},
                    {0.0019, 0.0027},
                    {0.0019}},
                   {});
}

// oracle: the published table of the variances of magnitudes; |A55| is printed as 0.0010 and
// computed as 0.00093; A55 does not fit among the complex ones either.
TEST_F(PublishedStatistics, VariancesOfMagnitudes) {
  expect_variances(MomentPart::kMagnitude,
                   {{0.0035, 0.0013, 0.0013, 0.0015, 0.0023, 0.0029},
                    {0.0004, 0.0004, 0.0007, 0.0010, 0.0015},
                    {0.0007, 0.0008, 0.0011, 0.0019},
                    {0.0006, 0.0007, 0.0012},
                    {0.0017, 0.0017},
                    {0.0010}},
                   {{"A55", 0.0009}});
}

// oracle: the published choice of moments.
TEST_F(PublishedStatistics, ChosenMoments) {
  using GivenNames = std::vector<std::string>;
  EXPECT_EQ(chosen(MomentPart::kComplex), (GivenNames{"A40", "A50", "A51", "A52"}));
  EXPECT_EQ(chosen(MomentPart::kReal), (GivenNames{"A40", "A50", "A51", "A52"}));
  EXPECT_EQ(chosen(MomentPart::kMagnitude), (GivenNames{"A00", "A40", "A50", "A52"}));
}

// oracle: the published counts. Two of them are misprints, since their columns do not otherwise add
// up to the number of pairs: 401,117 for 401,177 and 420,358 for 430,358.
TEST_F(PublishedStatistics, CountsAndMeansOfDistances) {
  using Counts = std::vector<std::uint64_t>;
  const auto sum = [](const Counts& counts) {
    return std::accumulate(counts.begin(), counts.end(), std::uint64_t{0});
  };
  const auto expect = [&](const PartStatistics& statistics, Counts printed, std::size_t slip,
                          std::uint64_t for_which, double mean) {
    if (slip < printed.size()) {
      EXPECT_EQ(sum(printed) + for_which - printed[slip], kPairs);
      printed[slip] = for_which;
    }
    EXPECT_EQ(sum(printed), kPairs);
    EXPECT_EQ(statistics.distances.counts, printed);
    EXPECT_EQ(statistics.distances.pairs, kPairs);
    EXPECT_NEAR(statistics.distances.mean, mean, 0.00005);  // printed with four decimals
  };
  constexpr std::size_t kNone = 11;
  expect(part(MomentPart::kComplex),
         {2, 160, 1458, 6656, 20698, 49165, 99181, 175069, 274844, 401117, 21830531}, 9, 401177,
         0.2018);
  expect(part(MomentPart::kReal),
         {382, 5618, 23291, 60438, 119687, 202445, 308695, 420358, 566927, 707207, 20433893}, 7,
         430358, 0.1841);
  expect(part(MomentPart::kMagnitude),
         {1866, 26502, 103019, 244556, 443697, 680139, 933184, 1172664, 1384329, 1544734, 16324251},
         kNone, 0, 0.1350);
  // the best Zernike vector of an earlier publication
  expect(zernike().parts[0],
         {1, 103, 1431, 9356, 34357, 93979, 204098, 376078, 602301, 869781, 20667456}, kNone, 0,
         0.1633);
}

// oracle: the published closest pairs.
TEST_F(PublishedStatistics, ClosestPairs) {
  expect_closest(MomentPart::kComplex, {{67, "差露"},
                                        {95, "碍礓"},
                                        {101, "唷漤"},
                                        {102, "亮拿"},
                                        {114, "片移"},
                                        {114, "恰愉"},
                                        {115, "痕吉"},
                                        {116, "朱怃"},
                                        {118, "工十"},
                                        {120, "歌鹰"}});
  expect_closest(MomentPart::kReal, {{19, "奸妊"},
                                     {34, "钙脲"},
                                     {36, "钡稼"},
                                     {36, "缝钛"},
                                     {39, "窘焘"},
                                     {42, "它阌"},
                                     {42, "舛睨"},
                                     {43, "亮拿"},
                                     {43, "潭亳"},
                                     {44, "靖平"}});
  expect_closest(MomentPart::kMagnitude, {{11, "隧剃"},
                                          {15, "掂薏"},
                                          {18, "弹篥"},
                                          {18, "绰肴"},
                                          {19, "炯茴"},
                                          {20, "财净"},
                                          {20, "洁浴"},
                                          {23, "邺麽"},
                                          {24, "栽颉"},
                                          {26, "呱觎"}});
}

struct PrintedRow {
  std::u32string pair;
  double distances[3];  // complex, real, magnitude
};
const std::vector<PrintedRow> kPrintedDistances = {
    {U"搀馋", {0.0666, 0.0662, 0.0629}}, {U"抄钞", {0.0644, 0.0570, 0.0341}},
    {U"芳坊", {0.1714, 0.1476, 0.0913}}, {U"赢嬴", {0.1747, 0.1715, 0.1362}},
    {U"日曰", {0.1545, 0.1542, 0.1320}}, {U"莸荻", {0.0857, 0.0772, 0.0627}},
    {U"朴扑", {0.1495, 0.1419, 0.0890}}, {U"鞲鞴", {0.0587, 0.0379, 0.0339}},
    {U"末木", {0.1322, 0.1135, 0.1128}}, {U"己已", {0.1348, 0.1166, 0.1116}},
    {U"主柱", {0.1598, 0.1480, 0.1348}}, {U"壕嚎", {0.1582, 0.1576, 0.1267}},
    {U"诅阻", {0.2806, 0.2782, 0.1443}}, {U"末未", {0.0598, 0.0596, 0.0464}},
    {U"夭乇", {0.0963, 0.0837, 0.0780}}, {U"奖桨", {0.0701, 0.0687, 0.0526}},
    {U"垃拉", {0.0851, 0.0714, 0.0284}}, {U"伦抡", {0.0586, 0.0396, 0.0483}},
    {U"沦论", {0.0950, 0.0918, 0.0734}}, {U"大犬", {0.0817, 0.0726, 0.0386}},
    {U"搏博", {0.1589, 0.1560, 0.0614}}, {U"俊浚", {0.1423, 0.1414, 0.1199}},
    {U"毫豪", {0.1099, 0.1082, 0.0922}}, {U"竟竞", {0.1275, 0.1255, 0.0727}},
    {U"辩辨", {0.1388, 0.1385, 0.1134}}};
constexpr double kPrinted = 0.00005;  // half a unit of the last printed digit

// oracle: the published distances of the 25 pairs of similar characters listed in the
// configuration.
TEST_F(PublishedStatistics, DistancesOfSimilarPairs) {
  ASSERT_EQ(options_->pairs.size(), kPrintedDistances.size());
  for (std::size_t k = 0; k < kPrintedDistances.size(); ++k) {
    const auto [first, second] = options_->pairs[k];
    const PrintedRow& printed = kPrintedDistances[k];
    EXPECT_EQ((std::u32string{first, second}), printed.pair);
    for (std::size_t which = 0; which < 3; ++which) {
      EXPECT_NEAR(pseudo().parts[which].pair_distances[k], printed.distances[which], kPrinted)
          << encode_utf8(printed.pair) << ", " << name_of(pseudo().parts[which].part);
    }
  }
}

// oracle: what `glyph distance --by published` prints for these pairs is the published distance,
// for complex values, real parts and magnitudes.
TEST_F(PublishedStatistics, LookalikesHaveThePrintedDistances) {
  const GlyphConfig config =
      load_glyph_config(std::filesystem::path(LEAFGLYPH_CONFIGS) / "gb2312_published.yaml");
  for (const MomentPart part : kMomentParts) {
    const PublishedLookalikes index(config.selection, config.statistics, part, {});
    for (const PrintedRow& printed : kPrintedDistances) {
      EXPECT_NEAR(index.compare(printed.pair[0], printed.pair[1]).distance,
                  printed.distances[static_cast<std::size_t>(part)], kPrinted)
          << encode_utf8(printed.pair) << ", " << name_of(part);
    }
  }
}

// invariant: every column of every family adds up to the number of pairs.
TEST_F(PublishedStatistics, EveryColumnAddsUp) {
  for (const FamilyStatistics& family : statistics_->families) {
    for (const PartStatistics& statistics : family.parts) {
      const auto& counts = statistics.distances.counts;
      EXPECT_EQ(std::accumulate(counts.begin(), counts.end(), std::uint64_t{0}), kPairs)
          << family_name(family.family) << ", " << name_of(statistics.part);
      EXPECT_EQ(statistics.chosen.size(), 4U);
    }
  }
}

// invariant: a quarter turn maps pixel centres to pixel centres, so magnitudes change only by
// rounding: sums of 448 terms of order 1e-2.
TEST_F(PublishedStatistics, RotationLeavesMagnitudesUnchanged) {
  for (const FamilyStatistics& family : statistics_->families) {
    ASSERT_EQ(family.rotations.size(), 3U);
    for (const RotationCheck& check : family.rotations) {
      EXPECT_LT(check.largest_magnitude_change, 1e-14) << check.degrees;
      EXPECT_LT(check.largest_distance_change, 1e-13) << check.degrees;
      EXPECT_LT(check.largest_phase_error, 1e-14) << check.degrees;
    }
  }
}

// mechanics: names of moments, in both directions.
TEST(MomentNames, LeadBothWays) {
  for (const MomentIndex index : {MomentIndex{4, 0}, {5, 2}, {12, 4}, {30, 30}, {10, 0}}) {
    EXPECT_EQ(moment_from_name(moment_name(index)), index);
  }
  for (const char* broken : {"", "A", "A4", "B40", "A400", "A4,", "A,4", "A-1,2", "A12,4x"}) {
    EXPECT_THROW(moment_from_name(broken), UsageError) << broken;
  }
}

}  // namespace
}  // namespace leafglyph
