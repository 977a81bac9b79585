#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <numbers>

#include "features/base/errors.h"
#include "features/moments/disk_grid.h"
#include "features/moments/moment_spec.h"
#include "features/moments/radial.h"

namespace leafglyph {
namespace {

// mechanics: positions number the indices, and lower orders are prefixes
TEST(MomentSpec, BesselFourierIndicesAreShellsOfTheLargerIndex) {
  const auto indices = moment_indices(Family::kBesselFourier, 9);
  ASSERT_EQ(indices.size(), moment_count(Family::kBesselFourier, 9));
  for (std::size_t c = 0; c < indices.size(); ++c) {
    EXPECT_EQ(moment_position(Family::kBesselFourier, indices[c].n, indices[c].m), c);
    EXPECT_GE(indices[c].n, 1);
    const int shell = std::max(indices[c].n, indices[c].m);
    EXPECT_LT(c, moment_count(Family::kBesselFourier, shell));
    EXPECT_GE(c, moment_count(Family::kBesselFourier, shell - 1));
  }
  EXPECT_EQ(family_from_name("bessel-fourier"), Family::kBesselFourier);
  EXPECT_THROW(validate({Family::kBesselFourier, 0}), UsageError);
}

// mechanics: what no machine can compute is refused, what researchers compute is not
TEST(MomentSpec, AbsurdNumbersAreRefused) {
  const int huge = std::numeric_limits<int>::max();
  for (const Family family : {Family::kZernike, Family::kPseudoZernike, Family::kLegendre}) {
    EXPECT_NO_THROW(validate({family, 10000, Method::kSubregion, 40}));
    EXPECT_THROW(validate({family, is_circular(family) ? 10001 : 100001}), UsageError);
    EXPECT_THROW(validate({family, huge}), UsageError);
  }
  EXPECT_NO_THROW(validate({Family::kBesselFourier, 5000, Method::kAdaptive}));
  EXPECT_THROW(validate({Family::kBesselFourier, 5001}), UsageError);
  for (const Method method : {Method::kSubregion, Method::kGauss}) {
    EXPECT_NO_THROW(validate({Family::kZernike, 4, method, 1000}));
    EXPECT_THROW(validate({Family::kZernike, 4, method, 1001}), UsageError);
    EXPECT_THROW(validate({Family::kZernike, 4, method, huge}), UsageError);
  }
  EXPECT_NO_THROW(validate({Family::kZernike, 4, Method::kExact, huge}));  // k is ignored
  EXPECT_THROW(validate(JacobiWeight{1e18, 1e18}), UsageError);
  EXPECT_THROW(gegenbauer_weight(1e18), UsageError);
  EXPECT_THROW(validate_image_size(1), UsageError);
  EXPECT_NO_THROW(validate_image_size(46340));
  EXPECT_THROW(validate_image_size(46341), UsageError);  // 46341^2 is above 2^31
}

// oracle: the integral of x^p over [-1, 1], exact for p <= 2 k - 1
TEST(PixelQuadrature, GaussIntegratesPolynomialsExactly) {
  for (const int points : {1, 2, 5, 12, 40}) {
    const auto rule = gauss_legendre_rule(points);
    for (int power = 0; power < 2 * points; ++power) {
      long double sum = 0.0L;
      for (int s = 0; s < points; ++s) sum += rule.weights[s] * std::pow(rule.nodes[s], power);
      const long double exact = power % 2 == 0 ? 2.0L / (power + 1) : 0.0L;
      // 1e-16: rounding of long double over 40 terms
      EXPECT_LE(std::abs(sum - exact), 1e-16L) << points << " points, power " << power;
    }
  }
}

// oracle: the first zeros of J_1 to 16 digits (DLMF table 10.21); J_1 vanishes there up to rounding
TEST(Bessel, ZerosOfJ1) {
  const auto zeros = bessel_j1_zeros(1000);
  EXPECT_DOUBLE_EQ(zeros[0], 3.831705970207512);
  EXPECT_DOUBLE_EQ(zeros[1], 7.015586669815619);
  EXPECT_DOUBLE_EQ(zeros[9], 32.18967991097440);
  for (std::size_t n = 0; n < zeros.size(); ++n) {
    // |J_1'| = sqrt(2 / (pi x)) at a zero: 1e-16 times x from rounding the argument, plus J_1's own
    // error
    const double slope = std::sqrt(2.0 / (std::numbers::pi * zeros[n]));
    EXPECT_LE(std::abs(bessel_j1(zeros[n])), 2.3e-16 * zeros[n] * slope + 1e-16) << n;
    if (n > 0) {
      EXPECT_NEAR(zeros[n] - zeros[n - 1], std::numbers::pi, 0.05) << n;  // none is skipped
    }
  }
  EXPECT_THROW(bessel_j1_zeros(-1), UsageError);
}

// invariant: the family is orthogonal, 2 pi norm_i * integral of J_1(l_i r) J_1(l_j r) r dr = [i=j]
TEST(RadialBasis, BesselFourierRadialPartsAreOrthonormal) {
  const int order = 60;
  const RadialFunctions basis = radial_basis(Family::kBesselFourier, {}, order);
  const auto zeros = bessel_j1_zeros(order);
  // 100 points integrate the product of two half-oscillations per unit exactly to rounding
  const auto rule = gauss_legendre_rule(160);
  std::vector<std::vector<double>> gram(order, std::vector<double>(order, 0.0));
  std::vector<double> values(moment_count(Family::kBesselFourier, order));
  for (int s = 0; s < rule.points(); ++s) {
    const auto r = static_cast<double>((1.0L + rule.nodes[s]) / 2.0L);
    const auto weight = static_cast<double>(rule.weights[s] / 2.0L);
    basis(r, values);
    for (int i = 0; i < order; ++i) {
      const double left = values[moment_position(Family::kBesselFourier, i + 1, 0)];
      for (int j = 0; j < order; ++j) {
        gram[i][j] += 2.0 * std::numbers::pi * weight * r * left * bessel_j1(zeros[j] * r);
      }
    }
  }
  for (int i = 0; i < order; ++i) {
    // 1e-12: norms grow to 3e2; J_1 is accurate to 1e-16 and its argument to 2e-14 at order 60
    for (int j = 0; j < order; ++j) EXPECT_NEAR(gram[i][j], i == j ? 1.0 : 0.0, 1e-12);
  }
}

}  // namespace
}  // namespace leafglyph
