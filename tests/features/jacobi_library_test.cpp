// Jacobi polynomials and their integrals over pixels against Boost.Math.
#include <gtest/gtest.h>

#include <boost/math/quadrature/gauss_kronrod.hpp>
#include <boost/math/quadrature/tanh_sinh.hpp>
#include <boost/math/special_functions/beta.hpp>
#include <boost/math/special_functions/gamma.hpp>
#include <boost/math/special_functions/gegenbauer.hpp>
#include <boost/math/special_functions/jacobi.hpp>
#include <boost/math/special_functions/legendre.hpp>
#include <cmath>
#include <numbers>

#include "features/moments/jacobi_polynomials.h"

namespace leafglyph {
namespace {

using boost::math::tgamma;

// rho_n of the textbook
long double norm(const JacobiWeight& w, int n) {
  const long double a = w.alpha;
  const long double b = w.beta;
  const long double logarithm = std::lgamma(n + a + 1) + std::lgamma(n + b + 1) -
                                std::lgamma(n + a + b + 1) - std::lgamma(n + 1.0L);
  return std::pow(2.0L, a + b + 1) / (2 * n + a + b + 1) * std::exp(logarithm);
}

long double orthonormal(const JacobiWeight& w, int n, long double x) {
  std::vector<long double> values(n + 1);
  JacobiRecurrence(w, n).evaluate(x, values);
  return values[n];
}

// oracle: Boost's polynomials, the norm by gamma functions
TEST(JacobiLibrary, PolynomialsAgreeWithBoost) {
  for (const JacobiWeight& w :
       {JacobiWeight{0.3, 0.3}, JacobiWeight{0.3, 0.7}, JacobiWeight{2.0, -0.4}}) {
    for (int n : {0, 1, 2, 3, 10, 50}) {
      for (long double x : {-0.99L, -0.5L, 0.0L, 0.1L, 0.73L, 1.0L}) {
        const long double expected =
            boost::math::jacobi<long double>(n, w.alpha, w.beta, x) / std::sqrt(norm(w, n));
        // 1e-14: values up to 30, from both recurrences in long double
        EXPECT_LT(std::abs(orthonormal(w, n, x) - expected), 1e-14L) << n << ' ' << double(x);
      }
    }
  }
}

// oracle: the named special cases
TEST(JacobiLibrary, LegendreAndGegenbauerAreJacobiCases) {
  for (int n : {0, 1, 2, 7, 40}) {
    for (long double x : {-1.0L, -0.6L, 0.05L, 0.9L}) {
      const long double legendre = boost::math::legendre_p(n, x) * std::sqrt(n + 0.5L);
      EXPECT_LT(std::abs(orthonormal({}, n, x) - legendre), 1e-15L) << n;
      for (double g : {0.2, 0.5, 1.0, 2.5}) {
        // C_n^(g) and P_n^(g-1/2, g-1/2) differ by a factor, so unit norms must make them equal
        const long double value = boost::math::gegenbauer<long double>(n, g, x);
        const long double square =
            std::numbers::pi_v<long double> * std::pow(2.0L, 1.0L - 2.0L * g) *
            tgamma(n + 2.0L * g) /
            (tgamma(n + 1.0L) * (n + 1.0L * g) * tgamma(1.0L * g) * tgamma(1.0L * g));
        EXPECT_LT(std::abs(orthonormal(gegenbauer_weight(g), n, x) - value / std::sqrt(square)),
                  1e-13L * (1.0L + std::abs(value / std::sqrt(square))))
            << n << ' ' << g;
      }
    }
  }
}

// oracle: adaptive quadrature; the two end pixels, where the weight is singular, by tanh-sinh
TEST(JacobiLibrary, ExactIntegralsAgreeWithAdaptiveQuadrature) {
  const int length = 64;
  const int order = 100;
  for (const JacobiWeight& w : {JacobiWeight{0.0, 0.0}, JacobiWeight{0.3, 0.3},
                                JacobiWeight{0.3, 0.7}, JacobiWeight{-0.5, 1.5}}) {
    const AxisTables axis = jacobi_axis_tables(w, length, order, Method::kExact, 1, false);
    const JacobiRecurrence recurrence(w, order);
    boost::math::quadrature::tanh_sinh<long double> at_ends;
    for (int n : {0, 1, 2, 17, 50, 100}) {
      std::vector<long double> values(order + 1);
      // in the distance t from the nearer end, so that 1 - x keeps its digits there
      const auto from_end = [&](long double t, bool right) {
        recurrence.evaluate(right ? 1.0L - t : t - 1.0L, values);
        return std::pow(t, 1.0L * (right ? w.alpha : w.beta)) *
               std::pow(2.0L - t, 1.0L * (right ? w.beta : w.alpha)) * values[n];
      };
      for (int i : {0, 1, 5, 31, 32, 50, 62, 63}) {
        const bool right = i >= length / 2;
        const long double near = 2.0L * (right ? length - 1 - i : i) / length;
        const long double far = near + 2.0L / length;
        const auto f = [&](long double t) { return from_end(t, right); };
        const long double expected =
            near == 0.0L ? at_ends.integrate(f, near, far)
                         : boost::math::quadrature::gauss_kronrod<long double, 31>::integrate(
                               f, near, far, 12, 1e-16L);
        EXPECT_LT(std::abs(axis.integrals[n * length + i] - expected),
                  1e-12L * std::abs(expected) + 1e-15L)
            << "n=" << n << " pixel " << i << " alpha=" << w.alpha << " beta=" << w.beta;
      }
    }
  }
}

// oracle: Boost's incomplete beta function, also for very uneven weights
TEST(JacobiLibrary, WeightIntegralsAgreeWithBoost) {
  for (const JacobiWeight& w : {JacobiWeight{-0.9, 0.0}, JacobiWeight{20.0, 15.0},
                                JacobiWeight{0.3, 0.7}, JacobiWeight{-0.99, 40.0}}) {
    for (long double x : {-0.999L, -0.5L, 0.0L, 0.3L, 0.9L, 1.0L}) {
      const long double expected =
          std::pow(2.0L, 1.0L + w.alpha + w.beta) *
          boost::math::beta(w.beta + 1.0L, w.alpha + 1.0L, (1.0L + x) / 2.0L);
      const long double got = jacobi_weight_integral(w, x);
      // long double on both sides; above 0 the integral is the total minus that from the other end
      const long double total = jacobi_weight_integral(w, 1.0L);
      EXPECT_LT(std::abs(got - expected), 1e-15L * expected + (x > 0 ? 5e-18L * total : 0.0L))
          << w.alpha << ' ' << double(x);
    }
  }
}

}  // namespace
}  // namespace leafglyph
