// Probabilities of predictions: the fit, its data, and the words for them.
#include "classify/knn/confidence.h"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <random>
#include <vector>

#include "classify/knn/nearest_classifier.h"
#include "classify/knn/typical_distance.h"
#include "features/base/errors.h"

namespace leafglyph {
namespace {

// oracle: leaves drawn from a known logistic law give back its weights.
TEST(Calibration, FindsAKnownLaw) {
  const std::array<double, kEvidenceTerms + 1> law = {2, -1.5, -1, 3, -0.5, 1, -2, 0.5, -1};
  const Calibration truth(law);
  std::mt19937 random(5);
  std::uniform_real_distribution<double> uniform(0, 1);
  std::vector<JudgedEvidence> leaves;
  for (int i = 0; i < 40000; ++i) {
    const auto quotient = [&] { return std::exp(2 * uniform(random) - 1); };
    const Evidence evidence{.outlier_score = quotient(),
                            .margin = uniform(random),
                            .votes = uniform(random),
                            .typical = quotient(),
                            .contrast = quotient(),
                            .length = uniform(random),
                            .apart = quotient(),
                            .local = quotient()};
    leaves.push_back({evidence, uniform(random) < truth.probability(evidence)});
  }
  const Calibration found = Calibration::fit(leaves);
  // Standard errors of these weights with 40,000 leaves are 0.03 to 0.06; the tolerance is four of
  // them.
  for (std::size_t j = 0; j < law.size(); ++j) EXPECT_NEAR(found.weights()[j], law[j], 0.25) << j;
}

// invariant: leaves that are all right do not give certainty; a weight counts as that many leaves.
TEST(Calibration, FewLeavesMakeNoCertainty) {
  std::vector<JudgedEvidence> leaves(8, {{1.0, 0.5, 1.0, 1.0}, true});
  const double p = Calibration::fit(leaves).probability(leaves.front().evidence);
  EXPECT_NEAR(p, 9.0 / 10.0, 1e-6);  // (n + 1) / (n + 2)
  leaves.push_back({{3.0, 0.9, 0.4, 2.0}, false, 3.0});
  std::vector<JudgedEvidence> repeated = leaves;
  repeated.back().weight = 1.0;
  repeated.push_back(repeated.back());
  repeated.push_back(repeated.back());
  const Calibration weighted = Calibration::fit(leaves), counted = Calibration::fit(repeated);
  for (std::size_t j = 0; j <= kEvidenceTerms; ++j) {
    EXPECT_NEAR(weighted.weights()[j], counted.weights()[j], 1e-6) << j;
  }
  EXPECT_THROW(Calibration::fit({}), UsageError);
}

// oracle: two bins computed by hand.
TEST(Calibration, Error) {
  const std::vector<double> probabilities = {0.95, 0.95, 0.95, 0.95, 0.35};
  const std::vector<std::uint8_t> right = {1, 1, 1, 0, 1};
  EXPECT_NEAR(calibration_error(probabilities, right), (4 * 0.2 + 0.65) / 5, 1e-12);
  EXPECT_EQ(calibration_error({}, {}), 0);
}

/// Rows of Gaussian clouds, one per class, in two moments that separate them and six that do not.
struct Clouds {
  FeatureTable table;
  std::vector<int> labels;
  Clouds(int classes, int rows, unsigned seed) {
    table.layout = {Family::kZernike, 4, {{"grey"}}};
    const std::size_t columns = table.layout.columns();
    std::mt19937 random(seed);
    std::normal_distribution<float> normal;
    for (int c = 0; c < classes; ++c) {
      const int across = c % 3, down = c / 3;
      for (int i = 0; i < rows; ++i) {
        labels.push_back(c);
        for (std::size_t j = 0; j < columns; ++j) {
          const auto step = static_cast<float>(j == 0 ? across : (j == 1 ? down : 0));
          table.values.push_back(20.0F + 12.0F * step + normal(random));
        }
      }
    }
  }
};

// oracle: the distance from its definition, with variances of many rows, which shrinkage hardly
// changes: 0 for a row at its class's mean, 1 for a row that is one deviation off in every column.
TEST(TypicalDistance, IsTheRootMeanSquareInDeviations) {
  const Clouds clouds(2, 4000, 7);
  PipelineSpec spec;
  spec.scaling = Scaling::kStandardise;
  const FeaturePipeline pipeline = FeaturePipeline::fit(clouds.table, clouds.labels, spec);
  const TypicalDistance typical = TypicalDistance::fit(clouds.table, clouds.labels, pipeline);
  FeatureTable asked{clouds.table.layout, {}};
  const std::size_t columns = asked.layout.columns();
  for (std::size_t j = 0; j < columns; ++j) asked.values.push_back(20.0F);
  for (std::size_t j = 0; j < columns; ++j) asked.values.push_back(21.0F);
  const std::vector<double> distances = typical.distances(asked, std::vector<int>{0, 0});
  // Means of 4,000 rows are off by 0.016.
  EXPECT_NEAR(distances[0], 0, 0.05);
  EXPECT_NEAR(distances[1], 1, 0.05);
  EXPECT_THROW(typical.distances(asked, std::vector<int>{0, 5}), UsageError);
}

// invariant: a prediction for a row like the training rows is probable; for a row of an unseen
// class it is improbable and unknown. Without a threshold nothing is decided.
TEST(NearestClassifierConfidence, ForeignRowsAreImprobable) {
  const Clouds all(7, 40, 11);
  std::vector<std::size_t> known, unknown;
  for (std::size_t i = 0; i < all.labels.size(); ++i) {
    (all.labels[i] == 4 ? unknown : known).push_back(i);
  }
  ClassifierSpec spec;
  spec.answered_share = 0.95;
  spec.outlier_score = OutlierScore::kCalibrated;
  const NearestClassifier classifier =
      NearestClassifier::fit(select_rows(all.table, known), select_labels(all.labels, known), spec);
  ASSERT_TRUE(classifier.confidence());
  double of_known = 0, of_unknown = 0, refused = 0;
  for (const Prediction& prediction : classifier.predict(select_rows(all.table, known), 1)) {
    EXPECT_EQ(prediction.ranking.size(), 1U);
    of_known += *prediction.probability / static_cast<double>(known.size());
  }
  for (const Prediction& prediction : classifier.predict(select_rows(all.table, unknown), 1)) {
    EXPECT_DOUBLE_EQ(prediction.outlier_score, 1 - *prediction.probability);
    of_unknown += *prediction.probability / static_cast<double>(unknown.size());
    refused += !prediction.decision.known() / static_cast<double>(unknown.size());
  }
  EXPECT_GT(of_known, 0.95);
  EXPECT_LT(of_unknown, 0.6);
  EXPECT_GT(refused, 0.8);
  spec.answered_share = 1.0;
  const NearestClassifier silent = NearestClassifier::fit(all.table, all.labels, spec);
  EXPECT_FALSE(silent.predict(all.table, 1).front().probability);
}

// invariant: augmented copies that are mistaken for other classes make such predictions less
// probable. They do not affect the threshold, which is for a share of unaltered rows.
TEST(NearestClassifierConfidence, AugmentedCopiesMakePredictionsModest) {
  Clouds clouds(6, 40, 13);
  ClassifierSpec spec;
  spec.answered_share = 0.95;
  spec.outlier_score = OutlierScore::kDistance;
  const auto plain = NearestClassifier::fit(clouds.table, clouds.labels, spec);
  // Similar to the next class: copies of training rows and of test rows.
  const auto copies_of = [](const Clouds& rows, std::vector<std::size_t>& of) {
    FeatureTable copies{rows.table.layout, {}};
    for (std::size_t i = 0; i < rows.labels.size(); ++i) {
      if (rows.labels[i] % 3 != 0) continue;
      of.push_back(i);
      const auto row = rows.table.row(i);
      copies.values.insert(copies.values.end(), row.begin(), row.end());
      copies.values[copies.values.size() - row.size()] += 12.0F;
    }
    return copies;
  };
  clouds.table.augmented.values = copies_of(clouds, clouds.table.augmented.of).values;
  std::vector<std::size_t> ignored;
  const FeatureTable taken = copies_of(Clouds(6, 40, 17), ignored);
  const auto augmented = NearestClassifier::fit(clouds.table, clouds.labels, spec);
  EXPECT_EQ(augmented.threshold(), plain.threshold());
  const auto mean_probability = [&](const NearestClassifier& classifier) {
    double sum = 0;
    for (const Prediction& prediction : classifier.predict(taken, 1))
      sum += *prediction.probability;
    return sum / static_cast<double>(taken.rows());
  };
  // 240 predictions are right, and the 80 for the copies, which look just like them, are wrong. As
  // far as the evidence separates the classes that copies are mistaken for from the others, half of
  // these classes' 160 predictions are right.
  EXPECT_GT(mean_probability(plain), 0.9);
  EXPECT_GT(mean_probability(augmented), 0.5 - 0.1);
  EXPECT_LT(mean_probability(augmented), 0.75 + 0.1);
}

// mechanics: with too few classes to leave some out, the distance replaces the calibration.
TEST(NearestClassifierConfidence, FewClassesAreRecognisedByDistance) {
  const Clouds four(4, 20, 3);
  ClassifierSpec spec;
  spec.pipeline.scaling = Scaling::kStandardise;
  spec.answered_share = 0.95;
  spec.outlier_score = OutlierScore::kCalibrated;
  const NearestClassifier classifier = NearestClassifier::fit(four.table, four.labels, spec);
  EXPECT_EQ(classifier.spec().outlier_score, OutlierScore::kDistance);
  EXPECT_TRUE(classifier.predict(four.table, 1).front().probability);
}

}  // namespace
}  // namespace leafglyph
