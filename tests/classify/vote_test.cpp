// The vote, by hand.
#include "classify/nearest/vote.h"

#include <gtest/gtest.h>

namespace leafglyph {
namespace {

std::vector<int> order_of(const std::vector<RankedClass>& ranking) {
  std::vector<int> labels;
  labels.reserve(ranking.size());
  for (const RankedClass& ranked : ranking) labels.push_back(ranked.label);
  return labels;
}

// oracle: three votes against two, whatever the distances.
TEST(VoteTest, MajorityWins) {
  const std::vector<int> labels = {7, 7, 3, 3, 3};
  const std::vector<Neighbour> nearest = {{0, 0.1F}, {1, 0.2F}, {2, 5.0F}, {3, 6.0F}, {4, 7.0F}};
  const auto ranking = rank_classes(nearest, 5, labels);
  EXPECT_EQ(order_of(ranking), (std::vector<int>{3, 7}));
  EXPECT_DOUBLE_EQ(ranking[0].score, 0.6);
  EXPECT_DOUBLE_EQ(ranking[1].score, 0.4);
  EXPECT_EQ(ranking[0].voters, 3);
  EXPECT_FLOAT_EQ(ranking[0].distance, 5.0F);
}

// oracle: 2:2:1; class 5 has the nearest row, class 9 the smaller sum of distances.
TEST(VoteTest, TiedVotesGoToTheSmallerSumOfDistances) {
  const std::vector<int> labels = {5, 9, 9, 2, 5};
  const std::vector<Neighbour> nearest = {{0, 1.0F}, {1, 1.5F}, {2, 1.6F}, {3, 1.7F}, {4, 4.0F}};
  EXPECT_EQ(order_of(rank_classes(nearest, 5, labels)), (std::vector<int>{9, 5, 2}));
}

// oracle: votes and sums of distances tie; the nearer first voter decides.
TEST(VoteTest, TiedSumsGoToTheNearerVoter) {
  const std::vector<int> labels = {4, 8, 8, 4};
  const std::vector<Neighbour> nearest = {{0, 1.0F}, {1, 2.0F}, {2, 3.0F}, {3, 4.0F}};
  EXPECT_EQ(order_of(rank_classes(nearest, 4, labels)), (std::vector<int>{4, 8}));
}

// invariant: scores are shares of the vote; classes without one of the k voters follow by distance.
TEST(VoteTest, ClassesBeyondTheVotersFollowByDistance) {
  const std::vector<int> labels = {1, 2, 1, 3, 0, 3};
  const std::vector<Neighbour> nearest = {{0, 1.0F}, {1, 2.0F}, {2, 3.0F},
                                          {3, 4.0F}, {4, 5.0F}, {5, 6.0F}};
  const auto ranking = rank_classes(nearest, 3, labels);
  EXPECT_EQ(order_of(ranking), (std::vector<int>{1, 2, 3, 0}));
  double sum = 0.0;
  for (const RankedClass& ranked : ranking) sum += ranked.score;
  EXPECT_NEAR(sum, 1.0, 1e-15);  // three additions of doubles below 1
  EXPECT_EQ(ranking[2].score, 0.0);
  EXPECT_EQ(ranking[2].voters, 0);
}

}  // namespace
}  // namespace leafglyph
