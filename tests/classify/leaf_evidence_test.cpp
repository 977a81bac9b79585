// What speaks for or against a prediction, and the word that this leaves.
#include "classify/leaf/leaf_evidence.h"

#include <gtest/gtest.h>

#include <limits>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "classify/leaf/leaf_config.h"
#include "classify/leaf/leaf_training.h"

namespace leafglyph {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

class LeafEvidenceTest : public ::testing::Test {
 protected:
  static void SetUpTestSuite() {
    model_ = std::make_unique<LeafModel>(
        train_leaves(parse_leaf_config("base: leaf\n"
                                       "data: {source: generated, species: 4, leaves: 12}\n"
                                       "features: {order: 6, channels: [grey, gradient]}\n",
                                       "small"),
                     LeafRun{})
            .model);
  }
  static void TearDownTestSuite() { model_.reset(); }

  // A sure prediction for the first training leaf: with `channels`, as many agree.
  void expect_word(Word word, std::size_t agreeing, std::size_t channels,
                   bool is_clear = true) const {
    const FeatureTable row = select_rows(model_->features.table(), std::vector<std::size_t>{0});
    Prediction prediction = model_->classifier.predict(row, 2).front();
    prediction.probability = 0.99;
    prediction.is_clear = is_clear;
    prediction.decision = decide({{0, 1, prediction.probability}});
    ASSERT_EQ(prediction.decision.word(), Word::kSure);
    std::vector<PartPrediction> parts(channels, {"grey", prediction});
    for (std::size_t i = agreeing; i < channels; ++i)
      parts[i].prediction->ranking.front().label = 3;
    parts.push_back({"constant", std::nullopt});
    const LeafEvidence evidence = leaf_evidence(*model_, prediction, row, parts);
    EXPECT_EQ(evidence.agreeing, agreeing);
    EXPECT_EQ(evidence.asked, channels);
    weigh_evidence(*model_, evidence, prediction);
    EXPECT_EQ(prediction.decision.word(), word) << agreeing << " of " << channels;
  }

  inline static std::unique_ptr<LeafModel> model_;
};

// regression: "sure" stood over "1 of 10 feature channels agree". mechanics: from half of them on
// they do not speak against it.
TEST_F(LeafEvidenceTest, FewChannelsLowerTheWord) {
  expect_word(Word::kSure, 0, 0);
  expect_word(Word::kSure, 10, 10);
  expect_word(Word::kSure, 5, 10);
  expect_word(Word::kLikely, 4, 10);
  expect_word(Word::kLikely, 1, 10);
  expect_word(Word::kLikely, 0, 1);
}

// mechanics: whatever the evidence, a leaf that is not seen clearly is doubtful.
TEST_F(LeafEvidenceTest, ALeafThatIsNotClearIsDoubtful) {
  expect_word(Word::kDoubtful, 10, 10, /*is_clear=*/false);
  expect_word(Word::kDoubtful, 1, 10, /*is_clear=*/false);
}

// regression: "sure" stood over "less typical of the species than 95 % of its training leaves"
TEST_F(LeafEvidenceTest, AnUntypicalLeafLowersTheWord) {
  std::vector<double>& typical = model_->history.classes.front().typical;
  const std::vector<double> measured = std::exchange(typical, {kInfinity, kInfinity, kInfinity});
  expect_word(Word::kLikely, 0, 0);
  typical = {-kInfinity, kInfinity, kInfinity};
  expect_word(Word::kSure, 0, 0);
  typical.clear();  // too few leaves to tell
  expect_word(Word::kSure, 0, 0);
  typical = measured;
}

}  // namespace
}  // namespace leafglyph
