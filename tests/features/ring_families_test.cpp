// The radial functions of Jacobi-Fourier moments against their sums of powers in 450 digits, and
// both families of the rings to order 500 against plain sums over points in long double.
#include <gtest/gtest.h>

#include <boost/multiprecision/cpp_bin_float.hpp>
#include <cmath>
#include <complex>
#include <vector>

#include "features/base/errors.h"
#include "features/base/statistics.h"
#include "features/moments/disk_grid.h"
#include "features/moments/jacobi_fourier.h"
#include "tests/support/plans.h"
#include "tests/support/random_image.h"

namespace leafglyph {
namespace {

constexpr unsigned kRingFamiliesSeed = 20261126;
constexpr long double kPiLong = 3.14159265358979323846264338327950288L;

using Digits = boost::multiprecision::number<boost::multiprecision::cpp_bin_float<450>>;

// J_n(p, q, r) as Ping et al. print it: the finite sum of powers, whose terms are up to 1e380 times
// its value at n = 500, and b_n by its quotients from b_0 = B(q, p - q + 1).
double sum_of_powers(const JacobiWeight& weight, int n, double radius) {
  const Digits p = weight.alpha;
  const Digits q = weight.beta;
  const Digits r = radius;
  Digits term = 1;
  Digits sum = 1;
  for (int s = 0; s < n; ++s) {
    term *= -Digits(n - s) * (p + n + s) / (Digits(s + 1) * (q + s)) * r;
    sum += term;
  }
  // ln of the beta function in long double: 1e-18 of a number near 1
  Digits b = std::exp(std::lgamma(static_cast<long double>(weight.beta)) +
                      std::lgamma(static_cast<long double>(weight.alpha) - weight.beta + 1) -
                      std::lgamma(static_cast<long double>(weight.alpha) + 1));
  for (int i = 1; i <= n; ++i) {
    b *= Digits(i) * (i + p - q) * (p + 2 * i - 2) / ((q + i - 1) * (p + i - 1) * (p + 2 * i));
  }
  const Digits w = pow(Digits(1 - r), Digits(p - q)) * pow(r, Digits(q - 1));
  return static_cast<double>(Digits(sqrt(Digits(w / (b * r))) * sum));
}

// oracle: the printed sum of powers, to order 500
TEST(RingFamilies, JacobiFourierFunctionsAreTheirSumsOfPowers) {
  constexpr int kOrder = 500;
  std::vector<double> values(kOrder + 1);
  for (const JacobiWeight& weight : {JacobiWeight{2, 2}, JacobiWeight{2, 1.5}, JacobiWeight{4, 3},
                                     JacobiWeight{1, 1}, JacobiWeight{7.3, 4.6}}) {
    const JacobiFourier functions(weight, kOrder);
    for (const double r : {1e-4, 0.03, 0.25, 0.5, 0.77, 0.98, 0.9999}) {
      functions.values(r, values);
      for (const int n : {0, 1, 2, 9, 50, 199, 499, 500}) {
        const double expected = sum_of_powers(weight, n, r);
        // 1e-13: at n = 500 the recurrence in long double multiplies its rounding by up to n^2
        EXPECT_NEAR(values[static_cast<std::size_t>(n)], expected,
                    1e-13 * std::max(1.0, std::abs(expected)))
            << "p = " << weight.alpha << ", q = " << weight.beta << ", n = " << n << ", r = " << r;
      }
    }
  }
}

// oracle: the closed form of Chebyshev-Fourier functions, (-1)^n sqrt(8/pi) ((1-r)/r)^{1/4}
// sin((n+1) a) / sin(a) with cos(a) = 2 r - 1
TEST(RingFamilies, ChebyshevFourierFunctionsAreSines) {
  constexpr int kOrder = 500;
  const JacobiFourier functions({2.0, 1.5}, kOrder);
  std::vector<double> values(kOrder + 1);
  for (const double r : {0.001, 0.1, 0.4, 0.5, 0.9, 0.999}) {
    functions.values(r, values);
    const long double angle = 2 * std::atan2(std::sqrt(1.0L - r), std::sqrt(1.0L * r));
    const long double factor = std::sqrt(8 / kPiLong) * std::pow((1.0L - r) / r, 0.25L);
    for (int n = 0; n <= kOrder; ++n) {
      const long double expected =
          (n % 2 == 0 ? factor : -factor) * std::sin((n + 1) * angle) / std::sin(angle);
      // 1e-13 of the largest value, factor / sin(angle)
      ASSERT_NEAR(values[static_cast<std::size_t>(n)], static_cast<double>(expected),
                  1e-13 * static_cast<double>(factor / std::sin(angle)))
          << n << " at " << r;
    }
  }
}

// invariant: the integral of J_n J_k r over [0, 1] is 1 for n = k and otherwise 0
TEST(RingFamilies, JacobiFourierFunctionsAreOrthonormal) {
  constexpr int kOrder = 60;
  const auto rule = gauss_legendre_rule(160);  // of smooth functions of phi with 65 half waves
  std::vector<double> values(kOrder + 1);
  for (const JacobiWeight& weight :
       {JacobiWeight{2, 2}, JacobiWeight{2, 1.5}, JacobiWeight{5, 3}}) {
    const JacobiFourier functions(weight, kOrder);
    std::vector<double> gram((kOrder + 1) * (kOrder + 1), 0.0);
    for (int s = 0; s < rule.points(); ++s) {
      const long double phi = kPiLong * (1 + rule.nodes[static_cast<std::size_t>(s)]) / 2;
      const auto r = static_cast<double>(std::sin(phi / 2) * std::sin(phi / 2));
      functions.values(r, values);
      const auto area = static_cast<double>(rule.weights[static_cast<std::size_t>(s)] * kPiLong /
                                            2 * std::sin(phi) / 2 * r);
      for (std::size_t n = 0; n <= kOrder; ++n) {
        for (std::size_t k = 0; k <= kOrder; ++k) {
          gram[n * (kOrder + 1) + k] += area * values[n] * values[k];
        }
      }
    }
    for (std::size_t n = 0; n <= kOrder; ++n) {
      for (std::size_t k = 0; k <= kOrder; ++k) {
        // 1e-10: near the rim phi is the arc cosine of a rounded r
        ASSERT_NEAR(gram[n * (kOrder + 1) + k], n == k ? 1.0 : 0.0, 1e-10) << n << " " << k;
      }
    }
  }
}

// All radial functions of a spec at rho, in long double, by row: for exponent-Fourier those of
// n = -T ... T, conjugated.
class DirectRadials {
 public:
  explicit DirectRadials(const MomentSpec& spec) : spec_(spec) {
    const long double p = spec.weight.alpha;
    const long double q = spec.weight.beta;
    norms_.push_back(std::exp((std::lgamma(p + 1) - std::lgamma(q) - std::lgamma(p - q + 1)) / 2));
    for (int n = 1; n <= spec.order; ++n) {
      // of P_n^{(q-1, p-q)}(1 - 2 r), whose value at r = 0 is (q)_n / n!
      const long double ratio =
          (n + p - 1) * (p + 2 * n) * n / ((n + p - q) * (p + 2 * n - 2) * (q + n - 1));
      norms_.push_back(norms_.back() * std::sqrt(ratio));
    }
  }

  std::vector<std::complex<long double>> at(long double rho) const {
    if (spec_.family == Family::kJacobiFourier) return jacobi(rho);
    return spec_.family == Family::kExponentFourier ? exponents(rho) : polar(rho);
  }

 private:
  // Polar harmonic transforms as Yap, Jiang and Kot print them, with rho^s for rho^2 and the weight
  // that keeps them orthogonal. DirectRadials are taken times 1 / (2 pi), their factors are 1 / pi
  // for n = 0 and exponents, 2 / pi for the others.
  std::vector<std::complex<long double>> polar(long double rho) const {
    const long double s = spec_.weight.alpha;
    const long double factor = std::sqrt(s / 2 * std::pow(rho, s - 2));
    const long double angle = kPiLong * std::pow(rho, s);
    std::vector<std::complex<long double>> values;
    if (spec_.family == Family::kPolarExponent) {
      for (int n = -spec_.order; n <= spec_.order; ++n) {
        values.push_back(2 * factor * std::polar(1.0L, -2 * n * angle));
      }
    } else if (spec_.family == Family::kPolarCosine) {
      for (int n = 0; n <= spec_.order; ++n) {
        values.emplace_back((n == 0 ? 2 : 4) * factor * std::cos(n * angle));
      }
    } else {
      for (int n = 1; n <= spec_.order; ++n) values.emplace_back(4 * factor * std::sin(n * angle));
    }
    return values;
  }

  std::vector<std::complex<long double>> exponents(long double rho) const {
    std::vector<std::complex<long double>> values;
    for (int n = -spec_.order; n <= spec_.order; ++n) {
      values.push_back(std::polar(1 / std::sqrt(rho), -2 * kPiLong * n * rho));
    }
    return values;
  }

  // P_n^{(a, b)}(x) by its recurrence (DLMF 18.9.1), x = 1 - 2 r, a = q - 1, b = p - q.
  std::vector<std::complex<long double>> jacobi(long double rho) const {
    const long double a = spec_.weight.beta - 1;
    const long double b = spec_.weight.alpha - spec_.weight.beta;
    const long double x = 1 - 2 * rho;
    const long double factor = std::pow(std::max(0.0L, 1 - rho), b / 2) *
                               std::pow(rho, (static_cast<long double>(spec_.weight.beta) - 2) / 2);
    std::vector<std::complex<long double>> values;
    long double before = 0;
    long double value = 1;
    for (int n = 0; n <= spec_.order; ++n) {
      values.push_back(factor * norms_[static_cast<std::size_t>(n)] * value);
      const long double c = 2 * n + a + b;
      const long double next = n == 0 ? ((a + b + 2) * x + a - b) / 2
                                      : ((c + 1) * ((c + 2) * c * x + a * a - b * b) * value -
                                         2 * (n + a) * (n + b) * (c + 2) * before) /
                                            (2 * (n + 1) * (n + a + b + 1) * c);
      before = value;
      value = next;
    }
    return values;
  }

  MomentSpec spec_;
  std::vector<long double> norms_;  // sqrt(1 / b_n) n! / (q)_n, by the quotient of neighbours
};

struct PlainPoint {
  std::size_t pixel = 0;
  long double rho = 0.0L;
  long double theta = 0.0L;
  long double area = 0.0L;
};

// The k x k sub-pixel centres of the pixels that count.
std::vector<PlainPoint> plain_points(const MomentSpec& spec, int size) {
  const DiskGrid grid(size, spec);
  const long double side = static_cast<long double>(spec.points) * size;
  std::vector<PlainPoint> points;
  for (int j = 0; j < size; ++j) {
    for (int i = 0; i < size; ++i) {
      if (grid.mask().at(j, i) == 0) continue;
      for (int s = 0; s < spec.points * spec.points; ++s) {
        const int column = s % spec.points, row = s / spec.points;
        const long double x = ((2 * i - size) * spec.points + 2 * column + 1) / side;
        const long double y = -((2 * j - size) * spec.points + 2 * row + 1) / side;
        points.push_back({static_cast<std::size_t>(j) * static_cast<std::size_t>(size) +
                              static_cast<std::size_t>(i),
                          std::sqrt(x * x + y * y), std::atan2(y, x), 4 / side / side});
      }
    }
  }
  return points;
}

const std::vector<MomentSpec>& high_specs() {
  static const std::vector<MomentSpec> specs = {
      {Family::kJacobiFourier, 500, Method::kSubregion, 3, {2, 2}},
      {Family::kJacobiFourier, 500, Method::kSubregion, 2, {2, 1.5}},
      {Family::kJacobiFourier, 500, Method::kSubregion, 2, {4.7, 3.2}},
      {Family::kExponentFourier, 500, Method::kSubregion, 2},
      {Family::kPolarExponent, 500, Method::kSubregion, 2, {2}},
      {Family::kPolarExponent, 500, Method::kSubregion, 2, {0.7}},
      {Family::kPolarCosine, 500, Method::kSubregion, 3, {2}},
      {Family::kPolarSine, 500, Method::kSubregion, 2, {2.6}}};
  return specs;
}

// The order n of row i of DirectRadials.
int order_of_row(const MomentSpec& spec, std::size_t row) {
  const int n = static_cast<int>(row) + spec.family.row().lowest_order;
  return spec.family.row().phase != nullptr ? n - spec.order : n;
}

// oracle: plain sums over the points in long double, for all n and a few m
TEST(RingFamilies, MomentsToOrder500ArePlainSums) {
  constexpr int kSize = 28;
  const auto image = random_values(std::size_t{kSize} * kSize, kRingFamiliesSeed);
  const std::vector<int> repetitions = {0, 1, 2, 3, 130, 499, 500};
  for (const MomentSpec& spec : high_specs()) {
    const auto moments = moments_of(*cpu_plan(spec, kSize), image);
    const DirectRadials radials(spec);
    std::vector<std::vector<std::complex<long double>>> sums(repetitions.size());
    for (const PlainPoint& point : plain_points(spec, kSize)) {
      const auto radial = radials.at(point.rho);
      for (std::size_t k = 0; k < repetitions.size(); ++k) {
        sums[k].resize(radial.size());
        const auto value = std::polar(image[point.pixel] * point.area / (2 * kPiLong),
                                      -repetitions[k] * point.theta);
        for (std::size_t row = 0; row < radial.size(); ++row) sums[k][row] += value * radial[row];
      }
    }
    std::vector<std::complex<double>> expected;
    std::vector<std::complex<double>> got;
    for (std::size_t k = 0; k < repetitions.size(); ++k) {
      for (std::size_t row = 0; row < sums[k].size(); ++row) {
        expected.emplace_back(sums[k][row]);
        got.push_back(moments[moment_position(spec, order_of_row(spec, row), repetitions[k])]);
      }
    }
    EXPECT_LT(relative_l2(got, expected), 1e-12) << describe(spec);
  }
}

// What DirectRadials have too much for images, whose kernels have no factor in front.
long double image_scale(const MomentSpec& spec, std::size_t row) {
  if (spec.family == Family::kPolarExponent) return 2;
  if (spec.family == Family::kPolarCosine) return row == 0 ? 2 : 4;
  return spec.family == Family::kPolarSine ? 4 : 1;
}

// oracle: plain sums over the moments in long double, for moments of all n and a few m
TEST(RingFamilies, ImagesToOrder500ArePlainSums) {
  constexpr int kSize = 28;
  for (MomentSpec spec : high_specs()) {
    const auto plan = cpu_plan(spec, kSize);
    std::vector<std::complex<double>> moments(plan->moment_count());
    const std::vector<double> parts = random_values(2 * moments.size(), kRingFamiliesSeed + 1);
    const std::vector<int> repetitions = {0, 1, 2, 3, 130, 499, 500};
    const DirectRadials radials(spec);
    const std::size_t rows = radials.at(0.5L).size();
    for (const int m : repetitions) {
      for (std::size_t row = 0; row < rows; ++row) {
        const std::size_t at = moment_position(spec, order_of_row(spec, row), m);
        moments[at] = {parts[2 * at] - 0.5, m == 0 ? 0.0 : parts[2 * at + 1] - 0.5};
      }
    }
    const std::vector<double> got = image_of(*plan, moments, spec.order);
    std::vector<double> expected(got.size(), 0.0);
    spec.points = 1;  // images are sums at pixel centres
    for (const PlainPoint& point : plain_points(spec, kSize)) {
      const auto radial = radials.at(point.rho);
      long double value = 0.0L;
      for (const int m : repetitions) {
        for (std::size_t row = 0; row < rows; ++row) {
          const std::complex<long double> moment(
              moments[moment_position(spec, order_of_row(spec, row), m)]);
          const auto kernel =
              std::conj(radial[row]) / image_scale(spec, row) * std::polar(1.0L, m * point.theta);
          value += (m == 0 ? 1.0L : 2.0L) * (moment * kernel).real();
        }
      }
      expected[point.pixel] = static_cast<double>(value);
    }
    for (std::size_t p = 0; p < got.size(); ++p) {
      if (plan->mask().data()[p] == 0) expected[p] = 0.0;
    }
    EXPECT_LT(relative_l2(got, expected), 1e-12) << describe(spec);
  }
}

// invariant: the integrals of R_n R_k rho over [0, 1] times the factors are 1 / (2 pi) or 0; with s
// = 2 the functions are those that Yap, Jiang and Kot print
TEST(RingFamilies, PolarHarmonicFunctionsAreOrthogonal) {
  const auto rule = gauss_legendre_rule(96);  // in u = rho^s of 24 half waves
  for (const Family family : {Family::kPolarCosine, Family::kPolarSine}) {
    const FamilyRow& row = family.row();
    for (const double s : {2.0, 0.6, 5.0}) {
      for (int n = row.lowest_order; n <= 12; ++n) {
        for (int k = row.lowest_order; k <= 12; ++k) {
          const auto one = row.radial({s, 0.0}, n, 0);
          const auto other = row.radial({s, 0.0}, k, 0);
          double sum = 0.0;
          for (int i = 0; i < rule.points(); ++i) {
            const auto at = static_cast<std::size_t>(i);
            const double rho = std::pow(static_cast<double>(1 + rule.nodes[at]) / 2, 1 / s);
            // rho d rho = rho^{2 - s} du / s
            sum += static_cast<double>(rule.weights[at]) / 2 * one(rho) * other(rho) *
                   std::pow(rho, 2 - s) / s;
          }
          // 1e-12: 96 terms of order 1
          EXPECT_NEAR(sum * row.norms(n)[static_cast<std::size_t>(n)], n == k ? 0.5 / M_PI : 0.0,
                      1e-12)
              << row.name << " " << n << " " << k << ", s = " << s;
        }
      }
    }
  }
  EXPECT_NEAR(Family::kPolarCosine.row().radial({2, 0}, 3, 1)(0.6), std::cos(3 * M_PI * 0.36),
              1e-15);
  EXPECT_NEAR(Family::kPolarSine.row().radial({2, 0}, 3, 1)(0.6), std::sin(3 * M_PI * 0.36), 1e-15);
  EXPECT_NEAR(Family::kPolarExponent.row().radial({2, 0}, 3, 1)(0.6), 1.0, 1e-15);
  EXPECT_NEAR(Family::kPolarExponent.row().phase({2, 0}, 3, 0.6), 2 * M_PI * 3 * 0.36, 1e-14);
}

// invariant: indices, positions and counts of the new orders of storage fit together
TEST(RingFamilies, MomentsAreStoredByTheirShells) {
  for (const Family family : {Family::kJacobiFourier, Family::kExponentFourier,
                              Family::kPolarExponent, Family::kPolarCosine, Family::kPolarSine}) {
    for (const int order : {family.row().lowest_order, 1, 2, 7, 30}) {
      const auto indices = moment_indices(family, order);
      ASSERT_EQ(indices.size(), moment_count(family, order));
      for (std::size_t c = 0; c < indices.size(); ++c) {
        ASSERT_EQ(moment_position(family, indices[c].n, indices[c].m), c);
        ASSERT_TRUE(c == 0 || order_of(family, indices[c - 1]) <= order_of(family, indices[c]));
      }
    }
  }
}

// mechanics: names of the literature, and parameters that make the kernels infinite at the rim
TEST(RingFamilies, ParametersAreChecked) {
  const auto text = [](std::string_view name) {
    return family_text(weighted_family_from_text(name));
  };
  EXPECT_EQ(text("fourier-mellin"), "jacobi-fourier:2:2");
  EXPECT_EQ(text("chebyshev-fourier"), "jacobi-fourier:2:1.5");
  EXPECT_EQ(text("jacobi-fourier:4:3"), "jacobi-fourier:4:3");
  EXPECT_EQ(text("exponent-fourier"), "exponent-fourier");
  EXPECT_EQ(text("pcet"), "pcet");
  EXPECT_EQ(text("pcet:2"), "pcet");
  EXPECT_EQ(text("pct:1.5"), "pct:1.5");
  EXPECT_EQ(weighted_family_from_text("pst").weight, (JacobiWeight{2.0, 0.0}));
  for (const char* wrong :
       {"jacobi-fourier", "jacobi-fourier:2", "jacobi-fourier:2:0.5", "jacobi-fourier:1:2",
        "jacobi-fourier:200:2", "jacobi-fourier:nan:2", "exponent-fourier:1", "pcet:0", "pct:-1",
        "pst:17", "pcet:2:2", "pcet:", "pst:nan"}) {
    EXPECT_THROW(weighted_family_from_text(wrong), UsageError) << wrong;
  }
  EXPECT_THROW(validate({Family::kJacobiFourier, 4}), UsageError);  // without p and q
  EXPECT_THROW(validate({Family::kExponentFourier, 4, Method::kAdaptive}), UsageError);
  EXPECT_THROW(validate({Family::kExponentFourier, 2501}), UsageError);
}

}  // namespace
}  // namespace leafglyph
