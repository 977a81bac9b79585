#include "features/moments/radial.h"

#include <gtest/gtest.h>

#include <cmath>

#include "features/moments/moment_spec.h"
#include "tests/support/moment_oracle.h"

namespace leafglyph {
namespace {

// oracle: long double, another recurrence (over n and m at once)
TEST(Radial, AgreesWithTheOracleToOrder60) {
  std::vector<double> values;
  for (const Family family : {Family::kZernike, Family::kPseudoZernike}) {
    const int order = 60;
    for (const double rho : {0.0, 1e-3, 0.1, 0.37, 0.5, 0.77, 0.95, 0.999, 1.0}) {
      const auto expected = oracle::radial_table(family, order, rho);
      for (int m = 0; m <= order; ++m) {
        const RadialRecurrence recurrence(family, m, order);
        radial_values(recurrence, rho, values);
        for (int i = 0; i < recurrence.count(); ++i) {
          const int n = recurrence.order_of(i);
          // 1e-12 of the family's largest value, n + 1 at the centre for pseudo-Zernike
          const double scale = family == Family::kZernike ? 1.0 : n + 1.0;
          EXPECT_NEAR(values[i], static_cast<double>(expected[n][m]), 1e-12 * scale)
              << family_name(family) << " n=" << n << " m=" << m << " rho=" << rho;
        }
      }
    }
  }
}

// oracle: closed forms written out by hand
TEST(Radial, LowOrdersAreTheKnownPolynomials) {
  std::vector<double> values;
  for (const double r : {0.0, 0.25, 0.6, 1.0}) {
    radial_values(RadialRecurrence(Family::kZernike, 0, 4), r, values);
    ASSERT_EQ(values.size(), 3U);
    // 1e-15: a few roundings of numbers up to 6
    EXPECT_NEAR(values[1], 2 * r * r - 1, 1e-15);
    EXPECT_NEAR(values[2], 6 * r * r * r * r - 6 * r * r + 1, 2e-15);
    radial_values(RadialRecurrence(Family::kPseudoZernike, 1, 3), r, values);
    ASSERT_EQ(values.size(), 3U);
    EXPECT_NEAR(values[1], 5 * r * r - 4 * r, 2e-15);
    EXPECT_NEAR(values[2], 21 * r * r * r - 30 * r * r + 10 * r, 1e-14);
  }
}

// oracle: the numbers of moments that the publications state.
TEST(MomentSpec, CountsAreThoseOfTheLiterature) {
  const int orders[] = {6, 8, 10, 15, 20, 30, 40, 50};
  const std::size_t counts[] = {16, 25, 36, 72, 121, 256, 441, 676};
  for (int i = 0; i < 8; ++i) {
    EXPECT_EQ(moment_count(Family::kZernike, orders[i]), counts[i]);
    EXPECT_EQ(moment_indices(Family::kZernike, orders[i]).size(), counts[i]);
  }
  EXPECT_EQ(moment_count(Family::kPseudoZernike, 5), 21U);
}

// agreement: positions by formula and in the list.
TEST(MomentSpec, PositionsAreThoseOfTheList) {
  for (const Family family : {Family::kZernike, Family::kPseudoZernike}) {
    const auto indices = moment_indices(family, 23);
    for (std::size_t c = 0; c < indices.size(); ++c) {
      EXPECT_EQ(moment_position(family, indices[c].n, indices[c].m), c);
    }
  }
}

}  // namespace
}  // namespace leafglyph
