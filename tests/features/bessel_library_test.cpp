// Our zeros of J_1, and the C library's J_1, against Boost.Math.
#include <gtest/gtest.h>

#include <boost/math/special_functions/bessel.hpp>
#include <cmath>
#include <random>

#include "features/bessel_fourier/radial_rings.h"
#include "features/moments/radial.h"

namespace leafglyph {
namespace {

// oracle: Boost's zeros
TEST(BesselLibrary, ZerosAgreeWithBoost) {
  const auto zeros = bessel_j1_zeros(1500);
  for (int n = 1; n <= 1500; ++n) {
    const double expected = boost::math::cyl_bessel_j_zero(1.0, n);
    // 4e-16: the neighbouring double, or the one after it
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

// oracle: the ring polynomials at order 1000, margins included, against Boost's J_1
TEST(BesselLibrary, RingPolynomialsAreJ1) {
  constexpr int kOrder = 1000;
  const auto zeros = bessel_j1_zeros(kOrder);
  std::mt19937 generator(20240603);
  std::uniform_real_distribution<double> coordinate(-1.0, 1.0);
  for (const double margin : {0.0, 0.0014, 0.004}) {
    const RadialRings rings(ring_functions({Family::kBesselFourier, kOrder}), margin);
    const std::vector<double> table = rings.table();
    std::uniform_int_distribution<std::size_t> any_ring(0, rings.rings() - 1);
    for (int i = 0; i < 500; ++i) {
      const std::size_t ring = any_ring(generator);
      const double t = i < 2 ? 2.0 * i - 1.0 : coordinate(generator);
      const double rho = rings.centre(ring) + t / rings.inverse_half_width();
      EXPECT_NEAR(rings.place(rho, ring), t, 1e-11);  // the half width is at least 1e-3
      for (int n : {1, 10, 500, 999, 1000}) {
        double sum = 0.0;
        for (std::size_t k = 0; k < rings.terms(); ++k) {
          sum += table[(n - 1) * rings.row_length() + ring * rings.terms() + k] *
                 std::cos(static_cast<double>(k) * std::acos(t));
        }
        const auto expected =
            static_cast<double>(boost::math::cyl_bessel_j(1, 1.0L * zeros[n - 1] * rho));
        // 1e-12: the argument lambda rho, up to 3150, is itself only good to 4e-13 in double
        EXPECT_NEAR(sum, expected, 1e-12) << n << ' ' << rho;
      }
    }
  }
}

}  // namespace
}  // namespace leafglyph
