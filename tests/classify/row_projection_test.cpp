// Rows projected onto the directions of a classifier.
#include "classify/classifier/row_projection.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <string>
#include <vector>

#include "classify/support/half_values.h"
#include "features/base/errors.h"
#include "features/base/npy.h"
#include "tests/support/rows_of_classes.h"

namespace leafglyph {
namespace {

class RowProjectionTest : public ::testing::Test {
 protected:
  RowProjectionTest() : pipeline_(fitted(Projection::kPlda)), own_(pipeline_.layout()) {
    own_.groups = {{"grey"}, {"mask"}};  // the pipeline has the second group alone
  }

  static FeaturePipeline fitted(Projection projection) {
    std::vector<int> labels;
    FeatureTable table = rows_of_classes(8, 10, kSeed, labels);
    table.prior = prior_of_classes();
    return FeaturePipeline::fit(table, labels, pipeline_of_classes(projection));
  }
  // Rows of other classes with both groups; the first is arbitrary.
  std::vector<float> rows() const {
    std::vector<int> labels;
    const FeatureTable others = rows_of_classes(5, 4, kSeed + 1, labels);
    std::vector<float> rows;
    for (std::size_t i = 0; i < others.rows(); ++i) {
      for (std::size_t c = 0; c < others.layout.columns(); ++c) {
        rows.push_back(static_cast<float>(i + c));
      }
      rows.insert(rows.end(), others.row(i).begin(), others.row(i).end());
    }
    return rows;
  }

  static constexpr unsigned kSeed = 5;
  FeaturePipeline pipeline_;
  FeatureLayout own_;
};

// oracle: y by its definition, in double.
TEST_F(RowProjectionTest, RowsAreThoseOfTheDefinition) {
  constexpr std::size_t kDirections = 3;
  const RowProjection projection(pipeline_, own_, kDirections);
  const std::vector<float> all = rows(), made = projection.apply(all);
  const Plda& plda = *pipeline_.state().plda;
  const std::size_t d = pipeline_.layout().columns(), count = all.size() / (2 * d);
  ASSERT_EQ(made.size(), count * kDirections);
  for (std::size_t i = 0; i < count; ++i) {
    const auto own = std::span(all).subspan(i * 2 * d + d, d);
    const std::vector<float> z = pipeline_.scaled(own);
    std::array<double, kDirections> y{};
    double square = 0;
    for (std::size_t k = 0; k < kDirections; ++k) {
      for (std::size_t c = 0; c < d; ++c) {
        y[k] += (z[c] - plda.mean()[c]) * plda.matrix()[c * plda.dimension() + k];
      }
      const double b = plda.spread()[k];
      y[k] *= std::sqrt(b / (1 + b));
      square += y[k] * y[k];
    }
    for (std::size_t k = 0; k < kDirections; ++k) {
      // Float weights and differences: some 1e-7 of numbers below 1, in 12 columns.
      EXPECT_NEAR(made[i * kDirections + k], y[k] / std::sqrt(square), 2e-6)
          << "seed " << kSeed << ", row " << i;
    }
  }
}

// invariant: a row's result does not depend on the rows beside it.
TEST_F(RowProjectionTest, ARowIsProjectedByItself) {
  const RowProjection projection(pipeline_, own_, 4);
  const std::vector<float> all = rows(), made = projection.apply(all);
  const std::size_t d = projection.columns();
  for (std::size_t i = 0; i < all.size() / d; ++i) {
    const std::vector<float> one = projection.apply(std::span(all).subspan(i * d, d));
    EXPECT_TRUE(std::ranges::equal(one, std::span(made).subspan(i * 4, 4))) << i;
  }
}

// mechanics: what was written is read and gives the same rows; damaged files are refused.
TEST_F(RowProjectionTest, FilesAreReadBack) {
  const RowProjection projection(pipeline_, own_, 4);
  const std::string bytes = projection.bytes();
  const RowProjection again(bytes, own_, "p.npy");
  EXPECT_EQ(again.bytes(), bytes);
  EXPECT_EQ(again.apply(rows()), projection.apply(rows()));
  EXPECT_EQ(again.names(),
            (std::vector<std::string>{"direction_1", "direction_2", "direction_3", "direction_4"}));
  EXPECT_THROW(RowProjection(bytes, pipeline_.layout(), "p.npy"), FormatError);
  EXPECT_THROW(RowProjection(bytes.substr(0, 200), own_, "p.npy"), FormatError);
  NpyArray<double> array = parse_npy<double>(bytes, "p.npy");
  const auto with = [&](std::size_t at, double value) {
    std::vector<double> values = array.values;
    values[at] = value;
    return npy_bytes(std::span<const double>(values), array.shape);
  };
  const std::size_t width = own_.columns() + 1;
  EXPECT_THROW(RowProjection(with(width - 1, 0), own_, "p.npy"), FormatError);       // log_floor
  EXPECT_THROW(RowProjection(with(5 * width - 1, -1), own_, "p.npy"), FormatError);  // b
  EXPECT_THROW(RowProjection(with(3, NAN), own_, "p.npy"), FormatError);
}

// mechanics: directions that the classifier does not have, and columns that the rows do not have.
TEST_F(RowProjectionTest, WhatDoesNotFitIsRefused) {
  const std::size_t p = pipeline_.dimension();
  EXPECT_NO_THROW(RowProjection(pipeline_, own_, p));
  EXPECT_THROW(RowProjection(pipeline_, own_, p + 1), UsageError);
  EXPECT_THROW(RowProjection(pipeline_, own_, 0), UsageError);
  EXPECT_THROW(RowProjection(fitted(Projection::kNone), own_, 2), UsageError);
  FeatureLayout other = own_;
  other.groups = {{"grey"}};
  EXPECT_THROW(RowProjection(pipeline_, other, 2), UsageError);
  EXPECT_THROW(RowProjection(pipeline_, own_, 2).apply(std::vector<float>(5)), UsageError);
}

// oracle: known halves, and that every finite half comes back from float as itself.
TEST(HalfValues, AreRoundedToTheNearest) {
  const std::vector<float> values = {1.0F / 3, kLargestHalf, 65520.0F,     0x1p-24F,
                                     0x1p-26F, -2.0F,        1 + 0x1p-11F, 1 + 0x3p-11F};
  std::vector<Half> halves(values.size());
  to_half(values, halves);
  const std::vector<unsigned> expected = {0x3555, 0x7bff, 0x7c00, 1, 0, 0xc000, 0x3c00, 0x3c02};
  for (std::size_t i = 0; i < values.size(); ++i) EXPECT_EQ(halves[i].bits, expected[i]) << i;
  std::vector<Half> all;
  for (unsigned bits = 0; bits < 0x10000; ++bits) {
    if ((bits & 0x7c00) != 0x7c00) all.push_back({static_cast<std::uint16_t>(bits)});
  }
  std::vector<float> floats(all.size());
  to_float(all, floats);
  std::vector<Half> back(all.size());
  to_half(floats, back);
  EXPECT_EQ(back, all);
}

}  // namespace
}  // namespace leafglyph
