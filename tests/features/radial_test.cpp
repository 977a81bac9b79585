#include "features/moments/radial.h"

#include <gtest/gtest.h>

#include <cmath>
#include <complex>
#include <numbers>

#include "features/moments/disk_grid.h"
#include "features/moments/moment_spec.h"
#include "tests/support/moment_oracle.h"

namespace leafglyph {
namespace {

// oracle: long double with another recurrence (over n and m at once)
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

// invariant: over the disk with weight rho, R_nm and R_n'm of the same m are orthogonal, and the
// square of R_nm has the integral 1 / (2 (n + 1)). Gauss-Legendre points of half the degree are
// exact.
TEST(Radial, PolynomialsOfOneRepetitionAreOrthogonal) {
  const int order = 60;
  const PixelQuadrature rule = gauss_legendre_rule(order + 1);  // degree 2 order + 1
  for (const Family family : {Family::kZernike, Family::kPseudoZernike}) {
    for (const int m : {0, 1, 7, 30, 60}) {
      const RadialRecurrence recurrence(family, m, order);
      std::vector<std::vector<double>> rows;
      for (const long double node : rule.nodes) {
        radial_values(recurrence, static_cast<double>((1 + node) / 2), rows.emplace_back());
      }
      for (int a = 0; a < recurrence.count(); ++a) {
        for (int b = 0; b <= a; ++b) {
          double sum = 0.0;
          for (std::size_t p = 0; p < rows.size(); ++p) {
            sum += static_cast<double>(rule.weights[p] * (1 + rule.nodes[p]) / 4) * rows[p][a] *
                   rows[p][b];
          }
          const double expected = a == b ? 1.0 / (2.0 * (recurrence.order_of(a) + 1.0)) : 0.0;
          // radial values to 1e-12 of values up to n + 1, which occur near the centre, where rho
          // weighs little
          EXPECT_NEAR(sum, expected, 1e-12) << family_name(family) << " m=" << m << " " << a << b;
        }
      }
    }
  }
}

// invariant: V_nm = R_nm e^{j m theta} are orthogonal on the disk, with squares of pi / (n + 1),
// for both signs of m. Gauss-Legendre radii and equally spaced angles are exact.
TEST(Radial, KernelsAreOrthogonalOnTheDisk) {
  const int order = 10;
  const int angles = 2 * order + 1;
  const PixelQuadrature rule = gauss_legendre_rule(order + 1);
  for (const Family family : {Family::kZernike, Family::kPseudoZernike}) {
    std::vector<MomentIndex> kernels = moment_indices(family, order);
    const std::size_t stored = kernels.size();
    for (std::size_t c = 0; c < stored; ++c) {
      if (kernels[c].m > 0) kernels.push_back({kernels[c].n, -kernels[c].m});
    }
    std::vector<std::vector<std::complex<double>>> values(kernels.size());
    std::vector<double> weights;
    for (std::size_t p = 0; p < rule.nodes.size(); ++p) {
      const double rho = static_cast<double>((1 + rule.nodes[p]) / 2);
      const auto radial = oracle::radial_table(family, order, rho);
      for (int t = 0; t < angles; ++t) {
        const double theta = 2.0 * std::numbers::pi * t / angles;
        weights.push_back(static_cast<double>(rule.weights[p]) / 2 * rho * 2.0 * std::numbers::pi /
                          angles);
        for (std::size_t c = 0; c < kernels.size(); ++c) {
          const auto [n, m] = kernels[c];
          values[c].push_back(
              std::polar(1.0, m * theta) *
              static_cast<double>(
                  radial[static_cast<std::size_t>(n)][static_cast<std::size_t>(std::abs(m))]));
        }
      }
    }
    for (std::size_t a = 0; a < kernels.size(); ++a) {
      for (std::size_t b = 0; b <= a; ++b) {
        std::complex<double> sum = 0.0;
        for (std::size_t p = 0; p < weights.size(); ++p) {
          sum += weights[p] * values[a][p] * std::conj(values[b][p]);
        }
        const double expected = a == b ? std::numbers::pi / (kernels[a].n + 1) : 0.0;
        EXPECT_LT(std::abs(sum - expected), 1e-12)  // a few hundred roundings
            << family_name(family) << ": " << kernels[a].n << "," << kernels[a].m << " and "
            << kernels[b].n << "," << kernels[b].m;
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

// oracle: the numbers of moments stated in publications.
TEST(MomentSpec, CountsAreThoseOfTheLiterature) {
  const int orders[] = {6, 8, 10, 15, 20, 30, 40, 50};
  const std::size_t counts[] = {16, 25, 36, 72, 121, 256, 441, 676};
  for (int i = 0; i < 8; ++i) {
    EXPECT_EQ(moment_count(Family::kZernike, orders[i]), counts[i]);
    EXPECT_EQ(moment_indices(Family::kZernike, orders[i]).size(), counts[i]);
  }
  EXPECT_EQ(moment_count(Family::kPseudoZernike, 5), 21U);
}

// agreement: positions from the formula and from the list.
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
