// Classifiers of all rows but one, against fits to the other rows.
#include "classify/classifier/plda_leave_one_out.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <numeric>

#include "classify/evaluation/evaluate.h"
#include "features/base/errors.h"
#include "tests/support/rows_of_classes.h"

namespace leafglyph {
namespace {

ClassifierSpec spec_that_leaves_out() {
  ClassifierSpec spec;
  spec.pipeline = pipeline_of_classes();
  spec.metric = Metric::kCosine;
  spec.k = 6;
  return spec;
}

/// Rows of six classes, of which the last has a single one and the last but one a row far off.
struct UnevenRows {
  FeatureTable table;
  std::vector<int> labels;
  std::size_t far = 0, alone = 0;

  UnevenRows() {
    table = rows_of_classes(6, 7, /*seed=*/5, labels);
    table.prior = prior_of_classes();
    std::vector<std::size_t> rows(labels.size() - 6);
    std::iota(rows.begin(), rows.end(), std::size_t{0});
    table = select_rows(table, rows);
    labels.resize(rows.size());
    far = labels.size() - 2;
    alone = labels.size() - 1;
    const std::size_t columns = table.layout.columns();
    for (std::size_t c = 0; c < columns; ++c) {
      table.values[far * columns + c] *= c % 2 == 0 ? 1e3F : 1e-3F;
    }
  }
};

std::vector<std::size_t> all_but(std::size_t row, std::size_t count) {
  std::vector<std::size_t> others;
  for (std::size_t i = 0; i < count; ++i) {
    if (i != row) others.push_back(i);
  }
  return others;
}

// agreement: the fit to the other rows, with the same directions but for their signs, and the same
// rows along these. It is kept in float, and shrinkage bounds what that loses.
TEST(PldaLeaveOneOut, IsTheFitToTheOthers) {
  const UnevenRows rows;
  const std::size_t n = rows.labels.size();
  const PipelineSpec spec = spec_that_leaves_out().pipeline;
  std::vector<std::size_t> which(n);
  std::iota(which.begin(), which.end(), std::size_t{0});
  const ClassSums sums = FeaturePipeline::sums_of(rows.table, rows.labels, spec, which);
  std::vector<std::uint8_t> taken(n);
  const std::vector<std::size_t> left = FeaturePipeline::leave_out(
      rows.table, rows.labels, spec, sums, which,
      [&](std::size_t row, const FeaturePipeline& pipeline, const std::vector<float>& transformed) {
        taken[row] = 1;
        const std::vector<std::size_t> others = all_but(row, n);
        const FeaturePipeline slow = FeaturePipeline::fit(select_rows(rows.table, others),
                                                          select_labels(rows.labels, others), spec);
        const Plda &own = *pipeline.state().plda, &fitted = *slow.state().plda;
        ASSERT_EQ(own.dimension(), fitted.dimension()) << row;
        const std::size_t p = own.dimension();
        const std::vector<float> mine = pipeline.transform(rows.table),
                                 expected = slow.transform(rows.table);
        for (std::size_t j = 0; j < p; ++j) {
          EXPECT_NEAR(own.spread()[j], fitted.spread()[j], 1e-5 * fitted.spread()[0]) << row;
          double same = 0, opposite = 0, given = 0;
          for (std::size_t i = 0; i < n; ++i) {
            same = std::max<double>(same, std::abs(mine[i * p + j] - expected[i * p + j]));
            opposite = std::max<double>(opposite, std::abs(mine[i * p + j] + expected[i * p + j]));
            given = std::max<double>(given, std::abs(mine[i * p + j] - transformed[i * p + j]));
          }
          EXPECT_LT(std::min(same, opposite), 1e-3) << row << " " << j;
          EXPECT_LT(given, 1e-4) << row << " " << j;
        }
      });
  EXPECT_EQ(left, (std::vector<std::size_t>{rows.far, rows.alone}));
  EXPECT_EQ(std::ranges::count(taken, 1), static_cast<std::ptrdiff_t>(n - 2));
}

// agreement: evaluations that leave one row out give the rankings, evidence and neighbours of
// classifiers that are fitted to the others; rows that need a fit of their own included.
TEST(EvaluateTest, LeavingOneOutIsAFitToTheOthers) {
  const UnevenRows rows;
  const std::size_t n = rows.labels.size();
  std::vector<Split> splits;
  for (std::size_t row = 0; row < n; ++row) splits.push_back({all_but(row, n), {row}});
  EvaluationSpec spec;
  spec.protocol.kind = ProtocolKind::kLeaveOneOut;
  spec.classifier = spec_that_leaves_out();
  const std::vector<std::string> names = {"ash", "beech", "cherry", "date", "elm", "fig"};
  std::atomic<std::size_t> done = 0;
  const EvaluationResult result =
      evaluate(rows.table, rows.labels, names, splits, spec, [&] { ++done; });
  EXPECT_EQ(done, n);
  ASSERT_EQ(result.predictions.size(), n);
  for (std::size_t row = 0; row < n; ++row) {
    const NearestClassifier slow =
        NearestClassifier::fit(select_rows(rows.table, splits[row].train),
                               select_labels(rows.labels, splits[row].train), spec.classifier);
    const Prediction expected =
        slow.predict(select_rows(rows.table, splits[row].test), kRankedClasses).front();
    const TestPrediction& given = result.predictions[row];
    EXPECT_EQ(given.sample, row);
    EXPECT_EQ(given.truth, rows.labels[row]);
    EXPECT_FALSE(given.probability);
    ASSERT_EQ(given.ranking.size(), expected.ranking.size());
    for (std::size_t c = 0; c < expected.ranking.size(); ++c) {
      EXPECT_EQ(given.ranking[c].label, expected.ranking[c].label) << row;
      // Logarithms of ratios are hundreds here; W is kept in float.
      EXPECT_NEAR(given.ranking[c].score, expected.ranking[c].score,
                  1e-3 * (1 + std::abs(expected.ranking[c].score)))
          << row;
    }
    ASSERT_EQ(given.distances.size(), expected.neighbours.size());
    for (std::size_t k = 0; k < given.distances.size(); ++k) {
      EXPECT_NEAR(given.distances[k], expected.neighbours[k].distance, 1e-4) << row;
      EXPECT_NE(given.neighbours[k], row);
    }
  }
}

// mechanics: what cannot be done this way is refused, or left to fits.
TEST(PldaLeaveOneOut, RefusesWhatItCannotDo) {
  const UnevenRows rows;
  ClassifierSpec spec = spec_that_leaves_out();
  std::vector<std::size_t> which(rows.labels.size());
  std::iota(which.begin(), which.end(), std::size_t{0});
  const ClassSums sums = FeaturePipeline::sums_of(rows.table, rows.labels, spec.pipeline, which);
  const std::vector<std::size_t> first = {0};
  const auto take = [](std::size_t, const NearestClassifier&) { FAIL(); };
  const auto left = [&] {
    return NearestClassifier::leave_out(rows.table, rows.labels, spec, sums, first, take);
  };
  spec.answered_share = 0.95;
  EXPECT_EQ(left(), std::vector<std::size_t>{0});
  spec.answered_share = 1;
  spec.pipeline.plda.shrinkage = 1;
  EXPECT_EQ(left(), std::vector<std::size_t>{0});
  spec.pipeline.plda = {.augmentation = 0.5};
  EXPECT_EQ(left(), std::vector<std::size_t>{0});
  const PldaSpec possible{.shrinkage = 0.5}, impossible{.shrinkage = 1};
  const std::size_t columns = rows.table.layout.columns();
  const std::vector<float> values(rows.labels.size() * columns);
  const ScatterPrior& prior = rows.table.prior->scatter;
  EXPECT_THROW(PldaLeaveOneOut(PldaFit(prior, impossible), sums, values, rows.labels), UsageError);
  EXPECT_THROW(PldaLeaveOneOut(PldaFit(prior, possible), sums, std::span(values).first(columns),
                               rows.labels),
               UsageError);
  const PldaLeaveOneOut fits(PldaFit(prior, possible), sums, values, rows.labels);
  EXPECT_THROW(fits.for_each(std::vector<std::size_t>{rows.alone},
                             [](std::size_t, const PldaLeaveOneOut::Left&) {}),
               UsageError);
}

}  // namespace
}  // namespace leafglyph
