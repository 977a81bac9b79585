// The distance to classes in all features: against its definition, and what it detects that the
// discriminant of two classes does not.
#include "classify/knn/class_distance.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>

#include "classify/knn/algebra.h"
#include "classify/knn/nearest_classifier.h"
#include "features/base/errors.h"

namespace leafglyph {
namespace {

constexpr unsigned kClassDistanceSeed = 2718;

// Two channels and a measure. Class c lies around 20 c in the first column of each channel, with
// deviations of 0.5 to 1.5; row i belongs to class i % classes.
FeatureTable classes_of(int classes, std::size_t rows, int order, unsigned seed) {
  FeatureTable table;
  table.layout.order = order;
  table.layout.groups = {
      {"grey"}, {"mask"}, {std::string(kMeasuresGroup), ColumnKind::kMeasure, {"log-area"}}};
  const std::size_t columns = table.layout.columns();
  std::mt19937 generator(seed);
  std::normal_distribution<double> normal;
  for (std::size_t i = 0; i < rows; ++i) {
    for (std::size_t c = 0; c < columns; ++c) {
      const double deviation = 0.5 + static_cast<double>(c % 11) / 10.0;
      const bool separates = c % table.layout.width(0) == 0;
      const double middle =
          separates ? 20.0 * static_cast<double>(i % static_cast<std::size_t>(classes)) : 0.0;
      table.values.push_back(static_cast<float>(middle + deviation * normal(generator)));
    }
  }
  return table;
}

std::vector<int> labels_of(int classes, std::size_t rows) {
  std::vector<int> labels;
  for (std::size_t i = 0; i < rows; ++i) labels.push_back(static_cast<int>(i) % classes);
  return labels;
}

ClassifierSpec discriminant_spec() {
  ClassifierSpec spec;
  spec.pipeline.scaling = Scaling::kStandardise;
  spec.pipeline.projection = Projection::kDiscriminant;
  spec.pipeline.shrinkage = 0.5;
  spec.pipeline.measure_weight = 3.0;
  spec.metric = Metric::kCosine;
  spec.answered_share = 0.95;
  return spec;
}

std::span<const float> row_of(const FeatureTable& table, std::size_t i) { return table.row(i); }

// The definition: class means, shrunk variances, the full matrix W_s, and its inverse.
double by_definition(const FeatureTable& training, const std::vector<int>& labels, int classes,
                     double measure_weight, std::span<const float> query) {
  const std::size_t d = training.layout.columns();
  const std::size_t n = training.rows();
  std::vector<std::vector<double>> means(static_cast<std::size_t>(classes), std::vector<double>(d));
  for (std::size_t i = 0; i < n; ++i) {
    const auto c = static_cast<std::size_t>(labels[i]);
    const auto count = static_cast<double>(std::count(labels.begin(), labels.end(), labels[i]));
    for (std::size_t j = 0; j < d; ++j) means[c][j] += row_of(training, i)[j] / count;
  }
  const auto freedom = static_cast<double>(n) - classes;
  const auto within = [&](std::size_t i, std::size_t j) {
    return row_of(training, i)[j] - means[static_cast<std::size_t>(labels[i])][j];
  };
  std::vector<double> variances(d);
  for (std::size_t j = 0; j < d; ++j) {
    for (std::size_t i = 0; i < n; ++i) variances[j] += within(i, j) * within(i, j) / freedom;
  }
  std::vector<double> of_moments(variances.begin(), variances.end() - 1);
  std::sort(of_moments.begin(), of_moments.end());
  const double median = of_moments[of_moments.size() / 2];
  std::vector<double> scale(d);
  for (std::size_t j = 0; j + 1 < d; ++j) scale[j] = 1.0 / std::sqrt((variances[j] + median) / 2);
  scale[d - 1] = measure_weight / std::sqrt(variances[d - 1]);
  std::vector<double> matrix(d * d);
  double trace = 0.0;
  for (std::size_t j = 0; j < d; ++j) {
    for (std::size_t k = 0; k < d; ++k) {
      for (std::size_t i = 0; i < n; ++i) {
        matrix[j * d + k] += within(i, j) * scale[j] * within(i, k) * scale[k] / freedom;
      }
    }
    trace += matrix[j * d + j];
  }
  for (std::size_t j = 0; j < d; ++j) matrix[j * d + j] += trace / static_cast<double>(d);
  for (double& v : matrix) v /= 2.0;
  double nearest = std::numeric_limits<double>::infinity();
  for (const std::vector<double>& mean : means) {
    std::vector<double> difference(d);
    for (std::size_t j = 0; j < d; ++j) difference[j] = (query[j] - mean[j]) * scale[j];
    std::vector<double> factor = matrix;
    std::vector<double> solved = difference;
    solve_positive_definite(factor, solved, d, 1);
    double square = 0.0;
    for (std::size_t j = 0; j < d; ++j) square += difference[j] * solved[j];
    nearest = std::min(nearest, square);
  }
  return std::sqrt(nearest);
}

// oracle: the formula with the full matrix, for fewer rows than columns and for more; 1e-9 is far
// above the rounding of double sums over 33 columns.
TEST(ClassDistanceTest, IsTheFormula) {
  for (const std::size_t rows : {12U, 90U}) {
    const FeatureTable training = classes_of(3, rows, 6, kClassDistanceSeed);
    const std::vector<int> labels = labels_of(3, rows);
    const PipelineSpec spec = discriminant_spec().pipeline;
    const auto distance =
        ClassDistance::fit(training, labels, FeaturePipeline::fit(training, labels, spec));
    EXPECT_EQ(distance.classes(), 3U);
    const FeatureTable queries = classes_of(3, 20, 6, kClassDistanceSeed + 1);
    const std::vector<double> distances = distance.distances(queries);
    for (std::size_t i = 0; i < queries.rows(); ++i) {
      const double expected = by_definition(training, labels, 3, 3.0, queries.row(i));
      EXPECT_NEAR(distances[i], expected, 1e-9 * expected) << rows << " rows, query " << i;
    }
    // A single row, and a distance restored from the state, give the same to the last bit.
    const ClassDistance again(training.layout, spec, distance.state(), "again");
    EXPECT_EQ(again.distances(queries), distances);
    EXPECT_EQ(distance.distances({queries.layout, {queries.row(7).begin(), queries.row(7).end()}}),
              std::vector<double>{distances[7]});
  }
}

// oracle: up to kClassDistanceFolds rows are left out one by one and the fit is repeated.
TEST(ClassDistanceTest, RowsAreLeftOutOneByOne) {
  const FeatureTable training = classes_of(2, 16, 6, kClassDistanceSeed);
  const std::vector<int> labels = labels_of(2, 16);
  const auto pipeline = FeaturePipeline::fit(training, labels, discriminant_spec().pipeline);
  std::vector<double> left_out = distances_left_out(training, labels, pipeline);
  std::vector<double> expected;
  for (std::size_t i = 0; i < 16; ++i) {
    FeatureTable others{training.layout, {}};
    std::vector<int> other_labels;
    for (std::size_t j = 0; j < 16; ++j) {
      if (j == i) continue;
      others.values.insert(others.values.end(), training.row(j).begin(), training.row(j).end());
      other_labels.push_back(labels[j]);
    }
    expected.push_back(by_definition(others, other_labels, 2, 3.0, training.row(i)));
  }
  std::sort(left_out.begin(), left_out.end());
  std::sort(expected.begin(), expected.end());
  ASSERT_EQ(left_out.size(), expected.size());
  for (std::size_t i = 0; i < 16; ++i) EXPECT_NEAR(left_out[i], expected[i], 1e-9 * expected[i]);

  // The threshold is a rank among one more: of 16 the 9th for a half, the largest for 0.95.
  ClassifierSpec spec = discriminant_spec();
  for (const auto& [share, rank] : {std::pair{0.5, 9U}, std::pair{0.95, 16U}}) {
    spec.answered_share = share;
    EXPECT_EQ(NearestClassifier::fit(training, labels, spec).threshold(), left_out[rank - 1]);
  }
}

// A step that no discriminant sees: orthogonal to all of them in the scaled columns, of length
// `length`.
std::vector<double> unseen_step(const FeaturePipeline& pipeline, double length, unsigned seed) {
  const std::size_t columns = pipeline.layout().columns();
  std::vector<std::vector<double>> seen;
  for (const ProjectionBlock& block : pipeline.state().blocks) {
    for (std::size_t k = 0; k < block.dimensions; ++k) {
      std::vector<double> direction(columns, 0.0);
      for (std::size_t c = 0; c < block.columns.size(); ++c) {
        direction[block.columns[c]] = block.matrix[c * block.dimensions + k];
      }
      seen.push_back(std::move(direction));
    }
  }
  std::mt19937 generator(seed);
  std::normal_distribution<double> normal;
  seen.emplace_back(columns);
  for (double& v : seen.back()) v = normal(generator);
  double norm = 0.0;
  for (std::size_t k = 0; k < seen.size(); ++k) {  // Gram-Schmidt
    for (std::size_t earlier = 0; earlier < k; ++earlier) {
      double share = 0.0;
      for (std::size_t c = 0; c < columns; ++c) share += seen[k][c] * seen[earlier][c];
      for (std::size_t c = 0; c < columns; ++c) seen[k][c] -= share * seen[earlier][c];
    }
    norm = 0.0;
    for (const double v : seen[k]) norm += v * v;
    for (double& v : seen[k]) v /= std::sqrt(norm);
  }
  for (std::size_t c = 0; c < columns; ++c) {
    seen.back()[c] *= length / pipeline.state().scale[c];
  }
  return seen.back();
}

// invariant: rows that differ from two classes only where no discriminant looks get the same first
// class and are unknown; new rows of the classes are known. 2 x 8 rows of 163 columns, and many
// rows.
TEST(ClassDistanceTest, ForeignRowsThatNoDiscriminantSeesAreUnknown) {
  for (const std::size_t rows : {16U, 120U}) {
    const FeatureTable training = classes_of(2, rows, 16, kClassDistanceSeed);
    const auto classifier =
        NearestClassifier::fit(training, labels_of(2, rows), discriminant_spec());
    ASSERT_EQ(classifier.spec().outlier_score, OutlierScore::kMahalanobis);
    const FeatureTable known = classes_of(2, 200, 16, kClassDistanceSeed + 1);
    FeatureTable unknown = known;
    const std::size_t columns = known.layout.columns();
    for (std::size_t i = 0; i < known.rows(); ++i) {
      // Known rows have a norm of about sqrt(columns) in the scaled columns.
      const std::vector<double> step =
          unseen_step(classifier.pipeline(), 2.0 * std::sqrt(static_cast<double>(columns)),
                      static_cast<unsigned>(i));
      for (std::size_t c = 0; c < columns; ++c) {
        unknown.values[i * columns + c] += static_cast<float>(step[c]);
      }
    }
    const std::vector<float> seen = classifier.pipeline().transform(known);
    const std::vector<float> still_seen = classifier.pipeline().transform(unknown);
    for (std::size_t i = 0; i < seen.size(); ++i) {
      ASSERT_NEAR(still_seen[i], seen[i], 1e-3) << i;  // floats of columns up to about 100
    }
    const auto known_predictions = classifier.predict(known, 1);
    const auto unknown_predictions = classifier.predict(unknown, 1);
    std::size_t answered = 0;
    for (std::size_t i = 0; i < known_predictions.size(); ++i) {
      answered += known_predictions[i].decision.known();
      EXPECT_EQ(known_predictions[i].ranking[0].label, static_cast<int>(i % 2));
      EXPECT_EQ(unknown_predictions[i].ranking[0].label, static_cast<int>(i % 2));
      EXPECT_FALSE(unknown_predictions[i].decision.known()) << rows << " rows, query " << i;
    }
    EXPECT_GE(answered, 170U) << rows;  // 0.95 of 200 are required; few rows vary somewhat
  }
}

// invariant: four classes have three discriminants, and nothing changes; nor does an outlier score
// that was set explicitly.
TEST(ClassDistanceTest, OnlyFewDirectionsAndPlainDistanceAreReplaced) {
  const auto outlier_score = [](int classes, OutlierScore asked) {
    ClassifierSpec spec = discriminant_spec();
    spec.metric = Metric::kEuclidean;
    spec.outlier_score = asked;
    const auto classifier = NearestClassifier::fit(classes_of(classes, 40, 6, kClassDistanceSeed),
                                                   labels_of(classes, 40), spec);
    EXPECT_EQ(classifier.class_distance().has_value(),
              classifier.spec().outlier_score == OutlierScore::kMahalanobis);
    EXPECT_EQ(classifier.spec().pipeline, spec.pipeline);
    return classifier.spec().outlier_score;
  };
  EXPECT_EQ(outlier_score(2, OutlierScore::kDistance), OutlierScore::kMahalanobis);
  EXPECT_EQ(outlier_score(4, OutlierScore::kDistance), OutlierScore::kDistance);
  EXPECT_EQ(outlier_score(4, OutlierScore::kMahalanobis), OutlierScore::kMahalanobis);
}

// mechanics: classes without two different leaves cannot be learned from, and a state for other
// features is refused.
TEST(ClassDistanceTest, WhatCannotBeLearntOrReadIsRefused) {
  FeatureTable same = classes_of(2, 2, 6, kClassDistanceSeed);
  const std::vector<int> labels = {0, 1};
  PipelineSpec spec;
  const auto pipeline = FeaturePipeline::fit(same, labels, spec);
  EXPECT_THROW(ClassDistance::fit(same, labels, pipeline), UsageError);

  const FeatureTable training = classes_of(2, 16, 6, kClassDistanceSeed);
  const std::vector<int> all = labels_of(2, 16);
  const auto distance =
      ClassDistance::fit(training, all, FeaturePipeline::fit(training, all, spec));
  FeatureLayout other = training.layout;
  other.order = 4;
  EXPECT_THROW(distance.distances({other, {}}), UsageError);
  EXPECT_THROW(ClassDistance(other, spec, distance.state(), "other"), FormatError);
  for (const auto change : {+[](ClassDistanceState& state) { state.scale.pop_back(); },
                            +[](ClassDistanceState& state) { state.means[0] = NAN; },
                            +[](ClassDistanceState& state) { state.directions.clear(); }}) {
    ClassDistanceState state = distance.state();
    change(state);
    EXPECT_THROW(ClassDistance(training.layout, spec, state, "changed"), FormatError);
  }
}

}  // namespace
}  // namespace leafglyph
