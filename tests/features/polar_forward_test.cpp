#include "features/zernike/polar_transform.h"

#include <gtest/gtest.h>

#include <cmath>

#include "features/base/errors.h"
#include "features/base/statistics.h"
#include "features/base/threads.h"
#include "features/folded/folded_basis.h"
#include "features/moments/disk_grid.h"
#include "features/zernike/octant_points.h"
#include "features/zernike/polar_plan.h"
#include "tests/support/moment_oracle.h"
#include "tests/support/plans.h"
#include "tests/support/random_image.h"

namespace leafglyph {
namespace {

constexpr unsigned kPolarForwardSeed = 20240601;

// A plan that uses the polar transform at any order.
MomentPlan polar_plan(const MomentSpec& spec, int size) {
  return plan_through(spec, size, make_polar_forward(spec, size));
}

std::vector<std::complex<double>> direct(const MomentSpec& spec, const std::vector<double>& image,
                                         int size) {
  auto plan = polar_plan(spec, size);
  return moments_of(plan, image);
}

// oracle: the definition in long double with a different radial recurrence
TEST(DirectMoments, AgreeWithTheOracleToOrder60) {
  for (const Family family : {Family::kZernike, Family::kPseudoZernike}) {
    for (const int size : {2, 9, 24, 33}) {
      for (const int order : {0, 1, 2, 17, 60}) {
        const auto image = random_image(size, kPolarForwardSeed);
        const auto expected = oracle::moments(family, order, 1, image, size);
        // 1e-12: the bound the library states for order 60 in double
        EXPECT_LT(relative_l2(direct({family, order}, image, size), expected), 1e-12)
            << family_name(family) << " N=" << size << " T=" << order << " seed "
            << kPolarForwardSeed;
      }
    }
  }
}

// oracle: the same for sub-regions
TEST(DirectMoments, SubregionsAgreeWithTheOracle) {
  for (const Family family : {Family::kZernike, Family::kPseudoZernike}) {
    for (const int k : {2, 3, 5}) {
      for (const int size : {8, 11}) {
        const auto image = random_image(size, kPolarForwardSeed + 1);
        const auto expected = oracle::moments(family, 20, k, image, size);
        MomentSpec spec{family, 20};
        spec.points = k;
        EXPECT_LT(relative_l2(direct(spec, image, size), expected), 1e-12)
            << family_name(family) << " k=" << k << " N=" << size;
      }
    }
  }
}

// agreement: with the sum over every point of a stored basis
TEST(DirectMoments, AgreeWithTheEngineForBatches) {
  for (const Family family : {Family::kZernike, Family::kPseudoZernike}) {
    for (const Method method : {Method::kSubregion, Method::kGauss}) {
      const int size = 50;
      const auto image = random_image(size, kPolarForwardSeed + 2);
      const MomentSpec spec{family, 75, method, 3};
      PlanOptions options;
      options.device.kind = DeviceChoice::Kind::kCpu;
      const auto expected = moments_of(*make_moment_plan(spec, size, options), image);
      // 1e-12: the same sums up to the error of 14 cells
      EXPECT_LT(relative_l2(direct(spec, image, size), expected), 1e-12) << describe(spec);
    }
  }
}

// oracle: one pixel at a time, the recurrence in long double
TEST(DirectMoments, SinglePixelsAreTheKernelToOrder1000) {
  const int size = 24;
  for (const Family family : {Family::kZernike, Family::kPseudoZernike}) {
    const int order = 1000;
    auto plan = polar_plan({family, order}, size);
    for (const int column : {11, 5, 21}) {
      const int row = 9;
      std::vector<double> image(static_cast<std::size_t>(size) * size, 0.0);
      image[static_cast<std::size_t>(row) * size + column] = 1.0;
      const auto got = moments_of(plan, image);
      const long double x = (2.0L * column + 1 - size) / size;
      const long double y = (size - 1 - 2.0L * row) / size;
      const long double rho = std::sqrt(x * x + y * y);
      const long double theta = std::atan2(y, x);
      const long double pi = std::acos(-1.0L);
      const auto radial = oracle::radial_table(family, order, rho);
      std::vector<std::complex<long double>> expected;
      for (const auto& [n, m] : plan.indices()) {
        const long double value = (n + 1) / pi * 4 / size / size * radial[n][m];
        expected.emplace_back(value * std::cos(m * theta), -value * std::sin(m * theta));
      }
      // 2e-12: angles m theta, m <= 1000, carry rounding errors of 1000 * 1e-16 each; radial
      // polynomials as much for each of their up to 1000 oscillations
      EXPECT_LT(relative_l2(got, expected), 2e-12) << family_name(family) << " column " << column;
    }
  }
}

// invariant: the sums do not depend on the number of threads
TEST(DirectMoments, ThreadsDoNotChangeABit) {
  const int size = 64;
  const auto image = random_image(size, kPolarForwardSeed + 3);
  const int before = thread_count();
  set_thread_count(1);
  const auto one = direct({Family::kZernike, 80}, image, size);
  set_thread_count(3);
  const auto three = direct({Family::kZernike, 80}, image, size);
  set_thread_count(before);
  EXPECT_EQ(one, three);
}

// oracle: the bound holds wherever it is claimed, checked with long double values
TEST(PolarPlan, NegligibleValuesAreNegligible) {
  for (const Family family : {Family::kZernike, Family::kPseudoZernike}) {
    const int order = 120;
    int negligible = 0;
    for (const double rho : {1e-3, 0.02, 0.1, 0.3, 0.5, 0.7, 0.9, 0.97}) {
      const auto radial = oracle::radial_table(family, order, rho);
      for (int m = 0; m <= order; ++m) {
        if (!is_negligible(family, order, m, rho)) continue;
        ++negligible;
        for (int n = m; n <= order; ++n) {
          EXPECT_LT(std::abs(radial[n][m]), 0x1p-60L) << n << " " << m << " " << rho;
        }
      }
    }
    EXPECT_GT(negligible, 100) << "the bound must cut something off";
  }
}

// invariant: polynomials of an order far beyond where rho^m as a start underflows in double
TEST(PolarPlan, RadialPolynomialsSurviveUnderflow) {
  // At rho = 0.36 and m = 1000 the start is 1e-444; R_{3000,1000} there is not small.
  const int order = 3000;
  const int m = 1000;
  const PolarPlan plan(Family::kZernike, order);
  NodeRecurrence recurrence(plan, m);
  std::vector<double> last(2 * static_cast<std::size_t>((order - m) / 2 + 1), 0.0);
  last[last.size() - 2] = 1.0;
  std::vector<double> a;
  std::vector<double> b;
  recurrence.values(spread_kernels(), last, a, b);
  const RadialRecurrence reference(Family::kZernike, m, order);
  int compared = 0;
  for (std::size_t g = 0; g < plan.node_count(m); ++g) {
    const long double rho = plan.node_radius()[g];
    long double before = 0.0L;
    long double current = std::pow(rho, static_cast<long double>(m));
    if (current > 1e-300L) continue;
    ++compared;
    for (int i = 1; i < reference.count(); ++i) {
      const auto at = static_cast<std::size_t>(i);
      const long double next = (reference.slope[at] * rho * rho + reference.shift[at]) * current +
                               reference.back[at] * before;
      before = current;
      current = next;
    }
    // 1e-11: rounding of 1000 steps of the recurrence, and the coefficients' own
    EXPECT_NEAR(a[g], static_cast<double>(current), 1e-11) << g;
  }
  EXPECT_GT(compared, 10);
}

// oracle: many more Gauss points; and the claim that adaptive points beat k = 11 with fewer points
TEST(AdaptivePoints, AreFarCloserThanElevenSubregions) {
  for (const Family family : {Family::kZernike, Family::kPseudoZernike}) {
    for (const int size : {48, 33}) {
      const int order = 60;
      auto image = random_image(size, kPolarForwardSeed + 4);
      // The mask of k sub-regions has a few more pixels; with those empty only the quadrature
      // differs.
      const DiskGrid disk(size, Mask::kWhole);
      for (std::size_t p = 0; p < image.size(); ++p) {
        if (disk.mask().pixels()[p] == 0) image[p] = 0.0;
      }
      // Every pixel as four: the same function, with the kink of pseudo-Zernike polynomials at the
      // centre on a corner, where it hardly affects Gauss points.
      std::vector<double> doubled(4 * image.size());
      for (int j = 0; j < 2 * size; ++j) {
        for (int i = 0; i < 2 * size; ++i) {
          doubled[static_cast<std::size_t>(j) * 2 * size + i] = image[j / 2 * size + i / 2];
        }
      }
      const auto dense = direct({family, order, Method::kGauss, 40}, doubled, 2 * size);
      const auto adaptive = direct({family, order, Method::kAdaptive}, image, size);
      const auto eleven = direct({family, order, Method::kSubregion, 11}, image, size);
      // Errors are relative to the root of the sum of all squares. The tolerance is 1e-5 for the
      // fastest wave; most are slower.
      EXPECT_LT(relative_l2(adaptive, dense), 1e-5) << family_name(family) << " N=" << size;
      EXPECT_GT(relative_l2(eleven, dense), 100 * relative_l2(adaptive, dense));
      EXPECT_LT(OctantPoints({family, order, Method::kAdaptive}, size).points(),
                OctantPoints({family, order, Method::kSubregion, 11}, size).points() * 2 / 3);
    }
  }
}

// agreement: with the closed-form integrals of the exact method
TEST(AdaptivePoints, AgreeWithTheExactMethod) {
  for (const int size : {8, 9}) {
    const auto image = random_image(size, kPolarForwardSeed + 5);
    const auto exact = moments_of(*cpu_plan({Family::kZernike, 6, Method::kExact}, size), image);
    // 1e-5: the tolerance for which the points are chosen
    EXPECT_LT(relative_l2(direct({Family::kZernike, 6, Method::kAdaptive}, image, size), exact),
              1e-5);
  }
}

// mechanics: the choice of algorithm for large bases
TEST(DirectMoments, AreChosenWhereABasisWouldNotFit) {
  EXPECT_TRUE(has_folded_basis({{Family::kPseudoZernike, 30}, 64}));
  EXPECT_FALSE(has_folded_basis({{Family::kPseudoZernike, 200}, 512}));
  for (const auto& [order, size, name] :
       {std::tuple{12, 64, "algorithm folded"}, {200, 512, "algorithm polar"}}) {
    std::string chosen;
    PlanOptions options = options_for(DeviceChoice::Kind::kCpu);
    options.log = [&chosen](const std::string& line) { chosen = line; };
    make_moment_plan({Family::kPseudoZernike, order}, size, options)
        ->prepare(MomentPlan::Direction::kMoments);
    EXPECT_NE(chosen.find(name), std::string::npos) << chosen;
  }
}

// mechanics: what is refused, and how.
TEST(DirectMoments, BadSpecificationsAreRefused) {
  EXPECT_THROW(make_polar_forward({Family::kZernike, -1}, 8), UsageError);
  EXPECT_THROW(make_polar_forward({Family::kZernike, 4}, 1), UsageError);
  EXPECT_THROW(make_polar_forward({Family::kBesselFourier, 4}, 8), UsageError);
  EXPECT_THROW(make_polar_forward({Family::kZernike, 4, Method::kSubregion, 0}, 8), UsageError);
}

}  // namespace
}  // namespace leafglyph
