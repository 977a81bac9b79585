// Probabilistic linear discriminant analysis against its definition.
#include "classify/classifier/plda.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <random>

#include "classify/table/algebra.h"
#include "classify/table/row_arithmetic.h"
#include "features/base/errors.h"

namespace leafglyph {
namespace {

constexpr std::size_t kColumns = 7;

/// Rows of classes whose means differ most in the first columns.
struct ClassedRows {
  std::vector<float> values;
  std::vector<int> labels;

  ClassedRows(int classes, int of_class, unsigned seed) {
    std::mt19937 random(seed);
    std::normal_distribution<float> normal;
    for (int c = 0; c < classes; ++c) {
      std::vector<float> mean;
      for (std::size_t j = 0; j < kColumns; ++j) {
        mean.push_back(normal(random) * 4 / static_cast<float>(1 + j));
      }
      for (int i = 0; i < of_class + c % 2; ++i) {
        const float common = normal(random);  // columns vary together within a class
        for (std::size_t j = 0; j < kColumns; ++j) {
          values.push_back(mean[j] + 0.5F * common + normal(random));
        }
        labels.push_back(3 * c + 1);
      }
    }
  }

  ClassSums sums() const {
    ClassSums sums(kColumns);
    sums.add(values, labels);
    return sums;
  }
  double at(std::size_t row, std::size_t column) const { return values[row * kColumns + column]; }
};

Plda fitted(const ClassSums& sums, const ScatterPrior& prior, const PldaSpec& spec) {
  const PldaFit fit(prior, spec);
  PldaScatter scatter = fit.scatter_of(sums);
  return fit.fit(scatter);
}

using Matrix = std::vector<std::vector<double>>;
Matrix zeros(std::size_t size) { return Matrix(size, std::vector<double>(size)); }

std::vector<double> mean_of_class(const ClassedRows& rows, int label) {
  std::vector<double> mean(kColumns);
  const auto count = static_cast<double>(std::ranges::count(rows.labels, label));
  for (std::size_t i = 0; i < rows.labels.size(); ++i) {
    if (rows.labels[i] != label) continue;
    for (std::size_t j = 0; j < kColumns; ++j) mean[j] += rows.at(i, j) / count;
  }
  return mean;
}

std::vector<int> classes_of(const ClassedRows& rows) {
  std::vector<int> classes = rows.labels;
  classes.erase(std::unique(classes.begin(), classes.end()), classes.end());
  return classes;
}

Matrix slow_within(const ClassedRows& rows) {
  Matrix w = zeros(kColumns);
  for (std::size_t i = 0; i < rows.labels.size(); ++i) {
    const std::vector<double> mean = mean_of_class(rows, rows.labels[i]);
    for (std::size_t a = 0; a < kColumns; ++a) {
      for (std::size_t b = 0; b < kColumns; ++b) {
        w[a][b] += (rows.at(i, a) - mean[a]) * (rows.at(i, b) - mean[b]);
      }
    }
  }
  return w;
}

// The scatter of the class means, and the sum of 1 / rows of class.
Matrix slow_between(const ClassedRows& rows, double& noise) {
  const std::vector<int> classes = classes_of(rows);
  std::vector<double> centre(kColumns);
  for (const int label : classes) {
    for (std::size_t j = 0; j < kColumns; ++j) {
      centre[j] += mean_of_class(rows, label)[j] / static_cast<double>(classes.size());
    }
  }
  Matrix b = zeros(kColumns);
  noise = 0;
  for (const int label : classes) {
    const std::vector<double> mean = mean_of_class(rows, label);
    noise += 1 / static_cast<double>(std::ranges::count(rows.labels, label));
    for (std::size_t i = 0; i < kColumns; ++i) {
      for (std::size_t j = 0; j < kColumns; ++j) {
        b[i][j] += (mean[i] - centre[i]) * (mean[j] - centre[j]);
      }
    }
  }
  return b;
}

double freedom(const ClassedRows& rows) {
  return static_cast<double>(rows.labels.size() - classes_of(rows).size());
}

// oracle: each row minus the mean of its class, product by product. Sums of 60 products of about 10
// in double.
TEST(ClassSums, WithinIsTheScatterAboutTheClassMeans) {
  const ClassedRows rows(6, 9, 5);
  const std::vector<double> within = rows.sums().within();
  const Matrix slow = slow_within(rows);
  for (std::size_t a = 0; a < kColumns; ++a) {
    for (std::size_t b = 0; b < kColumns; ++b) {
      EXPECT_NEAR(within[b * kColumns + a], a < b ? 0 : slow[a][b], 1e-10);
    }
  }
}

// invariant: sums of parts add up to the sums of the whole, and can be taken off again, to the last
// bit, if the values are on the grid: the first class goes, of the second some rows.
TEST(ClassSums, OfPartsAddUpAndComeOffExactly) {
  ClassedRows rows(6, 9, 6);
  for (float& value : rows.values) {
    value = std::nearbyint(value / ClassSums::kGrid) * ClassSums::kGrid;
  }
  const auto values = std::span(rows.values);
  const auto labels = std::span(rows.labels);
  const auto first_of_second = std::ranges::find(labels, labels[0] + 3) - labels.begin();
  const std::size_t cut = static_cast<std::size_t>(first_of_second) + 2;
  ClassSums first(kColumns), second(kColumns);
  // In another order.
  for (std::size_t i = cut; i-- > 0;) {
    first.add(values.subspan(i * kColumns, kColumns), labels.subspan(i, 1));
  }
  second.add(values.subspan(cut * kColumns), labels.subspan(cut));
  ClassSums joined = second;
  joined.add(first);
  EXPECT_TRUE(std::ranges::equal(joined.products(), rows.sums().products()));
  EXPECT_EQ(joined.within(), rows.sums().within());
  EXPECT_EQ(mean_of(joined.classes(), kColumns), mean_of(rows.sums().classes(), kColumns));
  joined.take_off(first);
  EXPECT_TRUE(std::ranges::equal(joined.products(), second.products()));
  EXPECT_EQ(joined.rows(), second.rows());
  EXPECT_EQ(mean_of(joined.classes(), kColumns), mean_of(second.classes(), kColumns));
  EXPECT_FALSE(joined.classes().contains(labels[0]));
  EXPECT_THROW(joined.take_off(first), UsageError);
  EXPECT_THROW(joined.take_off(ClassSums(2)), UsageError);
  joined.take_off(second);
  EXPECT_EQ(joined.rows(), 0U);
}

// mechanics: lengths that do not fit.
TEST(ClassSums, RefusesWhatDoesNotFit) {
  const ClassedRows rows(2, 3, 7);
  ClassSums sums = rows.sums();
  const std::vector<int> label = {1};
  const auto one = std::span(rows.values).first(kColumns);
  EXPECT_THROW(sums.add(one.first(3), label), UsageError);
  EXPECT_THROW(sums.add(ClassSums(2)), UsageError);
  EXPECT_EQ(sums.rows(), rows.labels.size());
}

// oracle: covariances of the rows. All directions give W0 itself; fewer give its diagonal.
TEST(ScatterPrior, HoldsTheCovariances) {
  const ClassedRows rows(8, 6, 8);
  const Matrix slow = slow_within(rows);
  for (const std::size_t rank : {kColumns, std::size_t{2}}) {
    const ScatterPrior prior = prior_of(rows.sums(), rank);
    ASSERT_EQ(prior.within.size(), rank * kColumns);
    for (std::size_t a = 0; a < kColumns; ++a) {
      for (std::size_t b = 0; b < kColumns; ++b) {
        double sum = a == b ? prior.remainder[a] : 0;
        for (std::size_t k = 0; k < rank; ++k) {
          sum += prior.within[k * kColumns + a] * prior.within[k * kColumns + b];
        }
        if (rank < kColumns && a != b) continue;
        EXPECT_NEAR(sum, slow[a][b] / freedom(rows), 1e-10);
      }
    }
  }
  const ScatterPrior prior = prior_of(rows.sums(), kColumns);
  double noise = 0;
  const Matrix between = slow_between(rows, noise);
  EXPECT_NEAR(prior.mean_noise, noise / 7, 1e-12);
  double sum = 0;
  for (std::size_t k = 0; k < 8; ++k) {
    sum += prior.between[k * kColumns] * prior.between[k * kColumns + 2];
  }
  EXPECT_NEAR(sum, between[0][2] / 7, 1e-10);
}

template <class T>
void expect_tiles_of_outer_products() {
  constexpr std::size_t kRows = 600, kDepth = 300;  // more than two tiles, and not whole ones
  std::mt19937 random(3);
  std::vector<float> a(kRows * kDepth);
  for (float& value : a) value = static_cast<float>(static_cast<int>(random() % 9) - 4);
  std::vector<T> whole(kRows * kRows, 1), tiled = whole;
  const std::vector<T> same(a.begin(), a.end());
  add_outer_products(same, kRows, kDepth, T{-2}, whole);
  ASSERT_EQ(tiles_of(kRows), 6U);
  for (std::size_t tile = tiles_of(kRows); tile-- > 0;) {
    add_to_tile(tile, a, kRows, kDepth, T{-2}, tiled);
  }
  EXPECT_EQ(tiled, whole);
}

// agreement: the tiles of a matrix, in any order, make the sums of the whole, and leave what is
// above the diagonal. Sums of small whole numbers are exact in float and double.
TEST(OuterProducts, AddUpTileByTile) {
  expect_tiles_of_outer_products<float>();
  expect_tiles_of_outer_products<double>();
}

// oracle: plain sums, for lengths about those of strips, more and fewer columns than a block, and
// numbers of rows about those that are multiplied together. A row's products are the same to the
// last bit beside other rows.
TEST(RowProducts, ArePlainSums) {
  std::mt19937 random(21);
  std::normal_distribution<float> normal;
  for (const std::size_t p : {std::size_t{1}, std::size_t{31}, std::size_t{32}, std::size_t{70}}) {
    for (const std::size_t columns : {std::size_t{9}, 2 * RowProducts::kBlock + 1}) {
      constexpr std::size_t kRows = 6;
      std::vector<float> rows(kRows * columns);
      std::vector<double> matrix(columns * p), products(kRows * p), alone(p);
      for (float& value : rows) value = normal(random);
      for (double& value : matrix) value = normal(random);
      const RowProducts with(matrix, columns);
      with.multiply(rows, kRows, products);
      for (std::size_t i = 0; i < kRows; ++i) {
        with.multiply(std::span(rows).subspan(i * columns, columns), 1, alone);
        for (std::size_t j = 0; j < p; ++j) {
          double sum = 0, size = 0;
          for (std::size_t c = 0; c < columns; ++c) {
            const double term =
                static_cast<double>(rows[i * columns + c]) * static_cast<float>(matrix[c * p + j]);
            sum += term;
            size += std::abs(term);
          }
          // At most kBlock roundings to float of sums no larger than `size`.
          EXPECT_NEAR(products[i * p + j], sum, size * RowProducts::kBlock * 0x1p-24);
          EXPECT_EQ(products[i * p + j], alone[j]);
        }
      }
      EXPECT_THROW(with.multiply(rows, kRows - 1, products), UsageError);
      EXPECT_THROW(RowProducts(std::span(matrix).first(columns * p - 1), columns), UsageError);
    }
  }
}

/// Numbers of own and other classes: with more and with fewer of them than columns, directions are
/// found in two ways.
struct ClassCounts {
  int own, others;
};
class PldaDirections : public ::testing::TestWithParam<ClassCounts> {};
INSTANTIATE_TEST_SUITE_P(Classes, PldaDirections,
                         ::testing::Values(ClassCounts{5, 12}, ClassCounts{3, 4}));

// oracle: the directions, taken back from x, make both covariances diagonal. x is scaled to a fixed
// length, so that the directions are found from differences along each column.
TEST_P(PldaDirections, DiagonaliseBothCovariances) {
  const ClassedRows own(GetParam().own, 8, 9), others(GetParam().others, 5, 10);
  const double k = GetParam().own, k0 = GetParam().others;
  const PldaSpec spec{.prior_rows = 20, .prior_classes = 6, .shrinkage = 0.3};
  const Plda plda = fitted(own.sums(), prior_of(others.sums(), kColumns), spec);
  ASSERT_GE(plda.dimension(), 2U);
  Matrix w = slow_within(own), w0 = slow_within(others);
  double noise = 0, noise0 = 0, trace = 0;
  Matrix b = slow_between(own, noise), b0 = slow_between(others, noise0);
  for (std::size_t i = 0; i < kColumns; ++i) {
    for (std::size_t j = 0; j < kColumns; ++j) {
      w[i][j] = (20 * w0[i][j] / freedom(others) + w[i][j]) / (20 + freedom(own));
      b[i][j] = (6 * b0[i][j] / (k0 - 1) + b[i][j]) / (6 + k - 1);
    }
    trace += w[i][i];
  }
  for (std::size_t i = 0; i < kColumns; ++i) {
    for (std::size_t j = 0; j < kColumns; ++j) {
      w[i][j] = 0.7 * w[i][j] + (i == j ? 0.3 * trace / kColumns : 0);
      b[i][j] -= w[i][j] * (6 * noise0 / (k0 - 1) + noise) / (6 + k - 1);
    }
  }
  const std::size_t p = plda.dimension();
  std::vector<double> t(plda.matrix().begin(), plda.matrix().end());
  for (std::size_t i = 0; i < t.size(); ++i) t[i] *= std::sqrt(1 + plda.spread()[i % p]);
  for (std::size_t m = 0; m < p; ++m) {
    for (std::size_t l = 0; l < p; ++l) {
      double of_w = 0, of_b = 0;
      for (std::size_t i = 0; i < kColumns; ++i) {
        for (std::size_t j = 0; j < kColumns; ++j) {
          of_w += t[i * p + m] * w[i][j] * t[j * p + l];
          of_b += t[i * p + m] * b[i][j] * t[j * p + l];
        }
      }
      // W is factorised in float.
      EXPECT_NEAR(of_w, m == l ? 1 : 0, 1e-5);
      EXPECT_NEAR(of_b, m == l ? plda.spread()[m] : 0, 1e-5 * (1 + plda.spread()[0]));
    }
  }
  // x is what the directions give, scaled.
  const std::vector<float> x = plda.transform(own.values);
  const std::vector<double> mean = mean_of(own.sums().classes(), kColumns);
  std::vector<double> slow(p);
  double square = 0;
  for (std::size_t m = 0; m < p; ++m) {
    for (std::size_t j = 0; j < kColumns; ++j) {
      slow[m] += (own.at(4, j) - mean[j]) * t[j * p + m] / std::sqrt(1 + plda.spread()[m]);
    }
    square += slow[m] * slow[m];
  }
  for (std::size_t m = 0; m < p; ++m) {
    EXPECT_NEAR(x[4 * p + m], slow[m] * std::sqrt(static_cast<double>(p) / square), 1e-5);
  }
}

void take_off(PldaScatter& scatter, std::span<const float> rows, std::span<const int> labels) {
  const LabelledRows off{rows, labels};
  PldaScatter::take_off({&scatter, 1}, {&off, 1});
}

// agreement: a fit without some rows is a fit to the others, whatever is left of their classes: all
// rows, some, or none. The same for the deviations of those rows.
TEST(PldaFit, WithoutRowsIsTheFitToTheOthers) {
  const ClassedRows own(5, 8, 19), others(12, 5, 20);
  const PldaSpec spec{.prior_rows = 10, .prior_classes = 6, .shrinkage = 0.3, .augmentation = 0.5};
  const PldaFit fit(prior_of(others.sums(), kColumns), spec);
  const auto values = std::span(own.values);
  const auto labels = std::span(own.labels);
  // The first class goes, of the second some rows.
  const auto left =
      static_cast<std::size_t>(std::ranges::find(labels, labels[0] + 3) - labels.begin()) + 2;
  ClassSums all(kColumns), rest(kColumns), deviations(kColumns);
  all.add(values, labels);
  rest.add(values.subspan(left * kColumns), labels.subspan(left));
  deviations.add(values.subspan(left * kColumns), std::vector<int>(labels.size() - left));
  PldaScatter scatter = fit.scatter_of(all);
  take_off(scatter, values.first(2 * kColumns), labels.first(2));
  take_off(scatter, values.subspan(2 * kColumns, (left - 2) * kColumns),
           labels.subspan(2, left - 2));
  EXPECT_THROW(take_off(scatter, values.first(3), labels.first(1)), UsageError);
  PldaScatter of_others = fit.scatter_of(rest);
  const Plda fold = fit.fit(scatter, &deviations), alone = fit.fit(of_others, &deviations);
  ASSERT_EQ(fold.dimension(), alone.dimension());
  for (std::size_t k = 0; k < alone.dimension(); ++k) {
    // W is kept in float; the sign of a direction is arbitrary.
    EXPECT_NEAR(fold.spread()[k], alone.spread()[k], 1e-5 * alone.spread()[0]);
  }
  for (std::size_t j = 0; j < kColumns; ++j) {
    // Means of some forty values of about 10, in double.
    EXPECT_NEAR(fold.mean()[j], alone.mean()[j], 1e-11);
    for (std::size_t k = 0; k < alone.dimension(); ++k) {
      const std::size_t at = j * alone.dimension() + k;
      EXPECT_NEAR(std::abs(fold.matrix()[at]), std::abs(alone.matrix()[at]), 1e-4);
    }
  }
  take_off(scatter, values.first(kColumns), labels.first(1));
  EXPECT_THROW(fit.fit(scatter), UsageError);  // of a class that has no rows any more
}

// log of the density of values that have variance beta + omega each and covariance beta among each
// other, by the eigenvectors of their covariance.
double log_density(const std::vector<double>& values, double beta, double omega) {
  const std::size_t n = values.size();
  std::vector<double> matrix(n * n, beta);
  for (std::size_t i = 0; i < n; ++i) matrix[i * n + i] += omega;
  const SymmetricEigen eigen = symmetric_eigen(std::move(matrix), n);
  double sum = 0;
  for (std::size_t k = 0; k < n; ++k) {
    double along = 0;
    for (std::size_t i = 0; i < n; ++i) along += eigen.vectors[k * n + i] * values[i];
    sum += std::log(2 * std::numbers::pi * eigen.values[k]) + along * along / eigen.values[k];
  }
  return -0.5 * sum;
}

// oracle: the densities themselves. Rows of one class and direction are jointly normal; the ratio
// is that of queries and training rows together to both apart.
TEST(ClassLikelihood, IsTheRatioOfTheDensities) {
  const std::vector<double> spread = {5, 0.7};
  const std::vector<float> rows = {1.2F, -0.3F, 0.9F, 0.4F, 1.5F, -0.1F, -1.1F, 0.8F};
  const std::vector<int> labels = {4, 4, 4, 9};
  ClassTotals totals;
  add_to(totals, rows, labels, 2);
  const ClassLikelihood likelihood(spread, totals);
  ASSERT_EQ(likelihood.labels().size(), 2U);
  for (const std::vector<float>& queries :
       {std::vector<float>{0.8F, 0.1F}, std::vector<float>{1.0F, 0.2F, 0.7F, -0.6F}}) {
    const std::size_t count = queries.size() / 2;
    for (std::size_t c = 0; c < 2; ++c) {
      double expected = 0;
      std::vector<float> mean(2);
      for (std::size_t j = 0; j < 2; ++j) {
        std::vector<double> known, asked;
        for (std::size_t i = 0; i < 4; ++i) {
          if (labels[i] == likelihood.labels()[c]) known.push_back(rows[2 * i + j]);
        }
        for (std::size_t i = 0; i < count; ++i) {
          asked.push_back(queries[2 * i + j]);
          mean[j] += queries[2 * i + j] / static_cast<float>(count);
        }
        std::vector<double> all = known;
        all.insert(all.end(), asked.begin(), asked.end());
        const double beta = spread[j] / (1 + spread[j]);
        expected += log_density(all, beta, 1 - beta) - log_density(known, beta, 1 - beta) -
                    log_density(asked, beta, 1 - beta);
      }
      // Values of about 1 as floats, times at most 1 / omega = 6.
      EXPECT_NEAR(likelihood.log_ratio(c, mean, count), expected, 1e-5);
    }
  }
}

// invariant: rows of the model's classes fit one of them better than no class; rows of others, as
// often as the classes overlap, do not.
TEST(ClassLikelihood, TellsKnownFromUnknown) {
  const ClassedRows all(40, 12, 11), others(40, 8, 12);
  const std::size_t known =
      static_cast<std::size_t>(std::ranges::find(all.labels, 3 * 20 + 1) - all.labels.begin());
  ClassSums sums(kColumns);
  sums.add(std::span(all.values).first(known * kColumns), std::span(all.labels).first(known));
  const Plda plda = fitted(sums, prior_of(others.sums(), kColumns), {.shrinkage = 0.1});
  const std::vector<float> x = plda.transform(all.values);
  const std::size_t p = plda.dimension();
  ClassTotals totals;
  add_to(totals, std::span(x).first(known * p), std::span(all.labels).first(known), p);
  const ClassLikelihood likelihood(plda.spread(), totals);
  double of_known = 0, of_unknown = 0;
  for (std::size_t i = 0; i < all.labels.size(); ++i) {
    double best = -1e9;
    for (std::size_t c = 0; c < likelihood.labels().size(); ++c) {
      best = std::max(best, likelihood.log_ratio(c, std::span(x).subspan(i * p, p)));
    }
    (i < known ? of_known : of_unknown) += best;
  }
  EXPECT_GT(of_known / static_cast<double>(known),
            1 + of_unknown / static_cast<double>(all.labels.size() - known));
}

// mechanics: values out of range, other columns, and one class without a prior.
TEST(Plda, RefusesWhatDoesNotFit) {
  const ClassedRows own(5, 8, 13);
  const ScatterPrior prior = prior_of(own.sums(), 3);
  EXPECT_THROW(fitted(own.sums(), prior, {.shrinkage = 0}), UsageError);
  EXPECT_THROW(fitted(own.sums(), prior, {.prior_rows = -1}), UsageError);
  EXPECT_THROW(fitted(own.sums(), prior, {.prior_classes = NAN}), UsageError);
  EXPECT_THROW(fitted(ClassSums(2), prior, {}), UsageError);
  const ClassedRows one(1, 8, 14);
  EXPECT_THROW(fitted(one.sums(), prior, {.prior_classes = 0}), UsageError);
  EXPECT_NO_THROW(fitted(one.sums(), prior, {}));
  EXPECT_THROW(prior_of(one.sums(), 3), UsageError);
  EXPECT_THROW(fitted(own.sums(), prior, {}).transform({own.values.data(), 3}), UsageError);
  EXPECT_THROW(ClassLikelihood(std::vector<double>{1}, own.sums().classes()), UsageError);
}

}  // namespace
}  // namespace leafglyph
