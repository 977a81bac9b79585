// The classifier and its evaluation on tables with known predictions.
#include "classify/evaluation/evaluate.h"

#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <numeric>
#include <random>

#include "features/base/errors.h"
#include "tests/support/rows_of_classes.h"

namespace leafglyph {
namespace {

constexpr unsigned kEvaluateSeed = 99;

// One channel of order 1: two columns. Class c lies around (10 c + 1, 1).
FeatureTable clusters(std::size_t classes, std::size_t leaves, std::vector<int>& labels) {
  FeatureTable table;
  table.layout.order = 1;
  table.layout.groups = {{"grey"}};
  std::mt19937 generator(kEvaluateSeed);
  std::normal_distribution<float> normal(0.0F, 0.3F);
  for (std::size_t c = 0; c < classes; ++c) {
    for (std::size_t i = 0; i < leaves; ++i) {
      table.values.push_back(10.0F * static_cast<float>(c) + 1.0F + normal(generator));
      table.values.push_back(1.0F + normal(generator));
      labels.push_back(static_cast<int>(c));
    }
  }
  return table;
}

FeatureTable row_at(const FeatureTable& like, float x, float y) { return {like.layout, {x, y}}; }

const std::vector<std::string> kNames = {"ash", "beech", "cherry", "date", "elm", "fig"};

// oracle: separate clusters are all classified correctly, and every figure shows it.
TEST(EvaluateTest, SeparateClustersAreAllRight) {
  std::vector<int> labels;
  const FeatureTable table = clusters(6, 10, labels);
  ProtocolSpec protocol;
  protocol.train_leaves = 7;
  protocol.test_leaves = 3;
  protocol.repeats = 4;
  const auto result = evaluate(table, labels, kNames, make_splits(protocol, labels, kNames),
                               {protocol, ClassifierSpec{}});
  EXPECT_EQ(result.predictions.size(), 4U * 18U);
  EXPECT_EQ(result.splits.size(), 4U);
  EXPECT_DOUBLE_EQ(result.top1.mean, 1.0);
  EXPECT_DOUBLE_EQ(result.top1.deviation, 0.0);
  EXPECT_DOUBLE_EQ(result.macro.mean, 1.0);
  for (std::size_t t = 0; t < 6; ++t) {
    EXPECT_EQ(result.confusion[t * 6 + t], 12U);
    EXPECT_EQ(result.classes[t].correct, 12U);
    EXPECT_DOUBLE_EQ(result.classes[t].precision(), 1.0);
  }
  for (const TestPrediction& prediction : result.predictions) {
    EXPECT_EQ(prediction.ranking.size(), 5U);
    EXPECT_EQ(prediction.neighbours.size(), 5U);
    for (const std::size_t neighbour : prediction.neighbours) {
      EXPECT_EQ(labels[neighbour], prediction.truth);
      EXPECT_NE(neighbour, prediction.sample);
    }
  }
}

// oracle: a leaf with the label of another cluster is the only mistake; top-3 and top-5 follow the
// distances of the clusters; the macro average weighs classes, not leaves.
TEST(EvaluateTest, CountsAMistakeEverywhere) {
  std::vector<int> labels;
  const FeatureTable table = clusters(6, 10, labels);
  labels[0] = 1;  // lies among ash, but is labelled beech
  ProtocolSpec protocol;
  protocol.kind = ProtocolKind::kLeaveOneOut;
  const auto result = evaluate(table, labels, kNames, make_splits(protocol, labels, kNames),
                               {protocol, ClassifierSpec{}});
  ASSERT_EQ(result.splits.size(), 1U);
  EXPECT_DOUBLE_EQ(result.top1.mean, 59.0 / 60.0);
  EXPECT_DOUBLE_EQ(result.top3.mean, 1.0);
  EXPECT_NEAR(result.macro.mean, (5.0 + 10.0 / 11.0) / 6.0, 1e-12);  // a sum of six doubles
  EXPECT_EQ(result.confusion[1 * 6 + 0], 1U);
  EXPECT_EQ(result.classes[1].tests, 11U);
  EXPECT_EQ(result.classes[0].predicted, 10U);
}

// oracle: mean and sample standard deviation of 1, 2, 3, 4 are 2.5 and sqrt(5/3).
TEST(EvaluateTest, SummaryIsMeanAndSampleDeviation) {
  const Summary summary = summarise(std::vector<double>{1, 2, 3, 4});
  EXPECT_DOUBLE_EQ(summary.mean, 2.5);
  EXPECT_DOUBLE_EQ(summary.deviation, std::sqrt(5.0 / 3.0));
  EXPECT_DOUBLE_EQ(summarise(std::vector<double>{0.7}).deviation, 0.0);
}

// oracle: three bins counted by hand; a probability of 1 is in the last bin.
TEST(EvaluateTest, ReliabilityCountsBinsOfProbability) {
  const std::vector<double> probabilities = {0.05, 0.15, 0.95, 1.0, 0.9};
  const std::vector<std::uint8_t> right = {0, 1, 1, 1, 0};
  const Reliability reliability = reliability_of(probabilities, right);
  ASSERT_EQ(reliability.size(), kReliabilityBins);
  const std::map<std::size_t, ReliabilityBin> expected = {
      {0, {1, 0, 0.05}}, {1, {1, 1, 0.15}}, {9, {3, 2, 2.85}}};
  for (std::size_t b = 0; b < reliability.size(); ++b) {
    const auto found = expected.find(b);
    const ReliabilityBin bin = found == expected.end() ? ReliabilityBin{} : found->second;
    EXPECT_EQ(reliability[b].predictions, bin.predictions) << b;
    EXPECT_EQ(reliability[b].right, bin.right) << b;
    EXPECT_DOUBLE_EQ(reliability[b].probabilities, bin.probabilities) << b;
  }
  EXPECT_DOUBLE_EQ(calibration_error(reliability), (0.05 + 0.85 + 0.85) / 5);
  EXPECT_TRUE(reliability_of({}, {}).empty());
  EXPECT_EQ(calibration_error({}), 0.0);
}

// oracle: t(0.975; 9) = 2.262157; Wilson's interval of 98 of 100 is 0.930 to 0.994 (both from
// tables; the tolerances are their last digits).
TEST(EvaluateTest, IntervalsAgreeWithTables) {
  EvaluationResult result;
  result.splits.assign(10, SplitScore{.train = 40, .test = 10});
  result.top1 = {0.5, 0.02};
  const Interval student = confidence_interval(result);
  EXPECT_NEAR(student.high - 0.5, 2.262157 * 0.02 * std::sqrt(0.1 + 0.25), 1e-8);
  EXPECT_NEAR(0.5 - student.low, student.high - 0.5, 1e-12);
  result.protocol.kind = ProtocolKind::kLeaveOneOut;
  result.splits.assign(1, SplitScore{.train = 99, .test = 100});
  result.top1 = {0.98, 0.0};
  const Interval wilson = confidence_interval(result);
  EXPECT_NEAR(wilson.low, 0.930, 5e-4);
  EXPECT_NEAR(wilson.high, 0.994, 5e-4);
}

// oracle: two of the separate clusters are held back: all their leaves are rejected at every
// threshold that answers known leaves, and they count nowhere else.
TEST(EvaluateTest, LeavesOfClassesHeldBackAreRejected) {
  std::vector<int> labels;
  const FeatureTable table = clusters(6, 20, labels);
  ProtocolSpec protocol;
  protocol.train_leaves = 12;
  protocol.test_leaves = 8;
  protocol.repeats = 3;
  protocol.held_back = 2;
  ClassifierSpec spec;
  spec.answered_share = 0.95;
  const auto result =
      evaluate(table, labels, kNames, make_splits(protocol, labels, kNames), {protocol, spec});
  EXPECT_EQ(result.predictions.size(), 3U * 4U * 8U);
  EXPECT_EQ(result.unknown_predictions.size(), 3U * 2U * 20U);
  EXPECT_DOUBLE_EQ(result.rejected.mean, 1.0);
  EXPECT_DOUBLE_EQ(result.top1.mean, 1.0);
  for (const RejectionPoint& point : rejection_curve(result)) {
    EXPECT_DOUBLE_EQ(point.correct.mean, 1.0);
    EXPECT_DOUBLE_EQ(point.rejected.mean, 1.0);
  }
}

// invariant: about the required share of known rows is answered, and distant rows are unknown; the
// threshold depends only on the training rows.
TEST(RejectionTest, FarLeavesAreUnknown) {
  std::vector<int> labels;
  const FeatureTable table = clusters(3, 40, labels);
  ClassifierSpec spec;
  spec.answered_share = 0.9;
  const auto classifier = NearestClassifier::fit(table, labels, spec);
  const auto far = classifier.predict(row_at(table, 6.0F, 1.0F), 2);
  EXPECT_FALSE(far[0].decision.known());
  EXPECT_EQ(far[0].ranking.size(), 2U);
  const auto near = classifier.predict(row_at(table, 11.0F, 1.0F), 1);
  EXPECT_TRUE(near[0].decision.known());
  EXPECT_EQ(near[0].ranking[0].label, 1);
  std::vector<int> fresh_labels;
  std::size_t known = 0;
  const auto predictions = classifier.predict(table, 1);
  for (const Prediction& prediction : predictions) known += prediction.decision.known();
  EXPECT_GE(known, 108U);  // 90 % of 120; each row is its own neighbour here, so rather more
  spec.answered_share = 1.0;
  const auto open = NearestClassifier::fit(table, labels, spec);
  EXPECT_TRUE(open.predict(row_at(table, 1e6F, 1.0F), 1)[0].decision.known());
}

// oracle: leave-one-out outlier scores of rows 0, 1, 2, 4, 8 on a line with k = 1 are 1, 1, 1,
// 2, 4.
TEST(RejectionTest, ThresholdIsTheQuantileOfLeaveOneOutScores) {
  FeatureTable table;
  table.layout.order = 0;
  table.layout.groups = {{"grey"}};
  table.values = {0, 1, 2, 4, 8};
  const std::vector<int> labels = {0, 0, 0, 1, 1};
  ClassifierSpec spec;
  spec.k = 1;
  for (const auto& [share, threshold] :
       {std::pair{0.6, 1.0}, std::pair{0.8, 2.0}, std::pair{0.99, 4.0}}) {
    spec.answered_share = share;
    EXPECT_DOUBLE_EQ(NearestClassifier::fit(table, labels, spec).threshold(), threshold);
  }
}

// For rows_of_classes.
ClassifierSpec spec_of_classes() {
  ClassifierSpec spec;
  spec.pipeline = pipeline_of_classes();
  spec.metric = Metric::kCosine;
  spec.k = 10;
  spec.answered_share = 0.95;
  return spec;
}

// invariant: with a discriminant, new rows of the classes are known as often as was asked for and
// right, rows of other classes are unknown, and what the probabilities leave to 1 is the outlier
// score. The shares are those of the model's own assumptions, so that they may be demanded.
TEST(RejectionTest, DiscriminantsTellKnownFromUnknownClasses) {
  constexpr int kClasses = 8, kLearnt = 12, kAsked = 25;
  std::vector<int> labels, others;
  FeatureTable all = rows_of_classes(kClasses, kLearnt + kAsked, /*seed=*/1, labels);
  all.prior = prior_of_classes();
  std::vector<std::size_t> learnt, asked;
  for (std::size_t i = 0; i < all.rows(); ++i) {
    (static_cast<int>(i) % (kLearnt + kAsked) < kLearnt ? learnt : asked).push_back(i);
  }
  const ClassifierSpec spec = spec_of_classes();
  const NearestClassifier classifier =
      NearestClassifier::fit(select_rows(all, learnt), select_labels(labels, learnt), spec);
  ASSERT_TRUE(classifier.calibration());
  const std::vector<Prediction> known = classifier.predict(select_rows(all, asked), kClasses);
  std::size_t right = 0, answered = 0;
  for (std::size_t i = 0; i < known.size(); ++i) {
    right += known[i].ranking.front().label == labels[asked[i]];
    answered += known[i].decision.known();
    double sum = 0;
    for (const RankedClass& ranked : known[i].ranking) sum += ranked.score;
    EXPECT_NEAR(1 - sum, known[i].outlier_score, 1e-9);
    EXPECT_EQ(known[i].probability, known[i].ranking.front().score);
    EXPECT_EQ(known[i].ranking.size(), static_cast<std::size_t>(kClasses));
  }
  const auto count = static_cast<double>(known.size());
  EXPECT_GE(static_cast<double>(right), 0.98 * count);
  EXPECT_GE(static_cast<double>(answered), 0.9 * count);
  const FeatureTable strangers = rows_of_classes(20, 5, /*seed=*/2, others);
  std::size_t unknown = 0;
  for (const Prediction& prediction : classifier.predict(strangers, 1)) {
    unknown += !prediction.decision.known();
  }
  EXPECT_GE(unknown, 90U);  // of 100
  const std::optional<LeftOutClasses>& left_out = classifier.left_out_classes();
  ASSERT_TRUE(left_out);
  EXPECT_EQ(left_out->rows, learnt.size());
  EXPECT_GE(static_cast<double>(left_out->unknown), 0.8 * static_cast<double>(left_out->rows));
  // Few strangers are taken for these classes, so that the words have their usual limits.
  EXPECT_EQ(classifier.limits(), WordLimits{});
}

// Rows of classes that vary about as much within as between.
FeatureTable noisy_classes(int classes, int leaves, unsigned seed, std::vector<int>& labels) {
  FeatureTable table = rows_of_classes(classes, leaves, seed, labels);
  std::mt19937 generator(seed);
  std::normal_distribution<float> normal;
  for (float& value : table.values) value *= std::exp(0.6F * normal(generator));
  return table;
}

// invariant: where leaves of other classes resemble the model's, words are said from higher
// probabilities on, so that few of the former hear them, and fewer than with the usual limits.
TEST(RejectionTest, WordsAreSaidFromWhereStrangersAreFew) {
  std::vector<int> labels, others;
  FeatureTable all = noisy_classes(4, 12, /*seed=*/3, labels);
  all.prior = prior_of_classes();
  const NearestClassifier classifier = NearestClassifier::fit(all, labels, spec_of_classes());
  EXPECT_GT(classifier.limits().likely, kLikelyFrom);
  EXPECT_GE(classifier.limits().sure, kSureFrom);
  std::size_t usual = 0, heard = 0;
  for (const Prediction& one : classifier.predict(noisy_classes(20, 10, /*seed=*/4, others), 1)) {
    const std::optional<Word> word = one.decision.word();
    usual += one.decision.known() && one.probability.value() > kLikelyFrom + 1e-9;
    heard += word == Word::kSure || word == Word::kLikely;
  }
  EXPECT_LT(heard, usual);
  EXPECT_LE(heard, 20U);  // of 200
}

// mechanics: a fit says which share of it is done, up to all, with folds and without, with sums and
// without; what the listener throws ends it.
TEST(FitWorkTest, SharesAscendToOne) {
  std::vector<int> labels;
  FeatureTable all = rows_of_classes(8, 600, /*seed=*/3, labels);  // more than are held at a time
  all.prior = prior_of_classes();
  std::vector<std::size_t> every(labels.size());
  std::iota(every.begin(), every.end(), std::size_t{0});
  ClassifierSpec spec = spec_of_classes();
  const ClassSums sums = FeaturePipeline::sums_of(all, labels, spec.pipeline, every);
  for (const double answered : {0.95, 1.0}) {
    for (const ClassSums* known : {static_cast<const ClassSums*>(nullptr), &sums}) {
      spec.answered_share = answered;
      double last = 0;
      std::size_t steps = 0;
      NearestClassifier::fit(all, labels, spec, std::nullopt, known, [&](double share) {
        EXPECT_GE(share, last);
        last = share;
        ++steps;
      });
      EXPECT_NEAR(last, 1, 1e-9);  // of sums of doubles
      EXPECT_GE(steps, 2U);
    }
  }
  const auto interrupt = [](double) { throw Interrupted(); };
  EXPECT_THROW(NearestClassifier::fit(all, labels, spec, std::nullopt, {}, interrupt), Interrupted);
}

// mechanics: of more rows than kMostJudged, folds and groups of classes judge that many, of every
// class its share; the other rows have no prediction.
TEST(RejectionTest, FoldsJudgeAtMostSoManyRows) {
  constexpr std::size_t kMost = NearestClassifier::kMostJudged, kClasses = 10;
  std::vector<int> labels;
  FeatureTable all = rows_of_classes(kClasses, kMost / kClasses + 500, /*seed=*/1, labels);
  all.prior = prior_of_classes();
  const NearestClassifier classifier = NearestClassifier::fit(all, labels, spec_of_classes());
  std::vector<std::size_t> judged(kClasses);
  ASSERT_EQ(classifier.left_out().size(), all.rows());
  for (std::size_t i = 0; i < all.rows(); ++i) {
    if (classifier.left_out()[i]) ++judged[static_cast<std::size_t>(labels[i])];
  }
  constexpr std::size_t kEach = kMost / kClasses;
  for (const std::size_t of_class : judged) {
    // One row more or less in each fold.
    EXPECT_NEAR(static_cast<double>(of_class), static_cast<double>(kEach), 5);
  }
  EXPECT_EQ(std::accumulate(judged.begin(), judged.end(), std::size_t{0}), kMost);
  ASSERT_TRUE(classifier.left_out_classes());
  EXPECT_EQ(classifier.left_out_classes()->rows, kMost);
}

// mechanics: at most as many neighbours vote as the median class has leaves.
TEST(EvaluateTest, KIsAtMostTheLeavesOfTheMedianClass) {
  std::vector<int> labels;
  const FeatureTable table = clusters(2, 3, labels);
  ClassifierSpec spec;
  spec.k = 7;
  const auto classifier = NearestClassifier::fit(table, labels, spec);
  EXPECT_EQ(classifier.spec().k, 3);
  EXPECT_EQ(classifier.predict(table, 50)[0].ranking.size(), 2U);
  EXPECT_EQ(median_leaves(std::vector<int>{0, 0, 0, 1, 2, 2}), 2);
  EXPECT_EQ(median_leaves(std::vector<int>{0, 0, 0, 1}), 1);
}

}  // namespace
}  // namespace leafglyph
