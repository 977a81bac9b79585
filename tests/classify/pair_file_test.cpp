// Files of pairs of characters, and the share of the pairs that is found.

#include <gtest/gtest.h>

#include <vector>

#include "classify/glyph/lookalike_pairs.h"

namespace leafglyph {
namespace {

// mechanics: good and bad lines in a file of pairs.
TEST(PairFileTest, ReadsGoodLinesAndNamesBadOnes) {
  const PairFile file =
      parse_pairs("# comment\n己已\n\n土士\r\n己\n己已巳\nabc\n\xFF\xFE\n日曰", "pairs.txt");
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
                          "己 已 1 2", "己已巳", "己已巳 1", "U+5DF1"}) {
    EXPECT_EQ(parse_pairs(bad, "p").refused.size(), 1U) << bad;
  }
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
