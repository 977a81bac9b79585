// How the default fonts and profile perform on pairs that readers confuse.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <vector>

#include "classify/glyph/lookalike_pairs.h"
#include "classify/glyph/lookalikes.h"
#include "features/base/input_file.h"

namespace leafglyph {
namespace {

// The default fonts and profile; the tables are computed once.
class DefaultProfile : public ::testing::Test {
 protected:
  static void SetUpTestSuite() {
    LookalikeOptions options;
    for (const FontOptions& font : options.selection.fonts) {
      if (!std::filesystem::exists(font.file)) return;
    }
    options.cache_folder.clear();
    index_ = new LookalikeIndex(options);
  }
  static void TearDownTestSuite() {
    delete index_;
    index_ = nullptr;
  }
  void SetUp() override {
    if (index_ == nullptr) GTEST_SKIP() << "the default fonts are not installed";
  }
  // The share of the pairs, both ways, whose partner is among the ten nearest; takes every
  // `step`-th pair.
  static double share(const std::string& file, std::size_t step) {
    const PairFile pairs = parse_pairs(read_file(file), file);
    EXPECT_TRUE(pairs.refused.empty());
    std::vector<ListedPair> chosen;
    for (std::size_t k = 0; k < pairs.pairs.size(); k += step) chosen.push_back(pairs.pairs[k]);
    return share_within(score_pairs(*index_, chosen, 10), 10);
  }
  static LookalikeIndex* index_;
};
LookalikeIndex* DefaultProfile::index_ = nullptr;

// agreement: the shortlist loses almost nothing against comparing everything.
TEST_F(DefaultProfile, ShortlistAgreesWithAnExhaustiveSearch) {
  std::u32string queries;
  const std::u32string& characters = index_->selected().characters;
  for (std::size_t k = 0; k < characters.size(); k += 340) queries.push_back(characters[k]);
  const auto fast = index_->similar(queries, 10);
  const auto exact = index_->similar(queries, 10, {{}, /*exhaustive=*/true, {}});
  std::size_t found = 0;
  for (std::size_t q = 0; q < queries.size(); ++q) {
    for (const Lookalike& expected : exact[q]) {
      found += std::any_of(fast[q].begin(), fast[q].end(), [&](const Lookalike& prediction) {
        return prediction.character == expected.character &&
               prediction.distance == expected.distance;
      });
    }
  }
  const std::size_t asked = 10 * queries.size();
  EXPECT_GE(static_cast<double>(found) / static_cast<double>(asked), 0.97);
}

// regression: the share for the project's own pairs, on which the profile was chosen.
TEST_F(DefaultProfile, FindsThePartnersOfConfusablePairs) {
  EXPECT_GE(share(LEAFGLYPH_PAIRS, 5), 0.78);
}

// regression: at least 84 % of look-alike pairs that were not used to choose the profile.
TEST_F(DefaultProfile, FindsThePartnersOfTheLookalikeFile) {
  const char* file = std::getenv("LEAFGLYPH_LOOKALIKES");
  if (file == nullptr) GTEST_SKIP() << "LEAFGLYPH_LOOKALIKES is not set";
  EXPECT_GE(share(file, 1), 0.84);
}

// regression: the share for pairs that were not used to choose anything.
TEST_F(DefaultProfile, FindsThePartnersOfReportedPairs) {
  EXPECT_GE(share(LEAFGLYPH_REPORTED_PAIRS, 3), 0.64);
}

// regression: the constants for fonts without the calibration pairs are what these pairs give.
TEST_F(DefaultProfile, StandardScoreIsThatOfTheCalibrationPairs) {
  std::vector<double> distances;
  for (const ListedPair& pair : parse_pairs(calibration_pairs(), "pairs").pairs) {
    distances.push_back(index_->compare(pair.first, pair.second).distance);
  }
  std::sort(distances.begin(), distances.end());
  const LookalikeScore standard = LookalikeScore::standard();
  const auto knots = standard.knots();
  for (std::size_t k = 1; k < knots.size(); ++k) {
    const std::size_t count = k * distances.size() / (knots.size() - 1);
    EXPECT_NEAR(knots[k].distance, distances[count - 1], 5e-4) << k;  // they have three decimals
  }
}

// invariant: 由 and 甲, one the other upside down, have the same magnitudes, but are not as near as
// true look-alikes.
TEST_F(DefaultProfile, DoesNotEquateUpsideDownCharacters) {
  EXPECT_GT(index_->compare(U'由', U'甲').distance, 3 * index_->compare(U'己', U'已').distance);
}

}  // namespace
}  // namespace leafglyph
