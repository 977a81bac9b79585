// Fits of Zernike polynomials against independent formulas, known coefficients and normal equations
// in quadruple precision.
#include "features/fit/zernike_fit.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <complex>
#include <functional>
#include <limits>
#include <numbers>
#include <random>
#include <string>
#include <vector>

#include "features/base/errors.h"
#include "features/base/threads.h"
#include "tests/support/refusal.h"

namespace leafglyph {
namespace {

using testing::refuses;
using Real = __float128;

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

// oracle: plain sums of every product of powers to the degree, of rows with holes and gaps
TEST(RowNodes, HaveTheSumsOfThePixels) {
  constexpr int kDegree = 14;
  std::mt19937 generator(20261129);
  std::uniform_real_distribution<double> weight(0.5, 2.0);
  std::vector<WeightedPoint> points;
  for (const double y : {-0.4, 0.3}) {
    for (int i = 0; i < 120; ++i) {
      if (i % 7 == 3 || (i > 80 && i < 100)) continue;  // a hole every so often, and a gap
      points.push_back({-0.9 + 0.015 * i, y, weight(generator)});
    }
  }
  const auto nodes = fewer_points(points, kDegree, 0.1);
  // two runs of each row: 69 points become 15 nodes, 17 become 15
  EXPECT_EQ(nodes.size(), 60u);
  const auto in_gap = [](const WeightedPoint& p) {
    return p.x > -0.9 + 0.015 * 80.5 && p.x < 0.59;
  };
  EXPECT_EQ(std::count_if(nodes.begin(), nodes.end(), in_gap), 0);
  for (int p = 0; p <= kDegree; ++p) {
    for (int q = 0; p + q <= kDegree; ++q) {
      const auto sum = [&](const std::vector<WeightedPoint>& of) {
        Real total = 0;
        for (const WeightedPoint& point : of) {
          total += Real(point.weight) * std::pow(point.x, p) * std::pow(point.y, q);
        }
        return static_cast<double>(total);
      };
      EXPECT_NEAR(sum(nodes), sum(points), 1e-12) << p << ' ' << q;  // 170 terms below 2, in double
    }
  }
}

// oracle: known coefficients, where the triangle comes from products (2e10 multiply-adds)
TEST(ZernikeFit, FindsKnownCoefficientsOfHighOrders) {
  constexpr int kSide = 300;
  constexpr int kOrder = 30;
  const ZernikeBasis basis(terms_to_order(kOrder), 0.0, ZernikeScale::kRms);
  std::mt19937 generator(20261129);
  std::normal_distribution<double> normal;
  std::vector<double> coefficients(basis.size());
  for (double& value : coefficients) value = normal(generator);
  std::vector<double> map(kSide * kSide), values(basis.size());
  for (int j = 0; j < kSide; ++j) {
    for (int i = 0; i < kSide; ++i) {
      basis.values_at((2.0 * i + 1 - kSide) / kSide, (kSide - 1 - 2.0 * j) / kSide, values);
      double& sum = map[j * kSide + i];
      for (std::size_t t = 0; t < values.size(); ++t) sum += coefficients[t] * values[t];
      if (generator() % 16 == 0) sum = kNan;
    }
  }
  const ZernikeFit fit(basis, fit_points(kSide, kSide, map, {}, FitCircle::inscribed(kSide, kSide),
                                         0.0, /*everywhere=*/false));
  EXPECT_LT(fit.condition(kOrder), 10.0);
  const auto found = fit.fit(map, 1).front().coefficients;
  double largest = 0.0;
  for (std::size_t t = 0; t < found.size(); ++t) {
    largest = std::max(largest, std::abs(found[t] - coefficients[t]));
  }
  EXPECT_LT(largest, 1e-12);
}

// agreement: triangles from products and from rows, of a matrix of condition 30
TEST(Triangle, FromProductsIsThatFromRows) {
  constexpr std::size_t kColumns = 20, kRows = 90;
  std::mt19937 generator(20261129);
  std::normal_distribution<double> normal;
  std::vector<double> rows(kRows * kColumns), products(kColumns * kColumns, 0.0);
  for (double& value : rows) value = 0.2 + normal(generator);
  for (std::size_t k = 0; k < kRows; ++k) {
    for (std::size_t i = 0; i < kColumns * kColumns; ++i) {
      products[i] += rows[k * kColumns + i / kColumns] * rows[k * kColumns + i % kColumns];
    }
  }
  Triangle of_products(kColumns), of_rows(kColumns);
  ASSERT_TRUE(of_products.take_products(products));
  of_rows.add_rows(rows);
  const auto expected = of_rows.inverse_diagonal(), got = of_products.inverse_diagonal();
  for (std::size_t k = 0; k < kColumns; ++k) EXPECT_NEAR(got[k] / expected[k], 1.0, 1e-12);
  // A column that is the sum of two others.
  for (std::size_t i = 0; i < kColumns; ++i) {
    products[i * kColumns + 5] = products[i * kColumns + 1] + products[i * kColumns + 2];
  }
  for (std::size_t i = 0; i < kColumns; ++i) {
    products[5 * kColumns + i] = products[1 * kColumns + i] + products[2 * kColumns + i];
  }
  EXPECT_FALSE(of_products.take_products(products));
}

// oracle: Noll's, OSA's and the fringe numbers to 66, generated in the order in which their authors
// define them.
TEST(ZernikeIndices, AreCountedAsTheirAuthorsDo) {
  std::vector<ZernikeTerm> noll, osa, fringe;
  for (int n = 0; n < 12; ++n) {
    for (int m = n % 2; m <= n; m += 2) {  // |m| rises; even numbers have cosines
      if (m == 0) {
        noll.push_back({n, 0});
        continue;
      }
      const bool cosine_first = (noll.size() + 1) % 2 == 0;
      noll.push_back({n, cosine_first ? m : -m});
      noll.push_back({n, cosine_first ? -m : m});
    }
    for (int m = -n; m <= n; m += 2) osa.push_back({n, m});
  }
  for (int sum = 0; sum < 18; sum += 2) {  // n + |m|; |m| falls, cosines first
    for (int m = sum / 2; m >= 0; --m) {
      fringe.push_back({sum - m, m});
      if (m > 0) fringe.push_back({sum - m, -m});
    }
  }
  for (int i = 0; i < 66; ++i) {
    const auto at = static_cast<std::size_t>(i);
    EXPECT_EQ(term_of(ZernikeNumbers::kNoll, i + 1), noll[at]) << i + 1;
    EXPECT_EQ(number_of(ZernikeNumbers::kNoll, noll[at]), i + 1);
    EXPECT_EQ(term_of(ZernikeNumbers::kOsa, i), osa[at]) << i;
    EXPECT_EQ(number_of(ZernikeNumbers::kOsa, osa[at]), i);
    EXPECT_EQ(term_of(ZernikeNumbers::kFringe, i + 1), fringe[at]) << i + 1;
    EXPECT_EQ(number_of(ZernikeNumbers::kFringe, fringe[at]), i + 1);
  }
  EXPECT_EQ(aberration_of(noll[3]), "defocus");
  EXPECT_EQ(aberration_of(noll[6]), "coma y");
  EXPECT_EQ(aberration_of(noll[10]), "spherical");
  EXPECT_EQ(aberration_of({9, 3}), "");
  EXPECT_TRUE(refuses<UsageError>([] { term_of(ZernikeNumbers::kNoll, 0); }, "counted from 1"));
}

double factorial(int n) { return n < 2 ? 1.0 : n * factorial(n - 1); }

// The sum of the definition, of amplitude 1.
double radial_sum(int n, int m, double rho) {
  double sum = 0.0;
  for (int s = 0; s <= (n - m) / 2; ++s) {
    sum += (s % 2 == 0 ? 1 : -1) * factorial(n - s) /
           (factorial(s) * factorial((n + m) / 2 - s) * factorial((n - m) / 2 - s)) *
           std::pow(rho, n - 2 * s);
  }
  return sum;
}

std::vector<double> values_at(const ZernikeBasis& basis, double x, double y) {
  std::vector<double> values(basis.size());
  basis.values_at(x, y, values);
  return values;
}

// oracle: the factorials of the definition, in both scales, at points of every quadrant, the centre
// and beyond the circle.
TEST(ZernikeBasis, IsTheDefinition) {
  constexpr int kOrder = 12;
  const ZernikeBasis rms(terms_to_order(kOrder), 0.0, ZernikeScale::kRms);
  const ZernikeBasis amplitude(terms_to_order(kOrder), 0.0, ZernikeScale::kAmplitude);
  for (const auto& [x, y] : {std::pair{0.3, 0.4},
                             {-0.8, 0.1},
                             {-0.2, -0.9},
                             {0.5, -0.5},
                             {0.0, 0.0},
                             {0.0, -1.0},
                             {1.1, 0.2}}) {
    const double rho = std::hypot(x, y), theta = std::atan2(y, x);
    const auto of_rms = values_at(rms, x, y), of_amplitude = values_at(amplitude, x, y);
    for (std::size_t t = 0; t < rms.size(); ++t) {
      const auto [n, m] = rms.terms()[t];
      const double angle = m >= 0 ? std::cos(m * theta) : std::sin(-m * theta);
      const double expected = radial_sum(n, std::abs(m), rho) * angle;
      const double norm = std::sqrt(m == 0 ? n + 1.0 : 2.0 * (n + 1.0));
      const double allowed = 1e-12 * std::pow(std::max(1.0, rho), kOrder) * 100;
      EXPECT_NEAR(of_amplitude[t], expected, allowed) << n << ", " << m << " at " << rho;
      EXPECT_NEAR(of_rms[t], norm * expected, norm * allowed) << n << ", " << m;
    }
  }
}

// invariant: some of the terms, in any order and twice, have the values that they have among all.
TEST(ZernikeBasis, MayHaveSomeOfTheTerms) {
  std::vector<ZernikeTerm> some;
  for (int number = 37; number > 0; --number) {
    some.push_back(term_of(ZernikeNumbers::kFringe, number));
  }
  some.push_back({4, -2});
  const ZernikeBasis all(terms_to_order(12), 0.0, ZernikeScale::kRms);
  const ZernikeBasis fringe(some, 0.0, ZernikeScale::kRms);
  ASSERT_EQ(fringe.size(), 37U);
  EXPECT_EQ(fringe.order(), 10);
  const auto of_all = values_at(all, 0.4, -0.3), of_some = values_at(fringe, 0.4, -0.3);
  for (std::size_t t = 0; t < fringe.size(); ++t) {
    const auto place = std::find(all.terms().begin(), all.terms().end(), fringe.terms()[t]);
    EXPECT_EQ(of_some[t], of_all[static_cast<std::size_t>(place - all.terms().begin())]);
  }
}

// oracle: Mahajan's closed forms of the annular polynomials (1981, Table 1), and their mean
// products over the annulus.
TEST(ZernikeBasis, AnnularPolynomialsAreMahajans) {
  constexpr double kHole = 0.3, e2 = kHole * kHole, e4 = e2 * e2;
  const ZernikeBasis basis(terms_to_order(8), kHole, ZernikeScale::kRms);
  const auto place = [&](int n, int m) {
    return static_cast<std::size_t>(n * (n + 1) / 2 + (n + m) / 2);
  };
  for (const double rho : {0.3, 0.55, 0.9, 1.0}) {
    const auto values = values_at(basis, rho, 0.0);
    const double r2 = rho * rho;
    EXPECT_NEAR(values[place(1, 1)], 2 * rho / std::sqrt(1 + e2), 1e-13);
    EXPECT_NEAR(values[place(2, 0)], std::sqrt(3) * (2 * r2 - 1 - e2) / (1 - e2), 1e-13);
    EXPECT_NEAR(values[place(2, 2)], std::sqrt(6) * r2 / std::sqrt(1 + e2 + e4), 1e-13);
    EXPECT_NEAR(
        values[place(4, 0)],
        std::sqrt(5) * (6 * r2 * r2 - 6 * (1 + e2) * r2 + 1 + 4 * e2 + e4) / ((1 - e2) * (1 - e2)),
        1e-13);
  }
  constexpr int kRadii = 2000, kAngles = 40;
  std::vector<double> products(basis.size() * basis.size(), 0.0);
  for (int r = 0; r < kRadii; ++r) {
    const double u = e2 + (1 - e2) * (r + 0.5) / kRadii;
    for (int a = 0; a < kAngles; ++a) {
      const double theta = 2 * std::numbers::pi * a / kAngles;
      const auto values =
          values_at(basis, std::sqrt(u) * std::cos(theta), std::sqrt(u) * std::sin(theta));
      for (std::size_t i = 0; i < products.size(); ++i) {
        products[i] += values[i / basis.size()] * values[i % basis.size()] / (kRadii * kAngles);
      }
    }
  }
  for (std::size_t i = 0; i < products.size(); ++i) {  // midpoints: error 1 / kRadii^2 of u'' terms
    EXPECT_NEAR(products[i], i / basis.size() == i % basis.size() ? 1.0 : 0.0, 2e-5);
  }
}

// An aperture by which a map is cut, in units of the radius.
struct Aperture {
  const char* name;
  double hole = 0.0;
  bool everywhere = false;
  std::function<bool(double, double)> is_open = [](double, double) { return true; };
};

std::vector<Aperture> apertures() {
  std::vector<Aperture> all = {
      {"disk"},
      {"obscured", 0.3},
      {"square", 0.0, true,
       [](double x, double y) { return std::abs(x) < 0.7 && std::abs(y) < 0.7; }},
      {"hexagon", 0.0, true, [](double x, double y) {
         return std::abs(y) < 0.8 && std::abs(0.866 * x + 0.5 * y) < 0.8 &&
                std::abs(0.866 * x - 0.5 * y) < 0.8;
       }}};
  for (const unsigned seed : {1U, 2U, 3U}) {  // holes with NaN, by lot
    all.push_back({"lot", 0.0, false, [seed](double x, double y) {
                     std::mt19937 generator(seed);
                     std::uniform_real_distribution<double> place(-0.8, 0.8);
                     for (int hole = 0; hole < 12; ++hole) {
                       const double dx = x - place(generator), dy = y - place(generator);
                       if (dx * dx + dy * dy < 0.02) return false;
                     }
                     return true;
                   }});
  }
  return all;
}

// A map of known coefficients: NaN where the aperture is closed.
std::vector<double> map_of(const ZernikeBasis& basis, const std::vector<double>& coefficients,
                           int side, const FitCircle& circle, const Aperture& aperture) {
  std::vector<double> map;
  for (int row = 0; row < side; ++row) {
    for (int column = 0; column < side; ++column) {
      const double x = (column - circle.column) / circle.radius;
      const double y = (circle.row - row) / circle.radius;
      const auto values = values_at(basis, x, y);
      double sum = 0.0;
      for (std::size_t t = 0; t < coefficients.size(); ++t) sum += coefficients[t] * values[t];
      map.push_back(aperture.is_open(x, y) ? sum : kNan);
    }
  }
  return map;
}

std::vector<double> values_of(const FitPoints& points, const std::vector<double>& map) {
  std::vector<double> values;
  for (const std::uint32_t pixel : points.pixels) values.push_back(map[pixel]);
  return values;
}

// oracle: 0.3 Z4 - 0.1 Z7 + 0.05 Z11 (Noll) come back from every aperture, all other coefficients
// are 0: to 1e-12 where the condition is at most 100, else to 20 times the condition and the
// rounding of a double.
TEST(ZernikeFit, FindsKnownCoefficients) {
  for (const int side : {64, 128}) {
    for (const Aperture& aperture : apertures()) {
      for (const int order : {4, 8}) {
        const ZernikeBasis basis(terms_to_order(order), aperture.hole, ZernikeScale::kRms);
        std::vector<double> truth(basis.size(), 0.0);
        for (const auto& [number, value] : {std::pair{4, 0.3}, {7, -0.1}, {11, 0.05}}) {
          const auto [n, m] = term_of(ZernikeNumbers::kNoll, number);
          truth[static_cast<std::size_t>(n * (n + 1) / 2 + (n + m) / 2)] = value;
        }
        const FitCircle circle = FitCircle::inscribed(side, side);
        const auto map = map_of(basis, truth, side, circle, aperture);
        const FitPoints points =
            fit_points(side, side, map, {}, circle, aperture.hole, aperture.everywhere);
        const ZernikeFit fit(basis, points);
        const double condition = fit.condition(order);
        const double allowed = condition <= 100 ? 1e-12 : 20 * condition * 2.2e-16;
        const FittedMap fitted = fit.fit(map, 1)[0];
        for (std::size_t t = 0; t < truth.size(); ++t) {
          EXPECT_NEAR(fitted.coefficients[t], truth[t], allowed)
              << aperture.name << ", order " << order << ", condition " << condition;
        }
        EXPECT_LT(fitted.residual_rms, allowed);
      }
    }
  }
}

// Solves the normal equations in quadruple precision.
std::vector<double> by_normal_equations(const ZernikeBasis& basis, const FitPoints& points,
                                        const std::vector<double>& values) {
  const std::size_t n = basis.size();
  std::vector<Real> matrix(n * (n + 1), 0);
  for (std::size_t i = 0; i < values.size(); ++i) {
    const auto row = values_at(basis, points.x(i), points.y(i));
    const Real weight = points.weights.empty() ? 1.0 : points.weights[i];
    for (std::size_t a = 0; a < n; ++a) {
      for (std::size_t b = 0; b < n; ++b) matrix[a * (n + 1) + b] += weight * row[a] * Real(row[b]);
      matrix[a * (n + 1) + n] += weight * row[a] * Real(values[i]);
    }
  }
  for (std::size_t k = 0; k < n; ++k) {  // positive definite: no pivots
    for (std::size_t a = 0; a < n; ++a) {
      if (a == k) continue;
      const Real factor = matrix[a * (n + 1) + k] / matrix[k * (n + 1) + k];
      for (std::size_t b = k; b <= n; ++b)
        matrix[a * (n + 1) + b] -= factor * matrix[k * (n + 1) + b];
    }
  }
  std::vector<double> solution;
  for (std::size_t k = 0; k < n; ++k) {
    solution.push_back(static_cast<double>(matrix[k * (n + 1) + n] / matrix[k * (n + 1) + k]));
  }
  return solution;
}

// oracle: noise with weights, several maps at once, on symmetric and other points, against the
// normal equations in quadruple precision; any number of threads gives the same bits.
TEST(ZernikeFit, IsTheLeastSquaresSolution) {
  constexpr int kSide = 40, kOrder = 6;
  std::mt19937 generator(7);
  std::normal_distribution<double> noise;
  for (const bool is_symmetric : {true, false}) {
    std::vector<double> weights(kSide * kSide), maps;
    for (int row = 0; row < kSide; ++row) {
      for (int column = 0; column < kSide; ++column) {
        const double x = column - 19.5, y = row - 19.5;
        weights[static_cast<std::size_t>(row * kSide + column)] =
            1 + (is_symmetric ? x * x + y * y : std::exp(x / 8) + y * y) / 100;
      }
    }
    const ZernikeBasis basis(terms_to_order(kOrder), 0.2, ZernikeScale::kAmplitude);
    std::vector<double> map(weights.size());
    for (double& value : map) value = noise(generator);
    const FitPoints points =
        fit_points(kSide, kSide, map, weights, FitCircle::inscribed(kSide, kSide), 0.2, false);
    const ZernikeFit fit(basis, points);
    EXPECT_EQ(fit.is_symmetric(), is_symmetric);
    std::vector<double> all;
    std::vector<std::vector<double>> each;
    for (int k = 0; k < 3; ++k) {
      each.emplace_back(weights.size());
      for (double& value : each.back()) value = noise(generator);
      all.insert(all.end(), each.back().begin(), each.back().end());
    }
    const auto fitted = fit.fit(all, 3);
    for (std::size_t k = 0; k < 3; ++k) {
      const auto expected = by_normal_equations(basis, points, values_of(points, each[k]));
      for (std::size_t t = 0; t < basis.size(); ++t) {
        EXPECT_NEAR(fitted[k].coefficients[t], expected[t], 1e-13);
      }
      const auto left = fit.residual(each[k], fitted[k].coefficients);
      double squares = 0.0, total = 0.0;
      for (std::size_t i = 0; i < left.size(); ++i) {
        squares += points.weights[i] * left[i] * left[i];
        total += points.weights[i];
      }
      EXPECT_NEAR(fitted[k].residual_rms, std::sqrt(squares / total), 1e-13);
    }
    set_thread_count(3);
    EXPECT_EQ(ZernikeFit(basis, points).fit(all, 3)[2].coefficients, fitted[2].coefficients);
    set_thread_count(0);
  }
}

// oracle: of two columns, 1 and 1 + d, the condition is known; orders that points do not determine
// are refused, and the highest order of a small condition is found.
TEST(ZernikeFit, SaysHowWellItIsConditioned) {
  constexpr int kSide = 32;
  const ZernikeBasis basis(terms_to_order(6), 0.0, ZernikeScale::kRms);
  std::vector<double> map(kSide * kSide, 1.0);
  const FitCircle circle = FitCircle::inscribed(kSide, kSide);
  const ZernikeFit whole(basis, fit_points(kSide, kSide, map, {}, circle, 0.0, false));
  EXPECT_NEAR(whole.condition(0), 1.0, 1e-9);
  EXPECT_LT(whole.condition(6), 2.0);
  EXPECT_EQ(whole.safe_order(100), 6);
  for (int p = 0; p < kSide * kSide; ++p) {  // a strip of four columns
    if (p % kSide < 14 || p % kSide > 17) map[static_cast<std::size_t>(p)] = kNan;
  }
  const ZernikeFit strip(basis, fit_points(kSide, kSide, map, {}, circle, 0.0, false));
  EXPECT_GT(strip.condition(6), 1e6);
  const int safe = strip.safe_order(100);
  EXPECT_LE(strip.condition(safe), 100);
  EXPECT_GT(strip.condition(safe + 1), 100);
  // Noise of variance 1 in every pixel: the mean's variance is 1 over their number.
  const ZernikeFit piston(ZernikeBasis(terms_to_order(0), 0.0, ZernikeScale::kRms), strip.points());
  EXPECT_NEAR(piston.covariance_diagonal()[0],
              1.0 / static_cast<double>(strip.points().pixels.size()), 1e-15);
  for (double& value : map) value = kNan;
  map[3 * kSide + 3] = map[20 * kSide + 15] = 1.0;
  EXPECT_TRUE(refuses<InputError>(
      [&] {
        ZernikeFit(ZernikeBasis(terms_to_order(1), 0.0, ZernikeScale::kRms),
                   fit_points(kSide, kSide, map, {}, circle, 0.0, true));
      },
      "2 pixels count, fewer than the 3 terms"));
  EXPECT_TRUE(refuses<UsageError>(
      [] { ZernikeBasis(terms_to_order(101), 0.0, ZernikeScale::kRms); }, "0 to 100"));
  EXPECT_TRUE(refuses<UsageError>([] { ZernikeBasis(terms_to_order(4), 1.0, ZernikeScale::kRms); },
                                  "less than 1"));
}

}  // namespace
}  // namespace leafglyph
