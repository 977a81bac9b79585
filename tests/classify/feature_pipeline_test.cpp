// The feature pipeline: scaling and projections against their definitions.
#include "classify/knn/feature_pipeline.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>

#include "classify/knn/algebra.h"
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
// other rows; the weight of the measures multiplies their columns.
TEST(FeaturePipelineTest, DropsConstantColumnsAndWeighsMeasures) {
  FeatureTable table = random_table(20, kFeaturePipelineSeed);
  for (std::size_t i = 0; i < 20; ++i) table.values[i * 9 + 2] = 0.7F;
  PipelineSpec spec = spec_of(Values::kMagnitude, Scaling::kStandardise, Projection::kNone);
  const auto plain = FeaturePipeline::fit(table, cyclic_labels(20, 4), spec);
  EXPECT_EQ(plain.dropped_columns(), 1U);
  EXPECT_EQ(plain.dimension(), 8U);
  FeatureTable other = random_table(1, kFeaturePipelineSeed + 1);
  const auto before = plain.transform(other);
  other.values[2] = 100.0F;
  EXPECT_EQ(plain.transform(other), before);
  spec.measure_weight = 5.0;
  const auto weighted = FeaturePipeline::fit(table, cyclic_labels(20, 4), spec).transform(other);
  for (std::size_t j = 0; j < 8; ++j) {
    // 3 grey columns remain, then 4 of the mask and the measure.
    const float factor = j < 7 ? 1.0F : 5.0F;
    EXPECT_FLOAT_EQ(weighted[j], factor * before[j]) << j;
  }
}

// invariant: a fit depends only on the training rows, and the result for a row only on that row.
TEST(FeaturePipelineTest, TestRowsChangeNothing) {
  const FeatureTable all = random_table(60, kFeaturePipelineSeed);
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
  for (const Projection projection : {Projection::kNone, Projection::kDiscriminant}) {
    auto spec = spec_of(Values::kLogMagnitude, Scaling::kStandardise, projection);
    if (projection == Projection::kDiscriminant) spec.channel_discriminants = 0.5;
    const auto a = FeaturePipeline::fit(select_rows(all, train), labels, spec);
    const auto b = FeaturePipeline::fit(select_rows(disturbed, train), labels, spec);
    EXPECT_EQ(a.state().offset, b.state().offset);
    EXPECT_EQ(a.state().scale, b.state().scale);
    ASSERT_EQ(a.state().blocks.size(), b.state().blocks.size());
    for (std::size_t block = 0; block < a.state().blocks.size(); ++block) {
      EXPECT_EQ(a.state().blocks[block].matrix, b.state().blocks[block].matrix);
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

// agreement: a channel's own discriminant is that of a pipeline with this channel alone, weighted.
TEST(FeaturePipelineTest, ChannelDiscriminantsAreThoseOfEachChannelAlone) {
  const FeatureTable table = random_table(40, kFeaturePipelineSeed);
  const auto labels = cyclic_labels(40, 3);
  auto spec = spec_of(Values::kMagnitude, Scaling::kStandardise, Projection::kDiscriminant);
  const auto joint = FeaturePipeline::fit(table, labels, spec).transform(table);
  const FeatureTable mask = select_columns(table, 2, std::vector<std::string>{"mask", "measures"});
  const auto alone = FeaturePipeline::fit(mask, labels, spec).transform(mask);
  spec.channel_discriminants = 0.5;
  const auto pipeline = FeaturePipeline::fit(table, labels, spec);
  ASSERT_EQ(pipeline.dimension(), 6U);
  const auto both = pipeline.transform(table);
  for (std::size_t i = 0; i < 40; ++i) {
    for (std::size_t j = 0; j < 2; ++j) {
      EXPECT_EQ(both[i * 6 + j], joint[i * 2 + j]);
      EXPECT_FLOAT_EQ(both[i * 6 + 4 + j], 0.5F * alone[i * 2 + j]);
    }
  }
  spec.projection = Projection::kNone;
  EXPECT_THROW(FeaturePipeline::fit(table, labels, spec), UsageError);
}

// oracle: v^T W_s v' = 0 or 1, and the between-class scatter is diagonal, largest first: the
// definition of the regularised discriminant, in the column and in the row system.
// Also with deviations that count in W in addition to those from the class means.
class DiscriminantTest : public ::testing::TestWithParam<std::pair<std::size_t, std::size_t>> {};

// oracle: the projection makes the within-class scatter the identity and the between-class scatter
// diagonal, which defines it.
TEST_P(DiscriminantTest, DiagonalisesBothScatters) {
  const auto [rows, more] = GetParam();
  constexpr std::size_t kColumns = 12;
  constexpr int kClasses = 4;
  constexpr double kShrinkage = 0.3;
  const auto labels = cyclic_labels(rows, kClasses);
  std::mt19937 generator(kFeaturePipelineSeed);
  std::normal_distribution<double> normal;
  std::vector<double> data(rows * kColumns);
  for (std::size_t i = 0; i < rows; ++i) {
    for (std::size_t j = 0; j < kColumns; ++j) {
      data[i * kColumns + j] =
          normal(generator) + 2.0 * ((labels[i] * 5 + static_cast<int>(j)) % 3);
    }
  }
  for (std::size_t j = 0; j < kColumns; ++j) {
    double mean = 0.0;
    for (std::size_t i = 0; i < rows; ++i) mean += data[i * kColumns + j] / double(rows);
    for (std::size_t i = 0; i < rows; ++i) data[i * kColumns + j] -= mean;
  }
  std::vector<double> deviations(more * kColumns);
  for (double& v : deviations) v = normal(generator);
  std::vector<double> means(kClasses * kColumns, 0.0);
  std::vector<double> counts(kClasses, 0.0);
  for (std::size_t i = 0; i < rows; ++i) counts[labels[i]] += 1.0;
  for (std::size_t i = 0; i < rows; ++i) {
    for (std::size_t j = 0; j < kColumns; ++j) {
      means[labels[i] * kColumns + j] += data[i * kColumns + j] / counts[labels[i]];
    }
  }
  std::vector<double> within(kColumns * kColumns, 0.0);
  std::vector<double> between(kColumns * kColumns, 0.0);
  for (std::size_t i = 0; i < rows; ++i) {
    const double* mean = &means[labels[i] * kColumns];
    for (std::size_t a = 0; a < kColumns; ++a) {
      for (std::size_t b = 0; b < kColumns; ++b) {
        within[a * kColumns + b] +=
            (data[i * kColumns + a] - mean[a]) * (data[i * kColumns + b] - mean[b]) / double(rows);
        between[a * kColumns + b] += mean[a] * mean[b] / double(rows);
      }
    }
  }
  for (std::size_t i = 0; i < more; ++i) {
    const double* d = &deviations[i * kColumns];
    for (std::size_t a = 0; a < kColumns; ++a) {
      for (std::size_t b = 0; b < kColumns; ++b) {
        within[a * kColumns + b] += d[a] * d[b] / double(rows);
      }
    }
  }
  double trace = 0.0;
  for (std::size_t a = 0; a < kColumns; ++a) trace += within[a * kColumns + a];
  for (double& v : within) v *= 1.0 - kShrinkage;
  for (std::size_t a = 0; a < kColumns; ++a) {
    within[a * kColumns + a] += kShrinkage * trace / kColumns;
  }
  const LinearProjection p =
      discriminant_projection(data, kColumns, labels, kShrinkage, 0, deviations);
  ASSERT_EQ(p.dimensions, 3U);
  const auto form = [&](const std::vector<double>& matrix, std::size_t i, std::size_t j) {
    double sum = 0.0;
    for (std::size_t a = 0; a < kColumns; ++a) {
      for (std::size_t b = 0; b < kColumns; ++b) {
        sum += p.matrix[a * 3 + i] * matrix[a * kColumns + b] * p.matrix[b * 3 + j];
      }
    }
    return sum;
  };
  // Systems with a condition number below 1e3, in double.
  constexpr double kTolerance = 1e-11;
  double before = std::numeric_limits<double>::infinity();
  for (std::size_t i = 0; i < 3; ++i) {
    for (std::size_t j = 0; j < 3; ++j) {
      EXPECT_NEAR(form(within, i, j), i == j ? 1.0 : 0.0, kTolerance);
      if (i != j) {
        EXPECT_NEAR(form(between, i, j), 0.0, kTolerance * form(between, 0, 0));
      }
    }
    EXPECT_LT(form(between, i, i), before);
    before = form(between, i, i);
    EXPECT_GT(before, 0.0);
  }
}

INSTANTIATE_TEST_SUITE_P(FewerAndMoreRowsThanColumns, DiscriminantTest,
                         ::testing::Values(std::pair{9, 0}, std::pair{60, 0}, std::pair{9, 2},
                                           std::pair{9, 7}, std::pair{60, 7}));

// Augmented copies of every third row, far away along the first column.
AugmentedRows augmented_copies(const FeatureTable& table) {
  AugmentedRows augmented;
  for (std::size_t i = 0; i < table.rows(); i += 3) {
    augmented.of.push_back(i);
    augmented.values.insert(augmented.values.end(), table.row(i).begin(), table.row(i).end());
    augmented.values[augmented.values.size() - table.layout.columns()] += i % 2 == 0 ? 9.0F : -9.0F;
  }
  return augmented;
}

// oracle: columns changed by augmentation no longer separate: if rows and copies differ in one
// column, the discriminant takes almost nothing from it. Copies change neither the scaling nor a
// fit without weight.
TEST(FeaturePipelineTest, WhatAugmentationChangesIsAvoided) {
  FeatureTable table = random_table(60, kFeaturePipelineSeed);
  const auto labels = cyclic_labels(60, 2);
  for (std::size_t i = 0; i < 60; ++i) {
    for (const std::size_t c : {0, 4}) table.values[i * 9 + c] += i % 2 == 0 ? 0.0F : 2.0F;
  }
  auto spec = spec_of(Values::kMagnitude, Scaling::kNone, Projection::kDiscriminant);
  spec.shrinkage = 0.0;
  const auto plain = FeaturePipeline::fit(table, labels, spec);
  table.augmented = augmented_copies(table);
  EXPECT_EQ(FeaturePipeline::fit(table, labels, spec).state().blocks[0].matrix,
            plain.state().blocks[0].matrix);
  spec.augmentation = 100.0;
  const auto augmented = FeaturePipeline::fit(table, labels, spec);
  EXPECT_EQ(augmented.state().offset, plain.state().offset);
  EXPECT_EQ(augmented.state().scale, plain.state().scale);
  // Without copies, columns 0 and 4 count equally.
  const std::vector<double>& before = plain.state().blocks[0].matrix;
  const std::vector<double>& after = augmented.state().blocks[0].matrix;
  EXPECT_GT(std::abs(before[0] / before[4]), 0.5);
  // Copies vary by 100 * 81 in column 0, rows by 0.3 within a class.
  EXPECT_LT(std::abs(after[0] / after[4]), 1e-3);
  spec.projection = Projection::kNone;
  EXPECT_THROW(FeaturePipeline::fit(table, labels, spec), UsageError);
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

// oracle: rows on a line in space have one component, which is along that line.
TEST(ProjectionTest, PrincipalComponentOfALine) {
  const std::vector<double> direction = {2.0, -1.0, 2.0};  // of length 3
  for (const std::size_t rows : {std::size_t{2}, std::size_t{7}}) {
    std::vector<double> data;
    for (std::size_t i = 0; i < rows; ++i) {
      const double t = static_cast<double>(i) - (static_cast<double>(rows) - 1.0) / 2.0;
      for (const double d : direction) data.push_back(t * d);
    }
    const LinearProjection p = principal_projection(data, 3, 0);
    ASSERT_EQ(p.dimensions, 1U);
    const double sign = p.matrix[0] > 0 ? 1.0 : -1.0;
    for (std::size_t j = 0; j < 3; ++j) EXPECT_NEAR(sign * p.matrix[j], direction[j] / 3, 1e-12);
    EXPECT_THROW(principal_projection(data, 3, 2), UsageError);
  }
}

// mechanics: what is refused, and how.
TEST(FeaturePipelineTest, RefusesWhatItCannotFit) {
  FeatureTable table = random_table(8, kFeaturePipelineSeed);
  const auto labels = cyclic_labels(8, 2);
  PipelineSpec spec;
  spec.shrinkage = 1.5;
  EXPECT_THROW(FeaturePipeline::fit(table, labels, spec), UsageError);
  spec = {};
  spec.measure_weight = 0.0;
  EXPECT_THROW(FeaturePipeline::fit(table, labels, spec), UsageError);
  spec = spec_of(Values::kMagnitude, Scaling::kStandardise, Projection::kDiscriminant);
  spec.dimensions = 2;  // two classes have one direction
  EXPECT_THROW(FeaturePipeline::fit(table, labels, spec), UsageError);
  spec.dimensions = 0;
  EXPECT_THROW(FeaturePipeline::fit(table, std::vector<int>(8, 0), spec), UsageError);
  spec.shrinkage = 0.0;  // 9 columns, 8 rows: singular without shrinkage
  EXPECT_THROW(FeaturePipeline::fit(table, labels, spec), UsageError);
  EXPECT_THROW(FeaturePipeline::fit(table, cyclic_labels(7, 2), {}), UsageError);
  table.values[5] = std::numeric_limits<float>::quiet_NaN();
  EXPECT_THROW(FeaturePipeline::fit(table, labels, {}), InputError);
  FeatureTable same = random_table(1, kFeaturePipelineSeed);
  const std::size_t twice[] = {0, 0};
  EXPECT_THROW(FeaturePipeline::fit(select_rows(same, twice), cyclic_labels(2, 2), {}), InputError);
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
