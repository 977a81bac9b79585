#include "classify/classifier/plda_kernel.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <random>
#include <vector>

#include "features/base/errors.h"

namespace leafglyph {
namespace {

constexpr std::size_t kKernelColumns = 120;

/// Rows about the means of their classes; one column in ten varies three times as much.
struct Leaves {
  std::vector<float> rows;
  std::vector<int> labels;

  Leaves(int classes, int of_class, unsigned seed) {
    std::mt19937 random(seed);
    std::normal_distribution<float> normal;
    for (int c = 0; c < classes; ++c) {
      std::vector<float> mean;
      for (std::size_t j = 0; j < kKernelColumns; ++j) mean.push_back(scale(j) * normal(random));
      for (int i = 0; i < of_class + c % 2; ++i) {
        for (std::size_t j = 0; j < kKernelColumns; ++j) {
          rows.push_back(mean[j] + scale(j) * normal(random));
        }
        labels.push_back(3 * c + 1);
      }
    }
  }
  static float scale(std::size_t column) { return column % 10 == 0 ? 3.0F : 1.0F; }
  ClassSums sums() const {
    ClassSums sums(kKernelColumns);
    sums.add(rows, labels);
    return sums;
  }
};

/// Rows of a table, in any order.
struct Selection {
  std::vector<std::size_t> which;
  std::vector<int> labels;
  std::vector<float> rows;

  Selection(const Leaves& leaves, std::size_t count, unsigned seed) {
    for (std::size_t i = 0; i < leaves.labels.size(); ++i) which.push_back(i);
    std::shuffle(which.begin(), which.end(), std::mt19937(seed));
    which.resize(count);
    for (const std::size_t i : which) {
      labels.push_back(leaves.labels[i]);
      rows.insert(rows.end(), leaves.rows.begin() + static_cast<std::ptrdiff_t>(i * kKernelColumns),
                  leaves.rows.begin() + static_cast<std::ptrdiff_t>((i + 1) * kKernelColumns));
    }
  }
};

// agreement: the fit to any of the rows is that of PldaFit to them, for about as many rows as the
// kernel expects, and for so few that the power series is not used.
TEST(PldaKernel, FitsWhatPldaFitFits) {
  const Leaves leaves(8, 9, 1), others(12, 6, 2);
  const PldaSpec spec{.prior_rows = 10, .prior_classes = 6, .shrinkage = 0.4};
  const PldaFit fit(prior_of(others.sums(), /*rank=*/5), spec);
  const PldaKernel kernel(fit, leaves.rows, leaves.labels, /*fitted=*/60);
  for (const int count : {56, 52, 20, 4}) {
    const Selection some(leaves, static_cast<std::size_t>(count), static_cast<unsigned>(count));
    ClassSums sums(kKernelColumns);
    sums.add(some.rows, some.labels);
    PldaScatter scatter = fit.scatter_of(sums);
    const Plda whole = fit.fit(scatter), own = kernel.fit(some.which, some.labels, sums.classes());
    ASSERT_EQ(own.dimension(), whole.dimension()) << count;
    for (std::size_t j = 0; j < kKernelColumns; ++j) EXPECT_EQ(own.mean()[j], whole.mean()[j]);
    // Both are in float, with matrices whose condition is some hundreds.
    for (std::size_t k = 0; k < own.dimension(); ++k) {
      EXPECT_NEAR(own.spread()[k], whole.spread()[k], 2e-5 * whole.spread()[0]) << count;
    }
    // The sign of a direction is arbitrary; directions of nearly the same spread are only
    // determined together, through the rows that they give.
    const std::vector<float> of_whole = whole.transform(leaves.rows);
    const std::vector<float> of_own = own.transform(leaves.rows);
    const std::size_t p = own.dimension();
    for (std::size_t i = 0; i + 1 < leaves.labels.size(); ++i) {
      double product = 0, same = 0;
      for (std::size_t k = 0; k < p; ++k) {
        product += of_whole[i * p + k] * of_whole[(i + 1) * p + k];
        same += of_own[i * p + k] * of_own[(i + 1) * p + k];
      }
      EXPECT_NEAR(same, product, 1e-3 * static_cast<double>(p)) << count;
    }
  }
}

// agreement: a single class is compared with the mean of the prior, as by PldaFit; not if it is
// what is left of several.
TEST(PldaKernel, ComparesASingleClassWithThePrior) {
  const Leaves leaves(1, 12, 4), others(12, 6, 2), two(2, 12, 4);
  const PldaFit fit(prior_of(others.sums(), /*rank=*/5), {});
  const Selection all(leaves, 12, 1);
  const ClassSums sums = leaves.sums(), of_two = two.sums();
  PldaScatter scatter = fit.scatter_of(sums);
  const PldaKernel kernel(fit, leaves.rows, leaves.labels, 12);
  const Plda alone = kernel.fit(all.which, all.labels, sums.classes()), whole = fit.fit(scatter);
  EXPECT_TRUE(std::ranges::equal(alone.mean(), whole.mean()));
  EXPECT_EQ(alone.mean()[0], 0);
  ClassTotals off = of_two.classes();
  off.erase(leaves.labels.front());
  const Plda left = kernel.fit(all.which, all.labels, RemainingClasses(of_two.classes(), &off));
  EXPECT_NE(left.mean()[0], 0);
}

// mechanics: the kernel pays only for so many rows and without copies; rows of other lengths,
// classes or totals are refused.
TEST(PldaKernel, IsForFewRowsWithoutCopies) {
  const Leaves leaves(6, 4, 3);
  const ScatterPrior prior = prior_of(leaves.sums(), /*rank=*/5);
  const PldaFit fit(prior, {});
  EXPECT_TRUE(PldaKernel::pays(fit, 145, 85));  // columns: 120
  EXPECT_FALSE(PldaKernel::pays(fit, 146, 85));
  EXPECT_FALSE(PldaKernel::pays(fit, 145, 86));
  const PldaFit augmented(prior, {.augmentation = 1});
  EXPECT_FALSE(PldaKernel::pays(augmented, 20, 20));
  EXPECT_THROW(PldaKernel(augmented, leaves.rows, leaves.labels, 20), UsageError);
  EXPECT_THROW(PldaKernel(fit, leaves.rows, std::vector<int>{1}, 20), UsageError);
  const PldaKernel kernel(fit, leaves.rows, leaves.labels, 20);
  const ClassSums sums = leaves.sums();
  const std::vector<std::size_t> which{0, 1, 5};
  EXPECT_THROW(kernel.fit(which, std::vector<int>{1, 1}, sums.classes()), UsageError);
  EXPECT_THROW(kernel.fit(which, std::vector<int>{1, 1, 4}, sums.classes()), UsageError);
}

}  // namespace
}  // namespace leafglyph
