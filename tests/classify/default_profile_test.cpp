// How the default fonts and profile perform on pairs that readers confuse.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <limits>
#include <string>
#include <vector>

#include "classify/glyph/lookalike_pairs.h"
#include "classify/glyph/lookalike_score.h"
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

// regression: the share for the project's own pairs, on which profile and weights were chosen.
TEST_F(DefaultProfile, FindsThePartnersOfConfusablePairs) {
  EXPECT_GE(share(LEAFGLYPH_PAIRS, 5), 0.84);
}

// regression: at least 90 % of look-alike pairs that were not used to choose anything.
TEST_F(DefaultProfile, FindsThePartnersOfTheLookalikeFile) {
  const char* file = std::getenv("LEAFGLYPH_LOOKALIKES");
  if (file == nullptr) GTEST_SKIP() << "LEAFGLYPH_LOOKALIKES is not set";
  EXPECT_GE(share(file, 1), 0.90);
}

// regression: the share for pairs that were not used to choose anything.
TEST_F(DefaultProfile, FindsThePartnersOfReportedPairs) {
  EXPECT_GE(share(LEAFGLYPH_REPORTED_PAIRS, 3), 0.81);
}

// regression: the quantiles for fonts without the calibration pairs are those of these pairs.
TEST_F(DefaultProfile, QuantilesAreThoseOfTheCalibrationPairs) {
  std::vector<double> evidence;
  for (const ListedPair& pair : parse_pairs(std::string(calibration_pairs()), "pairs").pairs) {
    evidence.push_back(index_->compare(pair.first, pair.second).evidence);
    evidence.push_back(index_->compare(pair.second, pair.first).evidence);
  }
  std::sort(evidence.begin(), evidence.end());
  const LookalikeEvidence readers(LookalikeMeasure::kReaders);
  const auto quantiles = readers.quantiles();
  ASSERT_EQ(quantiles.size(), 17U);
  for (std::size_t k = 0; k < quantiles.size(); ++k) {
    const std::size_t place = k * (evidence.size() - 1) / (quantiles.size() - 1);
    EXPECT_NEAR(quantiles[k], evidence[place], 1e-4) << k;  // weights and quantiles have six digits
  }
}

// invariant: every weight of a measure has the sign of its meaning: what is drawn alike, shares
// parts and is common is confused.
TEST(LookalikeWeights, HaveTheSignOfTheirMeaning) {
  const CharacterTraits none;
  CharacterTraits rare;
  rare.is_common = false;
  rare.is_general = false;
  CharacterTraits frequent;
  frequent.frequency = 5;
  const Unihan unihan;
  const CharacterTraits bridge = traits_of(U'桥', unihan);
  for (const auto measure : {LookalikeMeasure::kReaders, LookalikeMeasure::kOcr}) {
    const LookalikeEvidence evidence(measure);
    EXPECT_GT(evidence(none, none, 0.2), evidence(none, none, 0.3));
    EXPECT_GT(evidence(none, none, 0.2), evidence(none, rare, 0.2));
    EXPECT_GT(evidence(none, frequent, 0.2), evidence(none, none, 0.2));
    EXPECT_GT(evidence(traits_of(U'侨', unihan), bridge, 0.5), evidence(none, bridge, 0.5));
    EXPECT_EQ(evidence(none, rare, 0.0), std::numeric_limits<double>::infinity());
  }
}

// invariant: 由 and 甲, one the other upside down, have the same magnitudes, but are not as near as
// true look-alikes.
TEST_F(DefaultProfile, DoesNotEquateUpsideDownCharacters) {
  EXPECT_GT(index_->compare(U'由', U'甲').distance, 3 * index_->compare(U'己', U'已').distance);
}

}  // namespace
}  // namespace leafglyph
