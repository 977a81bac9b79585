#include "features/bessel_fourier/ring_transform.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <numbers>
#include <random>

#include "features/base/errors.h"
#include "features/base/statistics.h"
#include "features/folded/folded_forward.h"
#include "features/moments/disk_grid.h"
#include "features/moments/radial.h"
#include "tests/support/plans.h"
#include "tests/support/random_image.h"

namespace leafglyph {
namespace {

constexpr unsigned kBesselFourierSeed = 20240601;

// A spec and the size of its images.
struct AskedRings {
  MomentSpec spec;
  int image_size = 0;

  std::size_t moment_count() const { return leafglyph::moment_count(spec, image_size); }
  std::size_t position(int n, int m) const { return moment_position(spec, n, m); }
};

// A plan that uses the ring transform at any order.
MomentPlan ring_plan(const AskedRings& asked, Precision precision = Precision::kDouble) {
  const auto rings = make_ring_transform(asked.spec, asked.image_size, precision);
  return plan_through(asked.spec, asked.image_size, rings, rings);
}

std::vector<std::complex<double>> ring_moments_of(const AskedRings& asked,
                                                  const std::vector<double>& image,
                                                  Precision precision = Precision::kDouble) {
  auto plan = ring_plan(asked, precision);
  return moments_of(plan, image);
}

std::vector<double> ring_image_of(const AskedRings& asked,
                                  const std::vector<std::complex<double>>& moments,
                                  Precision precision = Precision::kDouble) {
  auto plan = ring_plan(asked, precision);
  return image_of(plan, moments, top_order(asked.spec));
}

// J_1 in long double from its integral, 1/pi times the integral of cos(t - x sin t) over [0, pi].
// The trapezoid rule is exact to rounding once it has more than x points.
long double j1_by_integral(long double x) {
  const int points = static_cast<int>(x) + 60;
  const long double pi = std::numbers::pi_v<long double>;
  long double sum = 0.0L;
  for (int i = 0; i < points; ++i) {
    const long double t = 2.0L * pi * i / points;
    sum += std::cos(t - x * std::sin(t));
  }
  return sum / points;
}

// The definition, pixel by pixel and point by point, in long double.
std::vector<std::complex<long double>> direct_sums(const AskedRings& spec,
                                                   const std::vector<double>& image) {
  const int size = spec.image_size;
  const DiskGrid grid(size, spec.spec);
  const auto rule = pixel_quadrature(spec.spec.method, spec.spec.points);
  const auto zeros = bessel_j1_zeros(spec.spec.order);
  std::vector<std::complex<long double>> out(spec.moment_count());
  for (int j = 0; j < size; ++j) {
    for (int i = 0; i < size; ++i) {
      if (!grid.mask().at(j, i)) continue;
      for (int s = 0; s < rule.points() * rule.points(); ++s) {
        const int sx = s % rule.points();
        const int sy = s / rule.points();
        const long double x = (2 * i + 1 - size + rule.nodes[sx]) / size;
        const long double y = (size - 1 - 2 * j + rule.nodes[sy]) / size;
        const long double value =
            image[j * size + i] * rule.weights[sx] * rule.weights[sy] / size / size;
        const long double theta = std::atan2(y, x);
        for (int n = 1; n <= spec.spec.order; ++n) {
          const long double zero = zeros[n - 1];
          const long double radial =
              value * bessel_fourier_norm(zeros[n - 1]) * j1_by_integral(zero * std::hypot(x, y));
          for (int m = 0; m <= *spec.spec.angular_order; ++m) {
            out[spec.position(n, m)] += radial * std::polar(1.0L, -m * theta);
          }
        }
      }
    }
  }
  return out;
}

AskedRings ring_spec(int size, int n, int m, Method method = Method::kSubregion, int k = 1) {
  return {{Family::kBesselFourier, n, method, k, {}, {}, m}, size};
}

// oracle: the definition in long double, J_1 by its integral
TEST(BesselFourier, AgreesWithTheDefinition) {
  for (const auto& spec :
       {ring_spec(2, 3, 2), ring_spec(9, 12, 7), ring_spec(16, 20, 30), ring_spec(24, 40, 25)}) {
    const auto image = random_image(spec.image_size, kBesselFourierSeed);
    // 1e-13: a few hundred roundings of double arguments up to 130
    EXPECT_LT(relative_l2(ring_moments_of(spec, image), direct_sums(spec, image)), 1e-13)
        << "N=" << spec.image_size;
  }
  for (const auto& spec :
       {ring_spec(10, 8, 9, Method::kSubregion, 3), ring_spec(11, 8, 9, Method::kGauss, 2)}) {
    const auto image = random_image(spec.image_size, kBesselFourierSeed + 1);
    EXPECT_LT(relative_l2(ring_moments_of(spec, image), direct_sums(spec, image)), 1e-13);
  }
}

// agreement: folded products with a stored basis, a different algorithm, batch by batch
TEST(BesselFourier, RingsAgreeWithTheStoredBasis) {
  const int size = 48;
  const int order = 30;
  const std::size_t count = 3;
  const auto images = random_values(count * size * size, kBesselFourierSeed + 2);
  for (const Method method : {Method::kSubregion, Method::kGauss}) {
    const MomentSpec spec{Family::kBesselFourier, order, method, 2};
    auto stored = plan_through(spec, size, make_folded_forward(spec, size, Precision::kDouble));
    auto rings = ring_plan({spec, size});
    const auto expected = moments_of(stored, images);
    const auto got = moments_of(rings, images);
    EXPECT_LT(relative_l2(got, expected), 1e-13);  // rounding of arguments up to 100
    std::vector<float> magnitudes(got.size());
    rings.magnitudes(ImageBatch(images, count, size), magnitudes);
    for (std::size_t c = 0; c < got.size(); ++c) {
      EXPECT_FLOAT_EQ(magnitudes[c], static_cast<float>(std::abs(got[c])));
    }
  }
}

// agreement: graded Gauss points against so many points in every pixel that the sums have
// converged; the pixels that touch the centre are left out
TEST(BesselFourier, GradedPointsAreExact) {
  for (const int size : {12, 15}) {
    auto image = random_image(size, kBesselFourierSeed + 7);
    for (int j = (size - 1) / 2; j <= size / 2; ++j) {
      for (int i = (size - 1) / 2; i <= size / 2; ++i) image[j * size + i] = 0.0;
    }
    const auto graded = ring_moments_of(ring_spec(size, 24, 24, Method::kAdaptive), image);
    const auto many = ring_moments_of(ring_spec(size, 24, 24, Method::kGauss, 60), image);
    EXPECT_LT(relative_l2(graded, many), 1e-7) << size;  // ten times the rule's error
  }
}

// oracle: the centre pixel of an odd image and the four centre pixels of an even one, integrated in
// polar coordinates: the angular integrals over a square in closed form, the radius by Gauss points
TEST(BesselFourier, PixelsAtTheCentreAreExact) {
  for (const int size : {12, 15}) {
    const auto spec = ring_spec(size, 9, 32, Method::kAdaptive);
    std::vector<double> image(static_cast<std::size_t>(size) * size, 0.0);
    for (int j = (size - 1) / 2; j <= size / 2; ++j) {
      for (int i = (size - 1) / 2; i <= size / 2; ++i) image[j * size + i] = 1.0;
    }
    const auto got = ring_moments_of(spec, image);
    const auto zeros = bessel_j1_zeros(9);
    const auto rule = gauss_legendre_rule(60);
    const long double side = (size % 2 == 0 ? 2.0L : 1.0L) / size;
    const long double pi = std::numbers::pi_v<long double>;
    for (int n : {1, 5, 9}) {
      for (int m = 0; m <= 32; m += 4) {
        // eight octants: each has the sector of the circle up to the side, then theta from
        // arccos(side / r) to pi / 4, where r = side / cos a
        long double sum = 0.0L;
        for (int s = 0; s < rule.points(); ++s) {
          const long double r = side * (1.0L + rule.nodes[s]) / 2.0L;
          const long double sector = m == 0 ? pi / 4.0L : std::sin(m * pi / 4.0L) / m;
          sum += rule.weights[s] * side / 2.0L * r * j1_by_integral(zeros[n - 1] * r) * sector;
          const long double a = pi / 4.0L * (1.0L + rule.nodes[s]) / 2.0L;
          const long double outer = side / std::cos(a);
          const long double rest =
              m == 0 ? pi / 4.0L - a : (std::sin(m * pi / 4.0L) - std::sin(m * a)) / m;
          sum += rule.weights[s] * pi / 8.0L * outer * std::tan(a) * outer *
                 j1_by_integral(zeros[n - 1] * outer) * rest;
        }
        const auto expected = static_cast<double>(8.0L * sum) * bessel_fourier_norm(zeros[n - 1]);
        // 1e-8: the rules' 1e-8 of an area of 0.03, times norms of up to 45
        EXPECT_NEAR(got[spec.position(n, m)].real(), expected, 1e-8) << n << ' ' << m;
        EXPECT_NEAR(got[spec.position(n, m)].imag(), 0.0, 1e-14);
      }
    }
  }
}

// oracle: one bright pixel gives the kernel at its centre; for a constant image the m = 0 moments
// are an integral known in closed form, and the m = 1, 2, 3 moments vanish by symmetry
TEST(BesselFourier, SinglePixelsAndConstantImages) {
  const int size = 64;
  const auto spec = ring_spec(size, 90, 90);
  std::vector<double> image(static_cast<std::size_t>(size) * size, 0.0);
  const int row = 9;
  const int column = 40;
  image[row * size + column] = 3.0;
  const double x = (2.0 * column + 1 - size) / size;
  const double y = (size - 1.0 - 2 * row) / size;
  const auto zeros = bessel_j1_zeros(90);
  const auto pixel = ring_moments_of(spec, image);
  for (int n : {1, 2, 45, 90}) {
    for (int m : {0, 1, 2, 3, 89, 90}) {
      const auto expected = 3.0 * 4.0 / size / size * bessel_fourier_norm(zeros[n - 1]) *
                            bessel_j1(zeros[n - 1] * std::hypot(x, y)) *
                            std::polar(1.0, -m * std::atan2(y, x));
      // 1e-12: |B| is about 0.1 and its argument good to 1e-13
      EXPECT_LT(std::abs(pixel[spec.position(n, m)] - expected), 1e-12) << n << ' ' << m;
    }
  }
  const auto even =
      ring_moments_of(ring_spec(512, 3, 3, Method::kGauss, 4), std::vector<double>(512 * 512, 1.0));
  const auto small = ring_spec(512, 3, 3);
  for (int n = 1; n <= 3; ++n) {
    // integral of J_1(lambda r) r dr over [0, 1], by Gauss points
    const auto rule = gauss_legendre_rule(40);
    long double integral = 0.0L;
    for (int s = 0; s < rule.points(); ++s) {
      const long double r = (1.0L + rule.nodes[s]) / 2.0L;
      integral += rule.weights[s] / 2.0L * r * j1_by_integral(zeros[n - 1] * r);
    }
    const double expected =
        2.0 * std::numbers::pi * bessel_fourier_norm(zeros[n - 1]) * static_cast<double>(integral);
    // 0.06: pixels at the rim that do not count, a ring about 1/512 wide, times the norm and J_1
    EXPECT_NEAR(even[small.position(n, 0)].real(), expected, 0.06);
    for (int m = 1; m <= 3; ++m) EXPECT_LT(std::abs(even[small.position(n, m)]), 1e-13);
  }
}

// oracle: the reconstruction is the documented sum, and the transpose of the moments up to the
// norms
TEST(BesselFourier, ReconstructionIsTheSumOfItsTerms) {
  const int size = 21;
  const auto spec = ring_spec(size, 14, 9);
  std::mt19937 generator(kBesselFourierSeed + 4);
  std::normal_distribution<double> normal;
  std::vector<std::complex<double>> moments(spec.moment_count());
  for (auto& b : moments) b = {normal(generator), normal(generator)};
  for (int n = 1; n <= 14; ++n) moments[spec.position(n, 0)].imag(0.0);
  const auto got = ring_image_of(spec, moments);
  const DiskGrid grid(size, spec.spec);
  const auto zeros = bessel_j1_zeros(14);
  std::vector<double> expected(got.size(), 0.0);
  for (int j = 0; j < size; ++j) {
    for (int i = 0; i < size; ++i) {
      if (!grid.mask().at(j, i)) continue;
      const double x = (2.0 * i + 1 - size) / size;
      const double y = (size - 1.0 - 2 * j) / size;
      for (int n = 1; n <= 14; ++n) {
        for (int m = -9; m <= 9; ++m) {
          const auto b = moments[spec.position(n, std::abs(m))];
          expected[j * size + i] +=
              ((m < 0 ? std::conj(b) : b) * bessel_j1(zeros[n - 1] * std::hypot(x, y)) *
               std::polar(1.0, m * std::atan2(y, x)))
                  .real();
        }
      }
    }
  }
  EXPECT_LT(relative_l2(got, expected), 1e-13);  // 250 terms in double
}

// agreement: float products against double, at the error the header states
TEST(BesselFourier, FloatStaysWithinItsStatedError) {
  const auto spec = ring_spec(128, 120, 120);
  const auto image = random_image(128, kBesselFourierSeed + 5);
  const auto exact = ring_moments_of(spec, image);
  EXPECT_LT(relative_l2(ring_moments_of(spec, image, Precision::kFloat), exact), 2e-6);
  EXPECT_LT(relative_l2(ring_image_of(spec, exact, Precision::kFloat), ring_image_of(spec, exact)),
            2e-6);
}

// invariant: Gauss points converge, and every higher order reconstructs a smooth image better
TEST(BesselFourier, HigherOrdersBringASmoothImageBack) {
  const int size = 96;
  std::vector<double> image(static_cast<std::size_t>(size) * size);
  for (int j = 0; j < size; ++j) {
    for (int i = 0; i < size; ++i) {
      const double x = (2.0 * i + 1 - size) / size;
      const double y = (size - 1.0 - 2 * j) / size;
      image[j * size + i] = 100.0 * std::exp(-6.0 * ((x - 0.3) * (x - 0.3) + y * y));
    }
  }
  double before = std::numeric_limits<double>::infinity();
  for (int order : {4, 8, 16, 32}) {
    const auto spec = ring_spec(size, order, order, Method::kGauss, 4);
    const auto back = ring_image_of(spec, ring_moments_of(spec, image));
    const DiskGrid grid(size, spec.spec);
    double squares = 0.0;
    for (std::size_t p = 0; p < image.size(); ++p) {
      if (grid.mask().pixels()[p]) squares += (image[p] - back[p]) * (image[p] - back[p]);
    }
    EXPECT_LT(squares, 0.7 * before) << order;
    before = squares;
  }
}

// mechanics: what is refused, and how.
TEST(BesselFourier, BadArgumentsAreRefused) {
  const auto check = [](const AskedRings& asked) { validate(asked.spec, asked.image_size); };
  EXPECT_THROW(check(ring_spec(1, 2, 2)), UsageError);
  EXPECT_THROW(check(ring_spec(8, 0, 2)), UsageError);
  EXPECT_THROW(check(ring_spec(8, 2, -1)), UsageError);
  EXPECT_THROW(check(ring_spec(8, 2, 2, Method::kGauss, 0)), UsageError);
  EXPECT_THROW(check(ring_spec(8, 5001, 2)), UsageError);
  EXPECT_THROW(check(ring_spec(8, 2, 5001)), UsageError);
  EXPECT_THROW(check(ring_spec(46341, 2, 2)), UsageError);
  EXPECT_THROW(check(ring_spec(8, 2, 2, Method::kExact)), UsageError);
  EXPECT_THROW(make_ring_transform({Family::kZernike, 2}, 8, Precision::kDouble), UsageError);
}

// mechanics: orders that differ in n and m are numbered by max(n, m), then by n, then by m
TEST(BesselFourier, UnequalOrdersAreNumbered) {
  for (const auto& [n, m] : {std::pair{3, 7}, std::pair{7, 3}, std::pair{4, 4}, std::pair{5, 0}}) {
    const AskedRings asked = ring_spec(8, n, m);
    const auto indices = moment_indices(asked.spec);
    ASSERT_EQ(indices.size(), asked.moment_count());
    EXPECT_EQ(indices.size(), static_cast<std::size_t>(n * (m + 1)));
    for (std::size_t c = 0; c < indices.size(); ++c) {
      EXPECT_EQ(asked.position(indices[c].n, indices[c].m), c) << n << ' ' << m;
      const int order = order_of(Family::kBesselFourier, indices[c]);
      EXPECT_LT(c, moment_count_to(asked.spec, 8, order));
      EXPECT_GE(c, moment_count_to(asked.spec, 8, order - 1));
    }
  }
}

}  // namespace
}  // namespace leafglyph
