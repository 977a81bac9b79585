// Character sets by name, and characters by their codes.
#include "datasets/glyph/character_set.h"

#include <gtest/gtest.h>

#include <set>
#include <sstream>

#include "datasets/glyph/character_code.h"
#include "datasets/glyph/same_shape.h"
#include "datasets/glyph/unicode_blocks.h"
#include "features/base/errors.h"
#include "features/base/files.h"
#include "features/base/text.h"
#include "tests/support/refusal.h"
#include "tests/support/temporary_folder.h"

namespace leafglyph {
namespace {

using testing::refusal;

std::size_t count(const std::string& name) { return character_set(name).characters.size(); }

// oracle: the numbers of Chinese characters stated by the standards. For duplicates, two characters
// of Big 5 and 268 of KS X 1001, Unicode has compatibility ideographs.
TEST(CharacterSet, StandardsHaveAsManyCharactersAsTheySay) {
  EXPECT_EQ(count("gb2312"), 6763U);
  EXPECT_EQ(count("big5"), 13053U);
  EXPECT_EQ(count("jis"), 6355U);
  EXPECT_EQ(count("ksx"), 4888U);
  EXPECT_EQ(count("common"), 3500U);
  EXPECT_EQ(count("general"), 8105U);
  EXPECT_EQ(count("hsk1"), 300U);
  EXPECT_EQ(count("hsk6"), 1800U);
  EXPECT_EQ(count("hsk7"), 3000U);
  EXPECT_EQ(count("hsk"), 3000U);
}

// oracle: the first and the last characters of the standards' tables.
TEST(CharacterSet, StandardsBeginAndEndAsTheySay) {
  const auto ends = [](const std::string& name) {
    const std::u32string characters = character_set(name).characters;
    return std::u32string{characters.front(), characters.back()};
  };
  EXPECT_EQ(ends("big5"), U"一龘");
  EXPECT_EQ(ends("jis"), U"亜熙");
  EXPECT_EQ(ends("ksx"), U"伽詰");
  EXPECT_EQ(ends("common"), U"一矗");
  EXPECT_EQ(ends("hsk1"), U"爱做");
  EXPECT_EQ(ends("hsk2"), U"爱座");
  EXPECT_EQ(ends("hsk"), U"爱佐");
}

// oracle: the level of a character is that of the smallest set that has it.
TEST(CharacterSet, CharactersHaveTheLevelOfTheirSet) {
  for (int level = 1; level <= 7; ++level) {
    const std::u32string up_to = character_set("hsk" + std::to_string(level)).characters;
    const std::u32string before =
        level == 1 ? U"" : character_set("hsk" + std::to_string(level - 1)).characters;
    for (const char32_t c : up_to) {
      if (before.find(c) == std::u32string::npos) {
        ASSERT_EQ(hsk_level(c), level) << describe_character(c);
      }
    }
  }
  EXPECT_EQ(hsk_level(U'龘'), 0);
}

// invariant: the characters that pupils must read are simplified and in general use.
TEST(CharacterSet, HskIsInGeneralUse) {
  const std::u32string general = character_set("general").characters;
  for (const char32_t c : character_set("hsk").characters) {
    EXPECT_NE(general.find(c), std::u32string::npos) << describe_character(c);
  }
}

// invariant: each character once.
TEST(CharacterSet, HoldsEachCharacterOnce) {
  for (const char* name : {"gb2312", "big5", "jis", "ksx", "general", "hsk"}) {
    const std::u32string characters = character_set(name).characters;
    EXPECT_EQ(std::set<char32_t>(characters.begin(), characters.end()).size(), characters.size())
        << name;
  }
}

// mechanics: ranges and blocks are open sets; sets of characters named one by one are not.
TEST(CharacterSet, RangesAndBlocksAreWhatAFontHasOfThem) {
  EXPECT_EQ(character_set("U+3041..U+3043").characters, U"\u3041\u3042\u3043");
  EXPECT_TRUE(character_set("U+3041..3043").open);
  EXPECT_EQ(character_set("U+5DF1").characters, U"己");
  EXPECT_FALSE(character_set("U+5DF1").open);
  const CharacterSet kana = character_set("hiragana");
  EXPECT_EQ(kana.characters.front(), U'\u3040');
  EXPECT_EQ(kana.characters.size(), 96U);
  EXPECT_TRUE(kana.open);
  EXPECT_EQ(unicode_block("latin-1 SUPPLEMENT")->first, U'\u0080');
  EXPECT_EQ(unicode_block("cjk_unified_ideographs")->last, U'\u9FFF');
  EXPECT_FALSE(unicode_block("cjk"));
  EXPECT_TRUE(character_set("all").open);
}

// mechanics: the characters of a file; blanks and comments do not count.
TEST(CharacterSet, ReadsAFile) {
  const TemporaryFolder folder;
  const std::string file = folder.write("set.txt", "\xEF\xBB\xBF# 一\n己 已\t巳\r\n\n己#\n");
  EXPECT_EQ(character_set(file).characters, U"己已巳#");
  EXPECT_FALSE(character_set(file).open);
  EXPECT_THROW(character_set(folder.write("empty.txt", "# 一\n")), InputError);
  EXPECT_THROW(character_set("none.txt"), InputError);
  EXPECT_THROW(character_set(folder.write("bytes.txt", "\xFF")), UsageError);
}

// mechanics: of a table only the column of the characters counts, which may be named
TEST(CharacterSet, ReadsAColumnOfATable) {
  const TemporaryFolder folder;
  const std::string table =
      folder.write("set.csv", "字;拼音;读音\n己;jǐ;1\nU+5DF2;yǐ;2\n\n巳;sì;4\n");
  EXPECT_EQ(character_set(table).characters, U"己已巳");
  EXPECT_EQ(character_set(table + "#字").characters, U"己已巳");
  EXPECT_EQ(file_of_set(table + "#字"), table);
  EXPECT_THROW(character_set(table + "#头"), InputError);
  const std::string unclear = folder.write("two.tsv", "a\tb\n己\t已\n");
  EXPECT_NE(refusal<InputError>([&] { character_set(unclear); }).find("#COLUMN: a, b"),
            std::string::npos);
  EXPECT_EQ(character_set(unclear + "#B").characters, U"已");
  EXPECT_EQ(character_set(folder.write("plain.csv", "己,已\n巳,土\n")).characters.find(U'己'), 0U);
  EXPECT_EQ(file_of_set("gb2312"), "");
}

// mechanics: several sets, characters left out, and what is refused.
TEST(CharacterSet, SetsAreAddedUp) {
  EXPECT_EQ(character_sets({"U+5DF1", "U+5DF1..U+5DF3"}, U"已").characters, U"己巳");
  EXPECT_FALSE(character_sets({"U+5DF1", "hiragana"}, U"").open);
  EXPECT_TRUE(character_sets({"katakana", "hiragana"}, U"").open);
  EXPECT_THROW(character_sets({"U+5DF1"}, U"A"), UsageError);
  for (const char* name :
       {"", "gb", "hsk0", "hsk10", "U+5DF3..U+5DF1", "U+5DF1..", "..", "U+D800", "5DF1..x"}) {
    EXPECT_THROW(character_set(name), UsageError) << name;
  }
}

// oracle: the shared list of codes.
TEST(CharacterCode, IsReadAsPeopleWriteIt) {
  constexpr std::u32string_view kThere = U"一丁二十三上下大天土己恿蓠";
  const auto is_there = [&](char32_t c) { return kThere.find(c) != std::u32string_view::npos; };
  std::istringstream cases(read_file(LEAFGLYPH_CHARACTER_CODES));
  std::string line;
  int checked = 0;
  while (std::getline(cases, line)) {
    if (line.starts_with('#')) continue;
    const std::size_t tab = line.find('\t');
    std::u32string found;
    for (const char32_t c : characters_from(line.substr(0, tab), is_there)) {
      if (is_there(c)) found.push_back(c);
    }
    const std::string expected = line.substr(tab + 1);
    EXPECT_EQ(found.empty() ? "-" : encode_utf8(found), expected) << line;
    ++checked;
  }
  EXPECT_EQ(checked, 22);
}

// invariant: every character of a shape has the same shape, once; others stand alone.
TEST(SameShape, IsOneForAllItsCharacters) {
  std::size_t shared = 0;
  for (char32_t character = U' '; character < 0xA000; ++character) {
    const std::u32string shape = same_shape(character);
    EXPECT_EQ(std::ranges::count(shape, character), 1);
    if (shape.size() == 1) continue;
    ++shared;
    for (const char32_t other : shape) EXPECT_EQ(same_shape(other), shape);
  }
  EXPECT_GT(shared, 80U);
  EXPECT_EQ(same_shape(U'ロ'), U"口ロ");
}

}  // namespace
}  // namespace leafglyph
