// Unihan's data about characters, and readings as people write them.
#include "datasets/glyph/unihan.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "datasets/glyph/character_code.h"
#include "datasets/glyph/gb2312.h"
#include "datasets/glyph/unicode_blocks.h"

namespace leafglyph {
namespace {

// oracle: entries of the Unicode character database, version 15.
TEST(Unihan, KnowsReadingsStrokesRadicalAndVariants) {
  const Unihan unihan;
  const CharacterFacts self = *unihan.facts(U'己');
  EXPECT_EQ(self.pinyin, std::vector<std::string>{"ji3"});
  EXPECT_EQ(self.strokes, 3);
  EXPECT_EQ(self.radical, 49);
  EXPECT_EQ(self.frequency, 2585U);
  EXPECT_EQ(self.general, 60);
  EXPECT_NE(self.meaning.find("oneself"), std::string::npos);
  const CharacterFacts done = *unihan.facts(U'了');
  EXPECT_EQ(done.pinyin, (std::vector<std::string>{"le5", "liao3", "liao4"}));
  EXPECT_EQ(done.frequency, 30101U + 654 + 19);
  EXPECT_EQ(unihan.facts(U'马')->traditional, U"馬");
  EXPECT_EQ(unihan.facts(U'馬')->simplified, U"马");
  EXPECT_EQ(unihan.facts(U'龘')->strokes, 48);
  const CharacterFacts bridge = *unihan.facts(U'桥');
  EXPECT_EQ(bridge.cangjie, "DHKL");
  EXPECT_EQ(bridge.four_corner, "4292");
  EXPECT_EQ(bridge.phonetic, std::vector<int>{2 * 636});  // of 橋
  EXPECT_EQ(unihan.facts(U'橋')->phonetic, bridge.phonetic);
  EXPECT_FALSE(unihan.facts(U'A'));
  EXPECT_FALSE(unihan.facts(U'\U0010FFFF'));
}

// oracle: the readings that pupils learn of characters whose rare ones Unihan lists, too, by how
// often they are used: 得 is de in most texts; 末 is never me, and shi without a tone is a matter
// of words.
TEST(Unihan, KnowsTheUsualReadings) {
  const Unihan unihan;
  const auto usual = [&](char32_t character) { return unihan.facts(character)->usual; };
  using Readings = std::vector<std::string>;
  EXPECT_EQ(usual(U'末'), (Readings{"mo4"}));
  EXPECT_EQ(usual(U'士'), (Readings{"shi4"}));
  EXPECT_EQ(usual(U'了'), (Readings{"le5", "liao3"}));
  EXPECT_EQ(usual(U'得'), (Readings{"de5", "de2", "dei3"}));
  EXPECT_EQ(usual(U'长'), (Readings{"zhang3", "chang2"}));
  EXPECT_EQ(usual(U'都'), (Readings{"dou1", "du1"}));
  EXPECT_EQ(usual(U'行'), (Readings{"xing2", "hang2"}));
  EXPECT_EQ(usual(U'好'), (Readings{"hao3", "hao4"}));
  EXPECT_EQ(usual(U'桥'), (Readings{"qiao2"}));
  EXPECT_EQ(usual(U'龘').size(), 1U);  // not in the corpus
}

// invariant: every hanzi of GB 2312 has a reading, strokes and a radical.
TEST(Unihan, KnowsEveryHanziOfGb2312) {
  const Unihan unihan;
  const Gb2312 gb2312;
  for (const char32_t character : gb2312.hanzi()) {
    const auto facts = unihan.facts(character);
    ASSERT_TRUE(facts);
    EXPECT_FALSE(facts->pinyin.empty()) << static_cast<unsigned>(character);
    EXPECT_FALSE(facts->usual.empty()) << static_cast<unsigned>(character);
    for (const std::string& reading : facts->usual) {
      EXPECT_NE(std::ranges::find(facts->pinyin, reading), facts->pinyin.end()) << reading;
    }
    EXPECT_GE(facts->strokes, 1);
    EXPECT_GE(facts->radical, 1);
    EXPECT_LE(facts->radical, 214);
  }
}

// oracle: tone marks are placed by the rules of pinyin.
TEST(Pinyin, MarksTheVowelOfTheTone) {
  const std::pair<const char*, const char*> cases[] = {
      {"ji3", "jǐ"},       {"lü4", "lǜ"},   {"hao3", "hǎo"}, {"gui4", "guì"}, {"liu2", "liú"},
      {"xiong1", "xiōng"}, {"lou2", "lóu"}, {"lüe4", "lüè"}, {"le5", "le"},   {"er2", "ér"},
      {"ng2", "ńg"},       {"m2", "ḿ"},     {"ê4", "ề"},     {"", ""}};
  for (const auto& [numbered, marked] : cases) EXPECT_EQ(marked_pinyin(numbered), marked);
  EXPECT_EQ(toneless_pinyin("lü4"), "lü");
  EXPECT_EQ(toneless_pinyin("ji"), "ji");
}

// mechanics: readings with and without tones, with marks, and ü in its usual spellings.
TEST(Unihan, FindsCharactersByPinyin) {
  const Unihan unihan;
  const std::u32string_view among = U"已己吕绿巳记几律";
  EXPECT_EQ(unihan.with_pinyin("ji3", among), U"几己");
  EXPECT_EQ(unihan.with_pinyin("jǐ", among), U"几己");
  EXPECT_EQ(unihan.with_pinyin("JI", among), U"几己记");
  EXPECT_EQ(unihan.with_pinyin("lü4", among), unihan.with_pinyin("lv4", among));
  EXPECT_EQ(unihan.with_pinyin("lǜ", among), unihan.with_pinyin("lu:4", among));
  EXPECT_EQ(unihan.with_pinyin("lv3", among), U"吕");
  EXPECT_EQ(unihan.with_pinyin("xyz", among), U"");
  EXPECT_EQ(unihan.with_pinyin("", among), U"");
}

// oracle: Unicode's decompositions and its list of equivalent ideographs.
TEST(UnifiedCharacters, AreWhatOthersStandFor) {
  EXPECT_EQ(unified(U'\uF900'), U'豈');
  EXPECT_EQ(unified(U'\U0002F800'), U'丽');
  EXPECT_EQ(unified(U'\u2F00'), U'一');
  EXPECT_EQ(unified(U'\u2E8C'), U'小');  // only in the list of equivalent ones
  EXPECT_EQ(unified(U'\uFF7F'), U'ソ');
  for (const char32_t itself : {U'一', U'\uFA0E', U'\u2E80', U'A', U'é', U'ソ'}) {
    EXPECT_EQ(unified(itself), itself);
  }
  EXPECT_TRUE(is_variation_selector(U'\uFE00'));
  EXPECT_TRUE(is_variation_selector(U'\U000E0100'));
  EXPECT_FALSE(is_variation_selector(U'一'));
}

// mechanics: characters that are compared stay as they are; every other change is reported.
TEST(MeantCharacters, AreReportedWhereTheyAreOthers) {
  const auto none = [](char32_t) { return false; };
  const MeantCharacters found = meant_characters(U"\uF900\uFE00己", none);
  EXPECT_EQ(found.characters, U"豈己");
  ASSERT_EQ(found.notes.size(), 2U);
  EXPECT_EQ(found.notes[0], "\uF900 (U+F900) is taken for 豈 (U+8C48)");
  EXPECT_EQ(found.notes[1], "the variation selector U+FE00 is left out: 豈 (U+8C48) is taken");
  const MeantCharacters kept = meant_characters(U"\uF900", [](char32_t) { return true; });
  EXPECT_EQ(kept.characters, U"\uF900");
  EXPECT_TRUE(kept.notes.empty());
}

}  // namespace
}  // namespace leafglyph
