// Settings chosen within the training leaves.
#include "classify/evaluation/tuning.h"

#include <gtest/gtest.h>

#include <random>

#include "classify/evaluation/evaluate.h"
#include "classify/evaluation/protocol.h"
#include "features/base/errors.h"
#include "features/base/threads.h"

namespace leafglyph {
namespace {

constexpr unsigned kTuningSeed = 2718;

// Two channels of order 1, two columns each: "informative" separates the classes, "noise" does not.
FeatureTable informative_and_noise(std::size_t classes, std::size_t leaves,
                                   std::vector<int>& labels) {
  FeatureTable table;
  table.layout.order = 1;
  table.layout.groups = {{"informative"}, {"noise"}};
  std::mt19937 generator(kTuningSeed);
  std::normal_distribution<float> normal;
  for (std::size_t c = 0; c < classes; ++c) {
    for (std::size_t i = 0; i < leaves; ++i) {
      table.values.push_back(20.0F * static_cast<float>(c) + normal(generator));
      table.values.push_back(normal(generator));
      for (int column = 0; column < 2; ++column) table.values.push_back(50.0F * normal(generator));
      labels.push_back(static_cast<int>(c));
    }
  }
  return table;
}

TuningSpec channels_and_k() {
  TuningSpec spec;
  spec.channels = {{"noise"}, {"informative", "noise"}, {"informative"}};
  spec.ks = {1, 3};
  return spec;
}

// regression: groups stand in the order of a feature row, whatever the order of a list, so that a
// model's columns are those that its configuration asks for.
TEST(TuningTest, GroupsStandInTheOrderOfARow) {
  FeatureLayout layout;
  layout.groups = {{"grey"},
                   {"mask"},
                   {"curvature", ColumnKind::kHistogram, {"curvature_2_0"}},
                   {std::string(kMeasuresGroup), ColumnKind::kMeasure, {"log-area"}}};
  TuningSpec spec;
  spec.channels = {{"curvature", "mask", "grey"}};
  const auto candidates = tuning_candidates(spec, layout, ClassifierSpec{});
  ASSERT_EQ(candidates.size(), 1U);
  EXPECT_EQ(candidates[0].groups,
            (std::vector<std::string>{"mask", "grey", "curvature", "measures"}));
}

// oracle: every combination once; the last list varies fastest.
TEST(TuningTest, CandidatesAreAllCombinations) {
  FeatureLayout layout;
  layout.order = 8;
  layout.groups = {{"grey"}, {"mask"}, {"outline"}};
  ClassifierSpec classifier;
  classifier.pipeline.projection = Projection::kPlda;
  TuningSpec spec;
  spec.orders = {4, 8};
  spec.channels = {{"grey"}, {"outline", "mask"}};
  spec.shrinkages = {0.1, 0.2};
  spec.ks = {1, 5, 7};
  const auto candidates = tuning_candidates(spec, layout, classifier);
  ASSERT_EQ(candidates.size(), 24U);
  EXPECT_EQ(candidates[0].order, 4);
  EXPECT_EQ(candidates[2].classifier.k, 7);
  EXPECT_EQ(candidates[3].classifier.pipeline.plda.shrinkage, 0.2);
  EXPECT_EQ(candidates[6].groups, (std::vector<std::string>{"outline", "mask"}));
  EXPECT_EQ(candidates[23].order, 8);
  for (std::size_t i = 0; i < candidates.size(); ++i) {
    for (std::size_t j = 0; j < i; ++j) EXPECT_NE(candidates[i], candidates[j]);
  }
}

// oracle: the channel that separates the classes is chosen, with the smaller of equally good k.
TEST(TuningTest, ChoosesTheChannelThatTellsClasses) {
  std::vector<int> labels;
  const FeatureTable table = informative_and_noise(4, 10, labels);
  const TunedSettings tuned = tune(table, labels, channels_and_k(), ClassifierSpec{});
  EXPECT_EQ(tuned.settings.groups, std::vector<std::string>{"informative"});
  EXPECT_EQ(tuned.settings.classifier.k, 1);
  EXPECT_EQ(tuned.accuracy, 1.0);
  EXPECT_EQ(describe(tuned, channels_and_k()), "channels [informative], k 1");
}

// agreement: a candidate's figure is the accuracy of an evaluation with the same folds.
TEST(TuningTest, FigureIsThatOfTheCrossValidation) {
  std::vector<int> labels;
  const FeatureTable table = informative_and_noise(4, 10, labels);
  TuningSpec spec;
  spec.channels = {{"noise"}};
  spec.ks = {3};
  ClassifierSpec classifier;
  classifier.k = 3;
  ProtocolSpec protocol;
  protocol.kind = ProtocolKind::kFolds;
  const auto folds = stratified_folds(labels, spec.folds, spec.seed);
  const std::vector<std::string> names = {"a", "b", "c", "d"};
  const auto result = evaluate(select_columns(table, 1, spec.channels.front()), labels, names,
                               folds, {protocol, classifier});
  EXPECT_DOUBLE_EQ(tune(table, labels, spec, classifier).accuracy, result.top1.mean);
}

// invariant: the choice in a split does not depend on the features and classes of its test rows.
TEST(TuningTest, TestRowsHaveNoPartInTheChoice) {
  std::vector<int> labels;
  FeatureTable table = informative_and_noise(4, 10, labels);
  ProtocolSpec protocol;
  protocol.train_leaves = 7;
  protocol.test_leaves = 3;
  protocol.repeats = 3;
  const std::vector<std::string> names = {"a", "b", "c", "d"};
  auto splits = make_splits(protocol, labels, names);
  splits.resize(1);
  const EvaluationSpec spec = {protocol, ClassifierSpec{}, channels_and_k()};
  const auto before = evaluate(table, labels, names, splits, spec);
  for (const std::size_t row : splits.front().test) {
    labels[row] = (labels[row] + 1) % 4;
    for (std::size_t c = 0; c < 4; ++c) table.values[row * 4 + c] *= -3.0F;
  }
  const auto after = evaluate(table, labels, names, splits, spec);
  ASSERT_EQ(before.tuned.size(), 1U);
  EXPECT_EQ(before.tuned[0].settings, after.tuned[0].settings);
  EXPECT_EQ(before.tuned[0].accuracy, after.tuned[0].accuracy);
  EXPECT_NE(before.top1.mean, after.top1.mean);
}

// invariant: one thread and several give the same choices and predictions.
TEST(TuningTest, ThreadsDoNotMatter) {
  std::vector<int> labels;
  const FeatureTable table = informative_and_noise(4, 12, labels);
  ProtocolSpec protocol;
  protocol.train_leaves = 8;
  protocol.test_leaves = 4;
  const std::vector<std::string> names = {"a", "b", "c", "d"};
  EvaluationSpec spec = {protocol, ClassifierSpec{}, channels_and_k()};
  spec.classifier.answered_share = 0.9;
  const auto splits = make_splits(protocol, labels, names);
  set_thread_count(1);
  const auto one = evaluate(table, labels, names, splits, spec);
  set_thread_count(3);
  const auto three = evaluate(table, labels, names, splits, spec);
  set_thread_count(0);
  ASSERT_EQ(one.predictions.size(), three.predictions.size());
  for (std::size_t i = 0; i < one.predictions.size(); ++i) {
    EXPECT_EQ(one.predictions[i].ranking, three.predictions[i].ranking);
    EXPECT_EQ(one.predictions[i].outlier_score, three.predictions[i].outlier_score);
    EXPECT_EQ(one.predictions[i].decision.known(), three.predictions[i].decision.known());
  }
  for (std::size_t s = 0; s < splits.size(); ++s) {
    EXPECT_EQ(one.tuned[s].settings, three.tuned[s].settings);
  }
}

// mechanics: what is refused, and how.
TEST(TuningTest, RefusesWhatItCannotChoose) {
  std::vector<int> labels;
  const FeatureTable table = informative_and_noise(2, 5, labels);
  const auto refused = [&](const TuningSpec& spec) {
    EXPECT_THROW(tune(table, labels, spec, ClassifierSpec{}), UsageError);
  };
  TuningSpec spec;
  spec.orders = {1, 2};
  refused(spec);
  spec = {};
  spec.channels = {{"grey"}};
  refused(spec);
  spec.channels = {{}};
  refused(spec);
  spec.channels = {{"informative", "informative"}};
  refused(spec);
  spec = {};
  spec.shrinkages = {0.5};
  refused(spec);
  spec = {};
  spec.folds = 1;
  refused(spec);
}

}  // namespace
}  // namespace leafglyph
