// Traits of characters, and how pairs of them compare.
#include "classify/glyph/character_traits.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string_view>
#include <vector>

#include "classify/glyph/lookalike_measure.h"
#include "datasets/glyph/gb2312.h"

namespace leafglyph {
namespace {

// The textbook recurrence.
int slow_shared_letters(const CharacterTraits& a, const CharacterTraits& b) {
  std::vector<std::vector<int>> length(a.letters + 1, std::vector<int>(b.letters + 1));
  for (int i = 0; i < a.letters; ++i) {
    for (int j = 0; j < b.letters; ++j) {
      length[i + 1][j + 1] = a.cangjie[i] == b.cangjie[j]
                                 ? length[i][j] + 1
                                 : std::max(length[i][j + 1], length[i + 1][j]);
    }
  }
  return length[a.letters][b.letters];
}

// oracle: the recurrence of the longest common subsequence, over pairs of GB 2312; both ways.
TEST(CharacterTraits, SharedLettersAgreeWithTheTextbook) {
  const Unihan unihan;
  std::vector<CharacterTraits> traits;
  const Gb2312 table;
  for (std::size_t k = 0; k < Gb2312::kHanzi; k += 23) {
    traits.push_back(traits_of(table.hanzi()[k], unihan));
  }
  for (const CharacterTraits& a : traits) {
    EXPECT_EQ(shared_letters(a, a), a.letters);
    for (const CharacterTraits& b : traits) {
      ASSERT_EQ(shared_letters(a, b), slow_shared_letters(a, b));
      ASSERT_EQ(shared_letters(a, b), shared_letters(b, a));
    }
  }
}

// oracle: the columns of 桥 and 侨 by hand: DHKL and OHKL, 4292 and 2222, phonetic class 636 of 橋
// and 僑, 10 and 8 strokes.
TEST(PairColumns, AreThoseOfTheCodes) {
  const Unihan unihan;
  const CharacterTraits bridge = traits_of(U'桥', unihan);
  const CharacterTraits abroad = traits_of(U'侨', unihan);
  const PairColumns columns = pair_columns(bridge, abroad, 0.25);
  const auto facts = *unihan.facts(U'侨');
  const PairColumns expected = {0.5,      0.5, 0.5 * 2.0 * 3 / 8,           columns[3],
                                2.0 / 18, 0.0, std::log1p(facts.frequency), 1.0,
                                1.0,      1.0};
  for (std::size_t k = 0; k < columns.size(); ++k) {
    EXPECT_DOUBLE_EQ(columns[k], expected[k]) << kPairColumns[k];
  }
  int equal = 0;
  for (int k = 0; k < 4; ++k) {
    equal += unihan.facts(U'桥')->four_corner[k] == facts.four_corner[k] ? 1 : 0;
  }
  EXPECT_EQ(columns[3], equal);
}

// mechanics: letters and kana have no parts and count as common; a traditional character is as
// common as its simplified form, a Japanese one as the list of those for common use says; the
// strokes of kana are known.
TEST(CharacterTraits, OfOtherScriptsAndOfTraditionalCharacters) {
  const Unihan unihan;
  const CharacterTraits letter = traits_of(U'A', unihan);
  EXPECT_EQ(letter.letters, 0);
  EXPECT_TRUE(letter.is_common);
  EXPECT_FALSE(share_phonetic(letter, letter));
  EXPECT_EQ(pair_columns(letter, letter, 0.0), (PairColumns{0, 0, 0, 0, 0, 0, 0, 1, 1, 0}));
  EXPECT_EQ(traits_of(U'橋', unihan).frequency, traits_of(U'桥', unihan).frequency);
  EXPECT_TRUE(traits_of(U'橋', unihan).is_common);
  EXPECT_FALSE(traits_of(U'龘', unihan).is_general);
  EXPECT_TRUE(traits_of(U'働', unihan).is_common);  // in Japan
  EXPECT_EQ(traits_of(U'が', unihan).strokes, 5);
}

// oracle: kinds of pairs that a reader sees.
TEST(PairKinds, AreWhatAReaderSees) {
  const Unihan unihan;
  const auto kind = [&](std::u32string_view pair) {
    const PairKind there = kind_of(traits_of(pair[0], unihan), traits_of(pair[1], unihan));
    EXPECT_EQ(there, kind_of(traits_of(pair[1], unihan), traits_of(pair[0], unihan)));
    return there;
  };
  EXPECT_EQ(kind(U"乔桥"), PairKind::kPart);
  EXPECT_EQ(kind(U"桥侨"), PairKind::kShared);
  EXPECT_EQ(kind(U"诅阻"), PairKind::kShared);
  EXPECT_EQ(kind(U"土人"), PairKind::kStrokes);
}

}  // namespace
}  // namespace leafglyph
