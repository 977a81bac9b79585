// How the default fonts and profile perform on pairs that readers confuse.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "classify/glyph/lookalike_pairs.h"
#include "classify/glyph/lookalike_score.h"
#include "classify/glyph/lookalikes.h"
#include "features/base/input_file.h"
#include "features/base/text.h"

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
  for (std::size_t k = 0; k < characters.size(); k += 680) queries.push_back(characters[k]);
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
  const Unihan unihan;
  const CharacterTraits bridge = traits_of(U'桥', unihan);
  const CharacterTraits other = traits_of(U'林', unihan);
  CharacterTraits rare = other;
  rare.is_common = false;
  rare.is_general = false;
  CharacterTraits frequent = other;
  frequent.frequency += 5;
  const PairDistances near{0.2, 0.2};
  const PairDistances far{0.3, 0.3};
  for (const auto measure : {LookalikeMeasure::kReaders, LookalikeMeasure::kOcr}) {
    const LookalikeEvidence evidence(measure);
    EXPECT_GT(evidence(bridge, other, near), evidence(bridge, other, far));
    EXPECT_GT(evidence.expected(bridge, other, 0.2), evidence.expected(bridge, other, 0.3));
    EXPECT_GT(evidence(bridge, other, near), evidence(bridge, rare, near));
    EXPECT_GT(evidence(bridge, frequent, near), evidence(bridge, other, near));
    EXPECT_GT(evidence(traits_of(U'侨', unihan), bridge, far), evidence(other, bridge, far));
    EXPECT_EQ(evidence(bridge, rare, {}), std::numeric_limits<double>::infinity());
  }
}

// invariant: of characters whose parts are unknown, such as kana, two that are drawn alike have
// more evidence if they have as many strokes, but never more than the strongest known pair. Two
// kana have more than a kana and a Chinese character, of which there are many.
TEST(LookalikeWeights, HoldKanaAgainstKnownPairs) {
  const Unihan unihan;
  const CharacterTraits three = traits_of(U'シ', unihan);
  const CharacterTraits also_three = traits_of(U'ツ', unihan);
  const CharacterTraits one = traits_of(U'ノ', unihan);
  const CharacterTraits hanzi = traits_of(U'小', unihan);  // three strokes
  const PairDistances near{0.2, 0.1};
  const PairDistances far{0.2, 0.2};
  for (const auto measure : {LookalikeMeasure::kReaders, LookalikeMeasure::kOcr}) {
    const LookalikeEvidence evidence(measure);
    EXPECT_GT(evidence(three, also_three, near), evidence(three, also_three, far));
    EXPECT_GT(evidence(three, also_three, far), evidence(three, one, far));
    EXPECT_GT(evidence(three, also_three, far), evidence(three, hanzi, far));
    EXPECT_EQ(evidence(three, also_three, far), evidence(also_three, three, far));
  }
}

// invariant: 由 and 甲, one the other upside down, have the same magnitudes, but are not as near as
// true look-alikes.
TEST_F(DefaultProfile, DoesNotEquateUpsideDownCharacters) {
  EXPECT_GT(index_->compare(U'由', U'甲').distance, 3 * index_->compare(U'己', U'已').distance);
}

// Kana in the default fonts of other sets.
LookalikeIndex kana_index(std::vector<std::string> characters, bool forms) {
  LookalikeOptions options;
  options.selection.characters = std::move(characters);
  options.selection.fonts = default_lookalike_fonts(options.selection.characters);
  options.selection.skip_missing = true;
  options.cache_folder.clear();
  options.profile.forms = forms;
  return LookalikeIndex(options);
}

class DefaultKana : public ::testing::Test {
 protected:
  void SetUp() override {
    for (const FontOptions& font : default_lookalike_fonts({"hiragana"})) {
      if (!std::filesystem::exists(font.file)) GTEST_SKIP() << font.file << " is not installed";
    }
  }
  static std::size_t rank(const LookalikeIndex& index, char32_t query, char32_t partner) {
    const auto answers = index.similar(query, 10);
    const auto found = std::ranges::find(answers, partner, &Lookalike::character);
    return static_cast<std::size_t>(found - answers.begin()) + 1;
  }
};

// oracle: five pairs of which every textbook of Japanese warns; each is among the three first of
// the other, and more alike than the median pair that readers confuse. The program knows no kana
// pairs.
TEST_F(DefaultKana, TextbookPairsComeFirst) {
  const LookalikeIndex index = kana_index({"hiragana", "katakana"}, /*forms=*/false);
  for (const std::u32string_view pair : {U"ソン", U"シツ", U"ぬめ", U"はほ", U"おあ"}) {
    for (const auto& [query, partner] :
         {std::pair(pair[0], pair[1]), std::pair(pair[1], pair[0])}) {
      EXPECT_LE(rank(index, query, partner), 3U) << encode_utf8(pair);
      EXPECT_GT(index.compare(query, partner).score, 0.5) << encode_utf8(pair);
    }
  }
}

// regression: the share for kana and Chinese characters of the same shape, among both. The pairs
// were not used to choose anything.
TEST_F(DefaultKana, PairsAreFoundBesideChineseCharacters) {
  const LookalikeIndex index = kana_index({"hiragana", "katakana", "common"}, /*forms=*/false);
  const PairFile pairs = parse_pairs(read_file(LEAFGLYPH_KANA_PAIRS), LEAFGLYPH_KANA_PAIRS);
  EXPECT_GE(share_within(score_pairs(index, pairs.pairs, 10), 10), 0.82);
  for (const std::u32string_view pair : {U"力カ", U"口ロ", U"二ニ", U"工エ", U"八ハ"}) {
    EXPECT_LE(rank(index, pair[1], pair[0]), 3U) << encode_utf8(pair);
  }
}

// mechanics: of the forms of a kana only the one like the query's is a result, unless all are asked
// for; those of the query are none, and their score can still be asked.
TEST_F(DefaultKana, OtherFormsAreSetAside) {
  const LookalikeIndex plain = kana_index({"hiragana"}, /*forms=*/false);
  const LookalikeIndex all = kana_index({"hiragana"}, /*forms=*/true);
  const auto characters = [](const std::vector<Lookalike>& answers) {
    std::u32string found;
    for (const Lookalike& answer : answers) found += answer.character;
    return found;
  };
  const std::u32string of_ha = characters(plain.similar(U'は', 40));
  EXPECT_EQ(of_ha.find_first_of(U"はばぱぼぽげっぁ"), of_ha.npos) << encode_utf8(of_ha);
  EXPECT_NE(of_ha.find(U'ほ'), of_ha.npos);
  const std::u32string of_ba = characters(plain.similar(U'ば', 40));
  EXPECT_EQ(of_ba.find_first_of(U"はばぱほぽけ"), of_ba.npos) << encode_utf8(of_ba);
  EXPECT_NE(of_ba.find(U'ぼ'), of_ba.npos);
  EXPECT_NE(of_ba.find(U'な'), of_ba.npos);  // has no other form
  const std::u32string twins = characters(all.similar(U'は', 3));
  EXPECT_NE(twins.find(U'ば'), twins.npos) << encode_utf8(twins);
  EXPECT_EQ(plain.compare(U'は', U'ば').score, all.compare(U'は', U'ば').score);
  EXPECT_GT(plain.compare(U'は', U'ば').score, 0.5);
}

}  // namespace
}  // namespace leafglyph
