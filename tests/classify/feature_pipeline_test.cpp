// The feature pipeline: scaling and projections against their definitions.
#include "classify/classifier/feature_pipeline.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <numeric>
#include <random>

#include "classify/classifier/fold_judge.h"
#include "features/base/errors.h"

namespace leafglyph {
namespace {

constexpr unsigned kFeaturePipelineSeed = 4711;

// Two channels of order 2 (4 columns each) and one measure.
FeatureTable random_table(std::size_t rows, unsigned seed) {
  FeatureTable table;
  table.layout.order = 2;
  table.layout.groups = {
      {"grey"}, {"mask"}, {std::string(kMeasuresGroup), ColumnKind::kMeasure, {"log-area"}}};
  std::mt19937 generator(seed);
  std::uniform_real_distribution<float> uniform(0.1F, 2.0F);
  table.values.resize(rows * table.layout.columns());
  for (float& v : table.values) v = uniform(generator);
  return table;
}

std::vector<int> cyclic_labels(std::size_t rows, int classes) {
  std::vector<int> labels;
  for (std::size_t i = 0; i < rows; ++i) labels.push_back(static_cast<int>(i) % classes);
  return labels;
}

PipelineSpec spec_of(Values values, Scaling scaling, Projection projection) {
  PipelineSpec spec;
  spec.values = values;
  spec.scaling = scaling;
  spec.projection = projection;
  return spec;
}

PipelineSpec plda_spec() {
  PipelineSpec spec = spec_of(Values::kLogMagnitude, Scaling::kNone, Projection::kPlda);
  spec.log_floor = 0.03;
  return spec;
}

// The prior of random rows of ten classes, which differ in the first and last column.
std::shared_ptr<const RowPrior> prior_for(const FeatureLayout& layout) {
  FeatureTable table = random_table(80, kFeaturePipelineSeed + 7);
  table.layout = layout;
  const std::vector<int> labels = cyclic_labels(80, 10);
  for (std::size_t i = 0; i < 80; ++i) {
    for (const std::size_t c : {0, 8}) table.values[i * 9 + c] += static_cast<float>(labels[i]);
  }
  return std::make_shared<RowPrior>(row_prior(table, labels, plda_spec().log_floor));
}

double component(const std::vector<float>& rows, std::size_t width, std::size_t i, std::size_t j) {
  return rows[i * width + j];
}

// oracle: standardised training columns have mean 0 and variance 1.
TEST(FeaturePipelineTest, StandardisedColumnsHaveMeanZeroAndVarianceOne) {
  const FeatureTable table = random_table(50, kFeaturePipelineSeed);
  for (const Values values : {Values::kMagnitude, Values::kLogMagnitude}) {
    const auto pipeline = FeaturePipeline::fit(
        table, cyclic_labels(50, 5), spec_of(values, Scaling::kStandardise, Projection::kNone));
    ASSERT_EQ(pipeline.dimension(), 9U);
    const auto rows = pipeline.transform(table);
    for (std::size_t j = 0; j < 9; ++j) {
      double sum = 0.0;
      double squares = 0.0;
      for (std::size_t i = 0; i < 50; ++i) {
        sum += component(rows, 9, i, j);
        squares += component(rows, 9, i, j) * component(rows, 9, i, j);
      }
      // Outputs are floats of size about 1: 2^-24 each.
      EXPECT_NEAR(sum / 50, 0.0, 1e-6);
      EXPECT_NEAR(squares / 50, 1.0, 1e-6);
    }
  }
}

// oracle: without scaling, magnitudes are unchanged, and logarithms apply to moments only.
TEST(FeaturePipelineTest, LogarithmsLeaveMeasuresAlone) {
  const FeatureTable table = random_table(10, kFeaturePipelineSeed);
  const auto plain = FeaturePipeline::fit(
      table, cyclic_labels(10, 2), spec_of(Values::kMagnitude, Scaling::kNone, Projection::kNone));
  EXPECT_EQ(plain.transform(table), table.values);
  PipelineSpec spec = spec_of(Values::kLogMagnitude, Scaling::kNone, Projection::kNone);
  spec.log_floor = 0.5;
  const auto rows = FeaturePipeline::fit(table, cyclic_labels(10, 2), spec).transform(table);
  EXPECT_FLOAT_EQ(rows[3], static_cast<float>(std::log(table.values[3] + 0.5)));
  EXPECT_EQ(rows[8], table.values[8]);
}

// invariant: columns that are constant in the training rows do not count, whatever their values in
// other rows.
TEST(FeaturePipelineTest, DropsConstantColumns) {
  FeatureTable table = random_table(20, kFeaturePipelineSeed);
  for (std::size_t i = 0; i < 20; ++i) table.values[i * 9 + 2] = 0.7F;
  const PipelineSpec spec = spec_of(Values::kMagnitude, Scaling::kStandardise, Projection::kNone);
  const auto plain = FeaturePipeline::fit(table, cyclic_labels(20, 4), spec);
  EXPECT_EQ(plain.dropped_columns(), 1U);
  EXPECT_EQ(plain.dimension(), 8U);
  FeatureTable other = random_table(1, kFeaturePipelineSeed + 1);
  const auto before = plain.transform(other);
  other.values[2] = 100.0F;
  EXPECT_EQ(plain.transform(other), before);
}

// invariant: a fit depends only on the training rows, and the result for a row only on that row.
TEST(FeaturePipelineTest, TestRowsChangeNothing) {
  FeatureTable all = random_table(60, kFeaturePipelineSeed);
  all.prior = prior_for(all.layout);
  std::vector<std::size_t> train;
  std::vector<std::size_t> test;
  for (std::size_t i = 0; i < 60; ++i) (i % 3 == 0 ? test : train).push_back(i);
  FeatureTable disturbed = all;
  for (const std::size_t i : test) {
    for (std::size_t c = 0; c < 9; ++c) disturbed.values[i * 9 + c] *= 1000.0F;
  }
  std::vector<int> labels;
  labels.reserve(train.size());
  for (const std::size_t i : train) labels.push_back(static_cast<int>(i % 4));
  disturbed.prior = all.prior;
  for (const PipelineSpec& spec :
       {spec_of(Values::kLogMagnitude, Scaling::kStandardise, Projection::kNone), plda_spec()}) {
    const auto a = FeaturePipeline::fit(select_rows(all, train), labels, spec);
    const auto b = FeaturePipeline::fit(select_rows(disturbed, train), labels, spec);
    EXPECT_EQ(a.state().scales.offset, b.state().scales.offset);
    EXPECT_EQ(a.state().scales.scale, b.state().scales.scale);
    ASSERT_EQ(a.state().plda.has_value(), b.state().plda.has_value());
    if (a.state().plda) {
      EXPECT_TRUE(std::ranges::equal(a.state().plda->matrix(), b.state().plda->matrix()));
    }
    const auto together = a.transform(all);
    for (std::size_t i = 0; i < 60; ++i) {
      const std::size_t row[] = {i};
      const auto alone = a.transform(select_rows(all, row));
      for (std::size_t j = 0; j < a.dimension(); ++j) {
        ASSERT_EQ(alone[j], together[i * a.dimension() + j]);
      }
    }
  }
}

// Augmented copies of every third row, far away along the first column.
AugmentedRows augmented_copies(const FeatureTable& table) {
  AugmentedRows augmented;
  for (std::size_t i = 0; i < table.rows(); i += 3) {
    augmented.of.push_back(i);
    augmented.values.insert(augmented.values.end(), table.row(i).begin(), table.row(i).end());
    augmented.values[augmented.values.size() - table.layout.columns()] += i % 2 == 0 ? 9.0F : 4.0F;
  }
  return augmented;
}

// agreement: the pipelines of splits are fits to their training rows, whether sums are given or not
// and whether the splits test some rows twice; projecting scaled rows is transforming them. Sums
// are exact, so that all are equal to the last bit.
TEST(FeaturePipelineTest, SplitsAreFitsToTheirTrainingRows) {
  FeatureTable all = random_table(40, kFeaturePipelineSeed);
  all.prior = prior_for(all.layout);
  all.augmented = augmented_copies(all);
  const std::vector<int> labels = cyclic_labels(40, 4);
  PipelineSpec spec = plda_spec();
  spec.plda.augmentation = 0.5;
  std::vector<Split> splits(3);
  std::vector<std::size_t> every(40);
  std::iota(every.begin(), every.end(), std::size_t{0});
  for (std::size_t i = 0; i < 40; ++i) {
    (i < 30 ? splits[0].train : splits[0].test).push_back(i);
    (i >= 10 ? splits[1].train : splits[1].test).push_back(i);
    (i % 4 != 0 ? splits[2].train : splits[2].test).push_back(i);  // a class
  }
  const ClassSums sums = FeaturePipeline::sums_of(all, labels, spec, every);
  for (const ClassSums* given : {static_cast<const ClassSums*>(nullptr), &sums}) {
    const SplitPipelines fitted = FeaturePipeline::fit(all, labels, spec, splits, given);
    EXPECT_EQ(fitted.all.transform(all), FeaturePipeline::fit(all, labels, spec).transform(all));
    ASSERT_EQ(fitted.of_splits.size(), splits.size());
    for (std::size_t s = 0; s < splits.size(); ++s) {
      const auto alone = FeaturePipeline::fit(select_rows(all, splits[s].train),
                                              select_labels(labels, splits[s].train), spec);
      const FeaturePipeline& fold = fitted.of_splits[s].pipeline;
      ASSERT_EQ(fold.dimension(), alone.dimension());
      const std::vector<float> a = fold.project(fitted.all.scaled(all.values));
      const std::vector<float> b = alone.transform(all);
      for (std::size_t i = 0; i < a.size(); ++i) {
        // Float rows and a float factorisation; the sign of a direction is arbitrary.
        EXPECT_NEAR(std::abs(a[i]), std::abs(b[i]), 2e-3) << s;
      }
    }
  }
}

// agreement: rows are judged as if every class had been searched when only the farthest is
// not, and named as then when each query probes a few: those with the nearest means hold its
// neighbours.
TEST(FoldJudge, FindsTheSameInTheNearestClasses) {
  constexpr int kClasses = 40;
  constexpr std::size_t kRows = 320;
  FeatureTable all = random_table(kRows, kFeaturePipelineSeed + 20);
  all.prior = prior_for(all.layout);
  const std::vector<int> labels = cyclic_labels(kRows, kClasses);
  for (std::size_t i = 0; i < kRows; ++i) {
    for (std::size_t c = 0; c < 9; ++c) {
      const float of_class = std::sin(static_cast<float>(labels[i]) * static_cast<float>(c + 1));
      float& value = all.values[i * 9 + c];
      value = c == 8 ? 4 * of_class + 0.2F * value : std::exp(2 * of_class + 0.2F * value);
    }
  }
  std::vector<Split> splits = stratified_folds(labels, 4, /*seed=*/1);
  for (Split& split : class_folds(labels, 4)) splits.push_back(std::move(split));
  const SplitPipelines fitted = FeaturePipeline::fit(all, labels, plda_spec(), splits);
  const auto judged = [&](std::size_t probed) {
    return judge_splits(all, labels, splits, fitted,
                        {.k = 5, .most = kRows, .probed = probed, .all = 0});
  };
  const std::vector<JudgedRows> of_all = judged(kClasses), few = judged(12);
  ASSERT_EQ(of_all.size(), splits.size());
  for (std::size_t s = 0; s < splits.size(); ++s) {
    ASSERT_FALSE(of_all[s].rows.empty());
    const std::size_t classes = fitted.of_splits[s].classes.size();
    ASSERT_EQ(classes, s < 4 ? 40U : 30U);
    const std::vector<JudgedRows> most = judged(classes - 1);
    EXPECT_EQ(most[s].which, of_all[s].which);
    for (std::size_t i = 0; i < of_all[s].rows.size(); ++i) {
      EXPECT_EQ(most[s].first[i], of_all[s].first[i]) << s << " " << i;
      EXPECT_EQ(most[s].rows[i].evidence, of_all[s].rows[i].evidence) << s << " " << i;
      EXPECT_EQ(most[s].rows[i].truth, of_all[s].rows[i].truth) << s << " " << i;
      EXPECT_EQ(few[s].first[i], of_all[s].first[i]) << s << " " << i;
    }
  }
}

// oracle: columns changed by augmentation no longer separate: of two columns that separate the
// classes equally, the discriminant takes almost nothing from the one in which copies differ from
// their rows. Without weight copies change nothing.
TEST(FeaturePipelineTest, WhatAugmentationChangesIsAvoided) {
  FeatureTable table = random_table(60, kFeaturePipelineSeed);
  table.prior = prior_for(table.layout);
  const auto labels = cyclic_labels(60, 2);
  for (std::size_t i = 0; i < 60; ++i) {
    for (const std::size_t c : {0, 4}) table.values[i * 9 + c] += i % 2 == 0 ? 0.0F : 2.0F;
  }
  PipelineSpec spec = plda_spec();
  const auto plain = FeaturePipeline::fit(table, labels, spec);
  table.augmented = augmented_copies(table);
  EXPECT_TRUE(std::ranges::equal(FeaturePipeline::fit(table, labels, spec).state().plda->matrix(),
                                 plain.state().plda->matrix()));
  spec.plda.augmentation = 100.0;
  const auto augmented = FeaturePipeline::fit(table, labels, spec);
  EXPECT_EQ(augmented.state().scales.scale, plain.state().scales.scale);
  const auto share = [](const FeaturePipeline& pipeline) {
    const Plda& plda = *pipeline.state().plda;
    double first = 0, other = 0;  // of all directions together
    for (std::size_t k = 0; k < plda.dimension(); ++k) {
      first += std::abs(plda.matrix()[0 * plda.dimension() + k]);
      other += std::abs(plda.matrix()[4 * plda.dimension() + k]);
    }
    return first / other;
  };
  EXPECT_LT(share(augmented), 0.2 * share(plain));
}

// mechanics: augmented copies are selected with their rows, and have the same columns.
TEST(FeatureTableTest, AugmentedCopiesGoWithTheirRows) {
  FeatureTable table = random_table(9, kFeaturePipelineSeed);
  table.augmented = augmented_copies(table);  // of 0, 3 and 6
  const FeatureTable some = select_rows(table, std::vector<std::size_t>{6, 1, 3});
  EXPECT_EQ(some.augmented.of, (std::vector<std::size_t>{2, 0}));
  EXPECT_TRUE(std::ranges::equal(some.augmented_row(0), table.augmented_row(1)));
  EXPECT_TRUE(std::ranges::equal(some.augmented_row(1), table.augmented_row(2)));
  const FeatureTable part = select_columns(table, 1, std::vector<std::string>{"mask", "measures"});
  EXPECT_EQ(part.augmented.of, table.augmented.of);
  EXPECT_EQ(part.augmented.values.size(), 3U * 3U);
  EXPECT_EQ(part.augmented_row(1)[2], table.augmented_row(1)[8]);
}

// mechanics: what is refused, and how.
TEST(FeaturePipelineTest, RefusesWhatItCannotFit) {
  FeatureTable table = random_table(8, kFeaturePipelineSeed);
  const auto labels = cyclic_labels(8, 2);
  EXPECT_THROW(FeaturePipeline::fit(table, cyclic_labels(7, 2), {}), UsageError);
  const PipelineSpec plda = plda_spec();
  EXPECT_THROW(FeaturePipeline::fit(table, labels, plda), UsageError);  // it has no prior
  table.prior = prior_for(table.layout);
  PipelineSpec spec = plda;
  spec.plda.shrinkage = 1.5;
  EXPECT_THROW(FeaturePipeline::fit(table, labels, spec), UsageError);
  spec = plda;
  spec.weights.measures = 0.0;
  EXPECT_THROW(FeaturePipeline::fit(table, labels, spec), UsageError);
  spec = plda;
  spec.log_floor = 0.5;  // not that of the prior
  EXPECT_THROW(FeaturePipeline::fit(table, labels, spec), UsageError);
  EXPECT_EQ(FeaturePipeline::fit(table, labels, plda).layout(), table.layout);
  table.layout.groups[0].name = "outline";  // not in the prior
  EXPECT_THROW(FeaturePipeline::fit(table, labels, plda), UsageError);
  table.values[5] = std::numeric_limits<float>::quiet_NaN();
  EXPECT_THROW(FeaturePipeline::fit(table, labels, {}), InputError);
  FeatureTable same = random_table(1, kFeaturePipelineSeed);
  const std::size_t twice[] = {0, 0};
  EXPECT_THROW(FeaturePipeline::fit(select_rows(same, twice), cyclic_labels(2, 2), {}), InputError);
}

// regression: a limit below 0 in a model's file was undefined behaviour in clamping.
TEST(FeaturePipelineTest, RefusesSavedScalesThatAreNone) {
  FeatureTable table = random_table(40, kFeaturePipelineSeed);
  table.prior = prior_for(table.layout);
  const auto fitted = FeaturePipeline::fit(table, cyclic_labels(40, 4), plda_spec());
  const auto with = [&](std::vector<double> ColumnScales::*values, double value) {
    PipelineState state = fitted.state();
    (state.scales.*values)[2] = value;
    return FeaturePipeline(table.layout, plda_spec(), state, "model");
  };
  constexpr double kInfinite = std::numeric_limits<double>::infinity();
  EXPECT_THROW(with(&ColumnScales::limit, -0.5), FormatError);
  EXPECT_THROW(with(&ColumnScales::limit, std::numeric_limits<double>::quiet_NaN()), FormatError);
  EXPECT_THROW(with(&ColumnScales::scale, kInfinite), FormatError);
  EXPECT_THROW(with(&ColumnScales::offset, kInfinite), FormatError);
  EXPECT_NO_THROW(with(&ColumnScales::limit, kInfinite));
}

// invariant: the columns of a lower order and of fewer channels are the same as those computed for
// them alone.
TEST(FeatureTableTest, LowerOrdersArePrefixesOfEachChannel) {
  const FeatureTable table = random_table(2, kFeaturePipelineSeed);
  const std::vector<std::string> groups = {"mask", "measures"};
  const FeatureTable part = select_columns(table, 1, groups);
  ASSERT_EQ(part.layout.columns(), 3U);  // Z(0,0), Z(1,1) of the mask, and the measure
  EXPECT_EQ(part.values,
            (std::vector<float>{table.values[4], table.values[5], table.values[8], table.values[13],
                                table.values[14], table.values[17]}));
  EXPECT_EQ(column_name(table.layout, 5), "mask |Z(1,1)|");
  EXPECT_EQ(column_name(table.layout, 8), "log-area");
  EXPECT_THROW(select_columns(table, 3, groups), UsageError);
  EXPECT_THROW(select_columns(table, 1, std::vector<std::string>{"outline"}), UsageError);
}

}  // namespace
}  // namespace leafglyph
