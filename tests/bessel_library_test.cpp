// Our zeros of J_1, and the C library's J_1, against Boost.Math.
#include <gtest/gtest.h>

#include <algorithm>
#include <boost/math/special_functions/bessel.hpp>
#include <cmath>
#include <random>

#include "features/bessel.h"
#include "features/radial_rings.h"

namespace leafglyph {
namespace {

// oracle: Boost's zeros
TEST(BesselLibrary, ZerosAgreeWithBoost) {
  const auto zeros = bessel_j1_zeros(1500);
  for (int n = 1; n <= 1500; ++n) {
    const double expected = boost::math::cyl_bessel_j_zero(1.0, n);
    // 4e-16: the double next to it or one beside
    EXPECT_LE(std::abs(zeros[n - 1] - expected), 4e-16 * expected) << n;
  }
}

// oracle: Boost's J_1 in long double, to the arguments of order 1000
TEST(BesselLibrary, J1AgreesWithBoost) {
  std::mt19937 generator(20240602);
  std::uniform_real_distribution<double> argument(0.0, 3200.0);
  for (int i = 0; i < 2000; ++i) {
    const double x = argument(generator);
    const auto expected = static_cast<double>(boost::math::cyl_bessel_j(1, 1.0L * x));
    EXPECT_LE(std::abs(bessel_j1(x) - expected), 4e-16) << x;  // a few roundings of numbers below 1
  }
}

// oracle: the ring polynomials at order 1000 against Boost's J_1
TEST(BesselLibrary, RingPolynomialsAreJ1) {
  constexpr int kOrder = 1000;
  const RadialRings rings(kOrder);
  const auto zeros = bessel_j1_zeros(kOrder);
  std::mt19937 generator(20240603);
  std::uniform_real_distribution<double> radius(0.0, 1.0);
  for (int i = 0; i < 2000; ++i) {
    const double rho = i == 0 ? 0.0 : i == 1 ? 1.0 : radius(generator);
    const std::size_t ring = rings.ring_of(rho);
    const double t = rings.coordinate(rho, ring);
    for (int n : {1, 10, 500, 999, 1000}) {
      double sum = 0.0;
      for (std::size_t k = 0; k < RadialRings::kRingTerms; ++k) {
        sum += rings.table()[(n - 1) * rings.row_length() + ring * RadialRings::kRingTerms + k] *
               std::cos(static_cast<double>(k) * std::acos(std::clamp(t, -1.0, 1.0)));
      }
      // 5e-13: the argument lambda rho, up to 3142, is itself only good to 4e-13 in double
      EXPECT_NEAR(sum, static_cast<double>(boost::math::cyl_bessel_j(1, 1.0L * zeros[n - 1] * rho)),
                  5e-13)
          << n << ' ' << rho;
    }
  }
}

}  // namespace
}  // namespace leafglyph
