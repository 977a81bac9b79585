#include "classify/classifier/open_set.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "classify/classifier/fold_judge.h"
#include "features/base/errors.h"

namespace leafglyph {
namespace {

// Rows of a world in which the probabilities are those of a given slope and offset: of `classes`
// classes, or of none of them, drawn with these probabilities.
std::vector<JudgedRow> rows_of(double slope, double offset, std::size_t classes, int count,
                               unsigned seed) {
  std::mt19937 random(seed);
  std::normal_distribution<double> normal(0, 60);
  std::vector<JudgedRow> rows;
  for (int i = 0; i < count; ++i) {
    JudgedRow row;
    for (std::size_t c = 0; c < classes; ++c) row.evidence.push_back(normal(random));
    const std::vector<double> p = OpenSetCalibration(slope, offset).probabilities(row.evidence);
    double draw = std::uniform_real_distribution<double>(0, 1)(random);
    for (std::size_t c = 0; c < classes && !row.truth; ++c) {
      draw -= p[c];
      if (draw < 0) row.truth = c;
    }
    rows.push_back(std::move(row));
  }
  return rows;
}

double share_unknown(const std::vector<JudgedRow>& rows) {
  double unknown = 0;
  for (const JudgedRow& row : rows) unknown += row.truth ? 0 : 1;
  return unknown / static_cast<double>(rows.size());
}

// oracle: the quotients of the definition, also where an exponential would overflow.
TEST(OpenSetCalibration, ProbabilitiesAreTheirDefinition) {
  const OpenSetCalibration calibration(0.02, 1);
  const std::vector<double> p = calibration.probabilities(std::vector<double>{50, -20, 0});
  const double sum = 1 + std::exp(2.0) + std::exp(0.6) + std::exp(1.0);
  EXPECT_NEAR(p[0], std::exp(2.0) / sum, 1e-14);
  EXPECT_NEAR(p[1], std::exp(0.6) / sum, 1e-14);
  const std::vector<double> far = calibration.probabilities(std::vector<double>{1e6, -1e6});
  EXPECT_EQ(far[0], 1);
  EXPECT_EQ(far[1], 0);
}

// oracle: the slope and offset with which the truth was drawn; 20,000 rows give the slope to 2 %
// (three standard errors), and the offset to 0.1.
TEST(OpenSetCalibration, FindsTheProbabilitiesOfAKnownWorld) {
  const auto rows = rows_of(0.04, -1, 5, 20000, 3);
  const OpenSetCalibration fitted = OpenSetCalibration::fit(rows, share_unknown(rows));
  EXPECT_NEAR(fitted.slope(), 0.04, 0.0012);
  EXPECT_NEAR(fitted.offset(), -1, 0.1);
}

// invariant: more weight on unknown classes lowers every probability; few rows that are all alike
// leave the slope near the usual one.
TEST(OpenSetCalibration, WeightsAndFewRows) {
  const auto rows = rows_of(0.04, -1, 5, 500, 4);
  const std::vector<double> evidence = {80, 10, -30, 0, 5};
  EXPECT_GT(OpenSetCalibration::fit(rows, 0.1).probabilities(evidence)[0],
            OpenSetCalibration::fit(rows, 0.5).probabilities(evidence)[0]);
  const std::vector<JudgedRow> few = {{{300, -300}, 0}, {{-300, 300}, 1}, {{-500, -500}}};
  const OpenSetCalibration fitted = OpenSetCalibration::fit(few, 0.3);
  EXPECT_NEAR(fitted.slope(), OpenSetCalibration::kUsualSlope, 0.5 * fitted.slope());
  EXPECT_TRUE(std::isfinite(fitted.offset()));
  const std::vector<JudgedRow> known = {{{300}, 0}, {{200}, 0}};
  EXPECT_TRUE(std::isfinite(OpenSetCalibration::fit(known, 0.3).offset()));
}

// mechanics: no row of a known class, and a share that is none.
TEST(OpenSetCalibration, RefusesWhatCannotBeLearnt) {
  const std::vector<JudgedRow> unknown = {{{1, 2}}};
  EXPECT_THROW(OpenSetCalibration::fit({}, 0.1), UsageError);
  EXPECT_THROW(OpenSetCalibration::fit(unknown, 0.1), UsageError);
  const std::vector<JudgedRow> known = {{{1, 2}, 0}};
  EXPECT_THROW(OpenSetCalibration::fit(known, 1.5), UsageError);
}

ClassLikelihood likelihood_of(const std::vector<float>& rows, const std::vector<int>& labels) {
  ClassTotals totals;
  add_to(totals, rows, labels, 2);
  return ClassLikelihood(std::vector<double>{3, 1}, totals);
}

// oracle: by hand, with two directions; a class by itself has its ratio alone.
TEST(Evidence, IsTheRatioAndTheNearestRow) {
  const std::vector<float> rows = {1, 0, 0, 1};
  EXPECT_DOUBLE_EQ(evidence(-1.5, 0.25F, likelihood_of(rows, {4, 9})), -1.5 + 2 * 2 * 0.75);
  EXPECT_DOUBLE_EQ(evidence(-1.5, 0.25F, likelihood_of(rows, {4, 4})), -1.5);
}

// invariant: a row in one of two groups of its class, far from their mean, is of that class, though
// the mean of another class is nearer.
TEST(Evidence, FindsClassesOfTwoGroups) {
  const float length = std::sqrt(2.0F), x = 0.7F, y = std::sqrt(2 - x * x);
  const ClassLikelihood likelihood =
      likelihood_of({length, 0, -length, 0, x, y, x, y}, {0, 0, 1, 1});
  const std::vector<float> query = {length, 0};
  EXPECT_GT(likelihood.log_ratio(1, query), likelihood.log_ratio(0, query));
  std::vector<RankedClass> classes = {{.label = 1, .distance = 1 - x / length}, {.label = 0}};
  sort_by_evidence(classes, query, likelihood);
  EXPECT_EQ(classes.front().label, 0);
}

}  // namespace
}  // namespace leafglyph
