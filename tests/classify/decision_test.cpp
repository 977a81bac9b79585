// Deciding between known and unknown, and the words for it.
#include "classify/classifier/decision.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace leafglyph {
namespace {

struct Case {
  const char* what;
  Grounds grounds;
  bool known;
  std::optional<Word> word;
};

// oracle: every kind of prediction, on both sides of its threshold and on it.
TEST(Decide, CallsUnknownWhatIsBeyondTheThreshold) {
  constexpr double kNone = std::numeric_limits<double>::infinity();
  const Case cases[] = {
      {"a leaf near its neighbours", {0.2, 0.3}, true, {}},
      {"a leaf at the threshold", {0.3, 0.3}, true, {}},
      {"a leaf too far from its neighbours",
       {std::nextafter(0.3, 1.0), 0.3},
       false,
       Word::kUnknown},
      {"a leaf too far from every class", {12.5, 4.0, 0.99}, false, Word::kUnknown},
      {"a leaf that is too probably wrong", {1 - 0.3, 0.6, 0.35}, false, Word::kUnknown},
      {"a leaf where nothing is refused", {1e30, kNone, 0.1}, true, Word::kDoubtful},
      {"a leaf without a score", {std::nan(""), 0.3, 0.99}, false, Word::kUnknown},
      {"a leaf without a score where nothing is refused",
       {std::nan(""), kNone},
       false,
       Word::kUnknown},
      {"an image as near as rows mostly are", {0.5F, 0.5}, true, {}},
      {"an image farther than rows mostly are", {0.75F, 0.5}, false, Word::kUnknown},
      {"a plant half of whose leaves are known",
       {1.0 / 2, kMostUnknownLeaves, 0.9},
       true,
       Word::kLikely},
      {"a plant most of whose leaves are unknown",
       {2.0 / 3, kMostUnknownLeaves, 0.9},
       false,
       Word::kUnknown},
      {"sure from its limit on", {0, 1, kSureFrom}, true, Word::kSure},
      {"likely below it", {0, 1, std::nextafter(kSureFrom, 0.0)}, true, Word::kLikely},
      {"likely from its limit on", {0, 1, kLikelyFrom}, true, Word::kLikely},
      {"doubtful below it", {0, 1, std::nextafter(kLikelyFrom, 0.0)}, true, Word::kDoubtful},
      {"likely below a model's own limit",
       {0, 1, 0.98, Against::kNothing, {0.99, 0.9}},
       true,
       Word::kLikely},
      {"doubtful below its limit of likely",
       {0, 1, 0.85, Against::kNothing, {0.99, 0.9}},
       true,
       Word::kDoubtful},
      {"likely if evidence speaks against it",
       {0, 1, 1.0, Against::kEvidence},
       true,
       Word::kLikely},
      {"as doubtful as without that evidence",
       {0, 1, std::nextafter(kLikelyFrom, 0.0), Against::kEvidence},
       true,
       Word::kDoubtful},
      {"doubtful if another class is likely",
       {0, 1, 1.0, Against::kAnotherClass},
       true,
       Word::kDoubtful},
      {"doubtful if it is not clear what was classified",
       {0, 1, 1.0, Against::kUnclear},
       true,
       Word::kDoubtful},
      {"unknown whatever speaks against it",
       {2, 1, 1.0, Against::kEvidence},
       false,
       Word::kUnknown},
  };
  for (const Case& one : cases) {
    const Decision decision = decide({one.grounds});
    EXPECT_EQ(decision.known(), one.known) << one.what;
    EXPECT_EQ(decision.word(), one.word) << one.what;
    EXPECT_EQ(decision.reading(), 0U) << one.what;
  }
}

// oracle: of two readings, the known one wins, then the more probable one, then the first.
TEST(Decide, TakesTheBetterOfTwoReadings) {
  constexpr Grounds kFar{2, 1, 0.99}, kFarDoubted{3, 1, 0.2}, kLikely{0.5, 1, 0.9},
      kSure{0.9, 1, 0.98}, kAsSure{0.1, 1, 0.98}, kNoProbability{0, 1};
  const auto taken = [](const Grounds& first, const Grounds& second) {
    return decide({first, second}).reading();
  };
  EXPECT_EQ(taken(kFar, kLikely), 1U);
  EXPECT_EQ(taken(kLikely, kFar), 0U);
  EXPECT_EQ(taken(kLikely, kSure), 1U);
  EXPECT_EQ(taken(kSure, kAsSure), 0U);
  EXPECT_EQ(taken(kAsSure, kSure), 0U);
  EXPECT_EQ(taken(kFarDoubted, kFar), 1U);
  EXPECT_EQ(taken(kNoProbability, kLikely), 1U);
  EXPECT_EQ(decide({kFar, kLikely}).word(), Word::kLikely);
  EXPECT_TRUE(decide({kFar, kLikely}).known());
  EXPECT_FALSE(decide({kFarDoubted, kFar}).known());
}

// mechanics: the names of the words, and a prediction without a decision.
TEST(Decide, NamesWords) {
  EXPECT_EQ(name_of(Word::kSure), "sure");
  EXPECT_EQ(name_of(Word::kLikely), "likely");
  EXPECT_EQ(name_of(Word::kDoubtful), "doubtful");
  EXPECT_EQ(name_of(Word::kUnknown), "unknown");
  EXPECT_TRUE(Decision().known());
  EXPECT_FALSE(Decision().word());
}

}  // namespace
}  // namespace leafglyph
