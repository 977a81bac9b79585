// Files of pairs of characters, and the share of the pairs that is found.

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "classify/glyph/lookalike_pairs.h"
#include "features/base/text.h"

namespace leafglyph {
namespace {

// mechanics: good and bad lines in a file of pairs.
TEST(PairFileTest, ReadsGoodLinesAndNamesBadOnes) {
  const PairFile file =
      parse_pairs("# comment\n己已\n\n土士\r\n己\nabc def\nabc\n\xFF\xFE\n日曰", "pairs.txt");
  ASSERT_EQ(file.pairs.size(), 3U);
  EXPECT_EQ(file.pairs[1].first, U'土');
  EXPECT_EQ(file.pairs[1].second, U'士');
  EXPECT_EQ(file.pairs[1].line, 4);
  EXPECT_EQ(file.pairs[2].line, 9);
  ASSERT_EQ(file.refused.size(), 4U);
  EXPECT_TRUE(file.refused[0].starts_with("pairs.txt:5: "));
  EXPECT_TRUE(file.refused[3].starts_with("pairs.txt:8: "));
}

// mechanics: separators between the characters, code points, and weights.
TEST(PairFileTest, ReadsDividersCodesAndWeights) {
  const PairFile file = parse_pairs(
      "\xEF\xBB\xBF己已\n己 已\n己,已\n己\t已\n己, 已 , 2.5\n己已 3\nU+5DF1 5DF2 1e-3\n , \n", "p");
  EXPECT_TRUE(file.refused.empty()) << file.refused.front();
  ASSERT_EQ(file.pairs.size(), 7U);
  for (const ListedPair& pair : file.pairs) {
    EXPECT_EQ(pair.first, U'己');
    EXPECT_EQ(pair.second, U'已');
  }
  EXPECT_EQ(file.pairs[3].weight, 1.0);
  EXPECT_EQ(file.pairs[4].weight, 2.5);
  EXPECT_EQ(file.pairs[5].weight, 3.0);
  EXPECT_EQ(file.pairs[6].weight, 1e-3);
  for (const char* bad : {"己已 0", "己已 -1", "己已 nan", "己已 inf", "己已 x", "己己",
                          "己 已 1 2", "己", "U+5DF1"}) {
    EXPECT_EQ(parse_pairs(bad, "p").refused.size(), 1U) << bad;
  }
}

using Pairs = std::vector<std::pair<char32_t, char32_t>>;

Pairs pairs_in(std::string text) {
  const PairFile file = parse_pairs(std::move(text), "p");
  EXPECT_TRUE(file.refused.empty()) << file.refused.front();
  Pairs pairs;
  for (const ListedPair& pair : file.pairs) pairs.emplace_back(pair.first, pair.second);
  return pairs;
}

// mechanics: a group stands for all its pairs, however it is written
TEST(PairFileTest, ReadsGroups) {
  const Pairs all = {{U'己', U'已'}, {U'己', U'巳'}, {U'已', U'巳'}};
  for (const char* group : {"己已巳", "己 已巳", "己,已,巳", "己：已、巳", "\"己\",\"已\",\"巳\"",
                            "己;已;巳", "己已巳 2.5", "U+5DF1 U+5DF2 U+5DF3",
                            "5DF1 己 5DF2 已 5DF3 巳", "12\t己\t已\t巳", "己|已|巳|己"}) {
    EXPECT_EQ(pairs_in(group), all) << group;
  }
  EXPECT_EQ(parse_pairs("己已巳 2.5", "p").pairs.back().weight, 2.5);
  EXPECT_EQ(pairs_in("O o"), (Pairs{{U'O', U'o'}}));
  EXPECT_EQ(pairs_in("己已 1000"), (Pairs{{U'己', U'已'}})) << "1000 is a weight, not U+1000";
  std::u32string many;
  for (char32_t c = U'一'; c < U'一' + 33; ++c) many += c;
  EXPECT_EQ(parse_pairs(encode_utf8(many), "p").refused.size(), 1U);
}

// mechanics: how spreadsheets and other systems write lists
TEST(PairFileTest, ReadsWhatOtherProgramsWrite) {
  const Pairs two = {{U'己', U'已'}, {U'土', U'士'}};
  for (const std::string text :
       {"\"a\",\"b\"\n\"己\",\"已\"\n\"土\",\"士\"\n", "字,形近字\r\n己,已\r\n土,士\r\n",
        "己已\r土士\r", "first;second\n己;已\n土;士", "己\t已\t\t\n土\t士\t\t\n"}) {
    EXPECT_EQ(pairs_in(text), two) << text;
  }
  const std::string utf16("\xFF\xFE\xF1\x5D\xF2\x5D\x0D\x00\x0A\x00\x1F\x57\xEB\x58", 14);
  EXPECT_EQ(pairs_in(utf16), two);
  const PairFile gb = parse_pairs("\xBC\xBA\xD2\xD1\n\xCD\xC1\xCA\xBF\n", "p");
  ASSERT_EQ(gb.pairs.size(), 2U);
  EXPECT_EQ(gb.pairs[1].second, U'士');
  EXPECT_EQ(gb.note, "p: read as GB 18030");
}

// oracle: the share of the directions found, by weight.
TEST(PairFileTest, SharesCountByWeight) {
  const auto pair = [](double weight, std::size_t forth, std::size_t back) {
    return ScoredPair{{U'己', U'已', 1, weight}, {}, forth, back};
  };
  const std::vector<ScoredPair> pairs = {pair(3, 1, 0), pair(1, 2, 11)};
  EXPECT_DOUBLE_EQ(share_within(pairs, 10), (3.0 + 1.0) / 8);
  EXPECT_DOUBLE_EQ(share_within(pairs, 1), 3.0 / 8);
  EXPECT_EQ(share_within({}, 10), 0.0);
}

}  // namespace
}  // namespace leafglyph
