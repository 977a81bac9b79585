#include "classify/classifier/row_prior.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>

#include "features/base/errors.h"

namespace leafglyph {
namespace {

// Two channels of order 2 (4 columns each), a histogram of 3 columns and two measures, the second
// of which is constant.
FeatureTable rows_of_layout(std::size_t rows, unsigned seed) {
  FeatureTable table;
  table.layout.order = 2;
  table.layout.groups = {{"grey"},
                         {"mask"},
                         {"curvature", ColumnKind::kHistogram, {"a", "b", "c"}},
                         {std::string(kMeasuresGroup), ColumnKind::kMeasure, {"x", "y"}}};
  std::mt19937 random(seed);
  std::uniform_real_distribution<float> uniform(0.1F, 2.0F);
  for (std::size_t i = 0; i < rows * 13; ++i) {
    table.values.push_back(i % 13 == 12 ? 3.0F : uniform(random));
  }
  return table;
}

std::vector<int> labels_of(std::size_t rows) {
  std::vector<int> labels;
  for (std::size_t i = 0; i < rows; ++i) labels.push_back(static_cast<int>(i / 5));
  return labels;
}

// oracle: mean, deviation and units by hand, for a column of each kind.
TEST(RowPrior, UnitsAreThoseOfThePriorsLeaves) {
  const FeatureTable table = rows_of_layout(40, 1);
  const RowPrior prior = row_prior(table, labels_of(40), 0.03);
  const ColumnScales scales = scales_of(prior, {.measures = 6, .curvature = 2});
  EXPECT_EQ(scales.limit[0], 8);
  EXPECT_NEAR(scales.limit[8], 8 * 2 * std::sqrt(10.0 / 3), 1e-12);
  EXPECT_EQ(scales.limit[11], 8 * 6);
  const std::vector<float> units = scaled_rows(table.layout, table.values, scales, 0.03);
  for (const std::size_t c : {std::size_t{5}, std::size_t{9}, std::size_t{11}}) {
    const auto value = [&](std::size_t row) {
      const double v = table.row(row)[c];
      return c == 5 ? std::log(v + 0.03) : v;
    };
    double mean = 0, square = 0;
    for (std::size_t i = 0; i < 40; ++i) mean += value(i) / 40;
    for (std::size_t i = 0; i < 40; ++i) square += std::pow(value(i) - mean, 2) / 40;
    const double floor = c == 5 ? 0.4 : c == 9 ? 0.1 : 0;
    EXPECT_NEAR(units[3 * 13 + c],
                scales.limit[c] / 8 * (value(3) - mean) / (std::sqrt(square) + floor), 1e-5);
  }
  EXPECT_EQ(units[12], 0);  // a constant measure
}

// oracle: values of a network have the unit of their deviation plus the mean one, so that one that
// is constant among the prior's leaves counts, too; and together the weight of moments and
// measures.
TEST(RowPrior, ANetworksValuesHaveOneUnit) {
  FeatureTable table;
  table.layout.order = 2;
  table.layout.groups = {{"grey"},
                         {std::string(kNetworkGroup), ColumnKind::kNetwork, {"n0", "n1", "n2"}}};
  std::mt19937 random(3);
  std::uniform_real_distribution<float> uniform(0.1F, 2.0F);
  for (std::size_t i = 0; i < 40 * 7; ++i) {
    table.values.push_back(i % 7 == 6 ? 5.0F : uniform(random) * (i % 7 == 5 ? 3.0F : 1.0F));
  }
  const RowPrior prior = row_prior(table, labels_of(40), 0.03);
  const ColumnScales scales = scales_of(prior, {.network = 2});
  const double mean = (prior.deviation[4] + prior.deviation[5]) / 3;
  EXPECT_EQ(prior.deviation[6], 0);
  for (std::size_t c = 4; c < 7; ++c) {
    const double weight = 2 * std::sqrt(4.0 / 3);
    EXPECT_NEAR(scales.scale[c], weight / (prior.deviation[c] + mean), 1e-6);
    EXPECT_NEAR(scales.limit[c], 8 * weight, 1e-9);
  }
}

// invariant: no value is farther than the largest unit.
TEST(RowPrior, FarValuesAreLimited) {
  const FeatureTable table = rows_of_layout(40, 2);
  const RowPrior prior = row_prior(table, labels_of(40), 0.03);
  FeatureTable far = rows_of_layout(1, 3);
  std::ranges::fill(far.values, 1e30F);
  const ColumnScales scales = scales_of(prior, {});
  const std::vector<float> units = scaled_rows(far.layout, far.values, scales, 0.03);
  for (std::size_t c = 0; c < 12; ++c)
    EXPECT_FLOAT_EQ(units[c], static_cast<float>(scales.limit[c])) << c;
}

// oracle: scaled by hand, and rounded to the grid, for rows longer and shorter than registers, with
// a dropped column, and for magnitudes of 0 and values that are not numbers.
TEST(RowScaling, IsTheFormula) {
  FeatureTable table = rows_of_layout(3, 5);
  const float nan = std::numeric_limits<float>::quiet_NaN();
  table.values[1] = 0;
  table.values[13] = nan;
  table.values[26 + 11] = nan;
  ColumnScales scales{std::vector<double>(13, 0.25), std::vector<double>(13, 3),
                      std::vector<double>(13, 1.5)};
  scales.scale[4] = 0;
  for (const double log_floor : {0.0, 0.03}) {
    for (const float grid : {0.0F, 0x1p-4F}) {
      const std::vector<float> given =
          scaled_rows(table.layout, table.values, scales, log_floor, grid);
      for (std::size_t i = 0; i < given.size(); ++i) {
        const std::size_t c = i % 13;
        double value = table.values[i];
        if (c < 8 && log_floor != 0) value = std::log(value + log_floor);
        value = std::clamp((value - 0.25) * scales.scale[c], -1.5, 1.5);
        if (grid != 0) value = std::nearbyint(value / grid) * grid;
        if (std::isnan(value)) {
          EXPECT_TRUE(std::isnan(given[i])) << i;
        } else {
          // Rounded to float; the grid is far coarser than logarithms are exact.
          EXPECT_NEAR(given[i], value, 1.5 * 0x1p-24) << i;
        }
      }
    }
  }
  EXPECT_THROW(scaled_rows(table.layout, table.values, {{0}, {1}, {1}}, 0.03), UsageError);
}

// agreement: the prior of some columns is that of the rows with these columns only.
TEST(RowPrior, PartsAreThoseOfTheColumns) {
  const FeatureTable table = rows_of_layout(40, 4);
  const std::vector<std::string> groups = {"mask", "curvature"};
  const FeatureTable part = select_columns(table, 1, groups);
  const RowPrior selected = select_columns(row_prior(table, labels_of(40), 0.03), part.layout);
  const RowPrior own = row_prior(part, labels_of(40), 0.03);
  const std::size_t d = part.layout.columns();
  ASSERT_EQ(selected.scatter.columns, d);
  for (std::size_t c = 0; c < d; ++c) EXPECT_EQ(selected.mean[c], own.mean[c]);
  const auto covariance = [d](const ScatterPrior& scatter, std::size_t a, std::size_t b) {
    double sum = a == b ? scatter.remainder[a] : 0;
    for (std::size_t k = 0; k < scatter.within.size() / d; ++k) {
      sum += scatter.within[k * d + a] * scatter.within[k * d + b];
    }
    return sum;
  };
  for (std::size_t a = 0; a < d; ++a) {
    for (std::size_t b = 0; b < d; ++b) {
      // Factors of about 1 are rounded to float.
      EXPECT_NEAR(covariance(selected.scatter, a, b), covariance(own.scatter, a, b), 1e-6);
    }
  }
  FeatureLayout more = table.layout;
  more.groups.push_back({"outline"});
  EXPECT_THROW(select_columns(own, more), UsageError);
  more = part.layout;
  more.order = 2;
  EXPECT_THROW(select_columns(own, more), UsageError);
}

// mechanics: rows that are not finite, or of one class.
TEST(RowPrior, RefusesWhatTeachesNothing) {
  FeatureTable table = rows_of_layout(10, 5);
  EXPECT_THROW(row_prior(table, std::vector<int>(10, 1), 0.03), UsageError);
  table.values[20] = NAN;
  EXPECT_THROW(row_prior(table, labels_of(10), 0.03), InputError);
}

}  // namespace
}  // namespace leafglyph
