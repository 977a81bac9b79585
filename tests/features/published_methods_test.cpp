// The CPU versions of methods from the literature, against the definition in long double.
#include "tools/literature/cpu/zernike_methods.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "features/base/errors.h"
#include "features/base/statistics.h"
#include "tests/support/moment_oracle.h"
#include "tests/support/random_image.h"
#include "tools/literature/cpu/disk_samples.h"
#include "tools/literature/cpu/sample_tables.h"

namespace leafglyph::published {
namespace {

constexpr unsigned kPublishedMethodsSeed = 20261122;

constexpr RadialMethod kMethods[] = {RadialMethod::kDirect,     RadialMethod::kKintner,
                                     RadialMethod::kQRecursive, RadialMethod::kPrata,
                                     RadialMethod::kSinghPrata, RadialMethod::kDeng};

// oracle: the definition, with and without symmetry, with and without a centre pixel
TEST(PublishedMethods, AgreeWithTheDefinition) {
  for (const auto& [family, order] :
       {std::pair{Family::kZernike, 20}, {Family::kPseudoZernike, 9}}) {
    for (const int size : {16, 21}) {
      const auto image = random_image(size, kPublishedMethodsSeed);
      for (const int k : {1, 3}) {
        const auto expected = oracle::moments(family, order, k, image, size);
        for (const RadialMethod method : kMethods) {
          if (!supports(method, family)) continue;
          for (const Symmetry symmetry : {Symmetry::kNone, Symmetry::kEightfold}) {
            const auto got = zernike_moments(family, method, symmetry, Precision::kDouble, order, k,
                                             image, size);
            // factorial sums of order 20 (pseudo-Zernike: 9) cancel terms up to 1e7; the other
            // methods are stable
            EXPECT_LT(relative_l2(got, expected), 1e-8)
                << radial_method_name(method) << ", " << family_name(family) << ", N = " << size
                << ", k = " << k << ", seed " << kPublishedMethodsSeed;
            const auto single =
                zernike_moments(family, method, symmetry, Precision::kFloat, order, k, image, size);
            EXPECT_GT(relative_l2(single, expected), relative_l2(got, expected))
                << radial_method_name(method);
          }
        }
      }
    }
  }
}

// oracle: the samples of the disk, whose pixels lie in it whole, and powers in double
TEST(PublishedMethods, TablesAreThoseOfTheSamples) {
  const int size = 27;
  const PolarTables tables = polar_tables(size);
  const std::vector<double> image(static_cast<std::size_t>(size) * size, 1.0);
  for (const DiskSample& sample : whole_disk(image, size, 1).samples) {
    const auto column = static_cast<std::size_t>(std::lround((sample.x * size + size - 1) / 2));
    const auto row = static_cast<std::size_t>(std::lround((size - 1 - sample.y * size) / 2));
    const std::size_t p = row * size + column;
    EXPECT_NEAR(tables.rho[p], std::hypot(sample.x, sample.y), 1e-6) << p;  // float roundings
    EXPECT_NEAR(std::cos(tables.theta[p]) * tables.rho[p], sample.x, 1e-6) << p;
    EXPECT_NEAR(std::sin(tables.theta[p]) * tables.rho[p], sample.y, 1e-6) << p;
  }
  for (std::size_t row = 0; row < size / 2; ++row) {
    for (std::size_t column = 0; column < size / 2; ++column) {
      const double x = 1.0 - 2.0 * static_cast<double>(column) / size;
      const double y = 1.0 - 2.0 * static_cast<double>(row) / size;
      EXPECT_EQ(tables.mask[row * (size / 2) + column], std::hypot(x, y) <= 1.0 ? 1.0F : 0.0F);
    }
  }
  const std::vector<float> some = {0.25F, 0.9F, 1.0F};
  const auto powers = power_table(some, 30);
  const auto exponentials = exponential_table(some, 30);
  for (std::size_t n = 0; n <= 30; ++n) {
    for (std::size_t p = 0; p < some.size(); ++p) {
      const double power = std::pow(static_cast<double>(some[p]), static_cast<double>(n));
      EXPECT_NEAR(powers[n * some.size() + p], power, 1e-6 * power);
      const auto angle = -static_cast<double>(n) * static_cast<double>(some[p]);
      // m theta is rounded to float: 30 has a unit of 2e-6
      EXPECT_NEAR(exponentials[n * some.size() + p].real(), std::cos(angle), 2e-6);
      EXPECT_NEAR(exponentials[n * some.size() + p].imag(), std::sin(angle), 2e-6);
    }
  }
}

// oracle: recurrences without factorials keep their digits at order 100, for pseudo-Zernike at 60
TEST(PublishedMethods, RecurrencesAreStable) {
  const int size = 32;
  const auto image = random_image(size, kPublishedMethodsSeed);
  for (const auto& [family, order] :
       {std::pair{Family::kZernike, 100}, {Family::kPseudoZernike, 60}}) {
    const auto expected = oracle::moments(family, order, 1, image, size);
    for (const RadialMethod method :
         {RadialMethod::kKintner, RadialMethod::kQRecursive, RadialMethod::kDeng}) {
      if (!supports(method, family)) continue;
      EXPECT_LT(relative_l2(zernike_moments(family, method, Symmetry::kEightfold,
                                            Precision::kDouble, order, 1, image, size),
                            expected),
                1e-11)  // a hundred steps, each with roundings of values up to 1, or 60 with values
                        // up to 61
          << radial_method_name(method) << ", " << family_name(family);
    }
  }
}

// mechanics: what is refused
TEST(PublishedMethods, ServeOneOrBothFamilies) {
  EXPECT_THROW(make_radial_table<double>(RadialMethod::kKintner, Family::kPseudoZernike, 3),
               UsageError);
  EXPECT_THROW(make_radial_table<float>(RadialMethod::kDeng, Family::kLegendre, 3), UsageError);
  EXPECT_THROW(make_radial_table<double>(RadialMethod::kDeng, Family::kPseudoZernike, -1),
               UsageError);
}

// regression: Prata's recurrence uses R_{n-1,m-1} alone, and its errors grow from step to step
TEST(PublishedMethods, PratasErrorsGrow) {
  const int size = 32;
  const auto image = random_image(size, kPublishedMethodsSeed);
  const auto error = [&](int order) {
    return relative_l2(
        zernike_moments(Family::kZernike, RadialMethod::kSinghPrata, Symmetry::kEightfold,
                        Precision::kDouble, order, 1, image, size),
        oracle::moments(Family::kZernike, order, 1, image, size));
  };
  EXPECT_LT(error(30), 1e-11);
  EXPECT_GT(error(60), 1e-8);
  EXPECT_GT(error(100), 1.0);
}

// regression: the limits that the literature states for factorials. In float they end at 34!; sums
// in double lose every digit at about order 45. Pseudo-Zernike sums begin with (2n + 1)!.
TEST(PublishedMethods, FactorialSumsBreakWhereTheLiteratureSays) {
  const int size = 24;
  const auto image = random_image(size, kPublishedMethodsSeed);
  const auto error = [&](Family family, Precision precision, int order) {
    return relative_l2(zernike_moments(family, RadialMethod::kDirect, Symmetry::kEightfold,
                                       precision, order, 1, image, size),
                       oracle::moments(family, order, 1, image, size));
  };
  EXPECT_TRUE(std::isfinite(error(Family::kZernike, Precision::kFloat, 34)));
  EXPECT_FALSE(std::isfinite(error(Family::kZernike, Precision::kFloat, 35)));
  EXPECT_LT(error(Family::kZernike, Precision::kDouble, 30), 1e-4);
  EXPECT_GT(error(Family::kZernike, Precision::kDouble, 48), 1.0);
  EXPECT_TRUE(std::isfinite(error(Family::kPseudoZernike, Precision::kFloat, 16)));
  EXPECT_FALSE(std::isfinite(error(Family::kPseudoZernike, Precision::kFloat, 17)));
  EXPECT_LT(error(Family::kPseudoZernike, Precision::kDouble, 15), 1e-4);
  EXPECT_GT(error(Family::kPseudoZernike, Precision::kDouble, 25), 1.0);
}

// oracle: geometric and radial geometric moments, at an order at which they keep digits
TEST(GeometricMoments, AgreeWithTheDefinitionAtLowOrders) {
  for (const int size : {12, 15}) {
    const auto image = random_image(size, kPublishedMethodsSeed);
    for (const Family family : {Family::kZernike, Family::kPseudoZernike}) {
      const auto expected = oracle::moments(family, 8, 1, image, size);
      EXPECT_LT(relative_l2(moments_from_geometric(family, Precision::kDouble, 8, 1, image, size),
                            expected),
                1e-9)  // coefficients up to 1e5 (pseudo-Zernike) with changing signs
          << family_name(family) << ", N = " << size << ", seed " << kPublishedMethodsSeed;
    }
  }
  EXPECT_THROW(moments_from_geometric(Family::kLegendre, Precision::kDouble, 3, 1, {}, 0),
               UsageError);
  EXPECT_THROW(moments_from_geometric(Family::kPseudoZernike, Precision::kDouble, 85, 1, {}, 0),
               UsageError);
}

// regression: at 64 x 64 and order 23, moments from geometric ones are useless in float, those of
// Deng's recurrence are not
TEST(GeometricMoments, BreakInFloatAtOrder23) {
  const int size = 64;
  const auto image = random_image(size, kPublishedMethodsSeed);
  const auto expected = oracle::moments(Family::kZernike, 23, 1, image, size);
  EXPECT_GT(
      relative_l2(moments_from_geometric(Family::kZernike, Precision::kFloat, 23, 1, image, size),
                  expected),
      1.0);
  EXPECT_LT(relative_l2(zernike_moments(Family::kZernike, RadialMethod::kDeng, Symmetry::kEightfold,
                                        Precision::kFloat, 23, 1, image, size),
                        expected),
            1e-5);  // float rounding in 23 steps and sums of 400 samples
}

}  // namespace
}  // namespace leafglyph::published
