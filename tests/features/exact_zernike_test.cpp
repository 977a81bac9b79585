// Exact Zernike moments, through the plan.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "features/base/errors.h"
#include "features/base/statistics.h"
#include "features/base/threads.h"
#include "features/moments/disk_grid.h"
#include "features/zernike/polar_transform.h"
#include "tests/support/moment_oracle.h"
#include "tests/support/plans.h"
#include "tests/support/random_image.h"

namespace leafglyph {
namespace {

constexpr unsigned kExactZernikeSeed = 20240602;

std::vector<std::complex<double>> exact(int order, const std::vector<double>& image, int size) {
  return moments_of(*cpu_plan({Family::kZernike, order, Method::kExact}, size), image);
}

std::vector<std::complex<double>> sampled(const MomentSpec& spec, const std::vector<double>& image,
                                          int size) {
  auto plan = plan_through(spec, size, make_polar_forward(spec, size));
  return moments_of(plan, image);
}

double largest_difference(const std::vector<std::complex<double>>& a,
                          const std::vector<std::complex<double>>& b) {
  double largest = 0.0;
  for (std::size_t c = 0; c < b.size(); ++c) {
    const double difference = std::abs(a[c] - b[c]);
    largest = difference <= largest ? largest : difference;  // NaN stays
  }
  return largest;
}

// oracle: Gauss-Legendre points in every pixel, as many as the order's polynomials need there
TEST(ExactZernike, AgreesWithDenseGaussPoints) {
  struct Case {
    int size;
    int order;
    int points;
  };
  // A pixel of an N x N image spans up to 2 T / N radians (more at the rim): enough points for
  // that.
  for (const Case& c : {Case{2, 10, 12}, Case{9, 30, 30}, Case{64, 200, 48}, Case{33, 200, 60}}) {
    const auto image = random_image(c.size, kExactZernikeSeed);
    const auto expected =
        sampled({Family::kZernike, c.order, Method::kGauss, c.points}, image, c.size);
    const auto got = exact(c.order, image, c.size);
    // 1e-10 for grey values to 255: what the library promises
    EXPECT_LT(largest_difference(got, expected), 1e-10)
        << "N=" << c.size << " T=" << c.order << " seed " << kExactZernikeSeed;
  }
}

// oracle: low orders written out, with integrals of polynomials over a pixel by hand
TEST(ExactZernike, LowOrdersAreIntegralsOfPolynomials) {
  const int size = 24;
  const int row = 5;
  const int column = 14;
  std::vector<double> image(static_cast<std::size_t>(size) * size, 0.0);
  image[static_cast<std::size_t>(row) * size + column] = 3.0;
  const auto z = exact(4, image, size);
  const double x0 = (2.0 * column - size) / size;
  const double x1 = x0 + 2.0 / size;
  const double y1 = (size - 2.0 * row) / size;
  const double y0 = y1 - 2.0 / size;
  const auto power = [](double a, double b, int p) {
    return (std::pow(b, p + 1) - std::pow(a, p + 1)) / (p + 1);
  };
  const double area = power(x0, x1, 0) * power(y0, y1, 0);
  const double xx = power(x0, x1, 2) * power(y0, y1, 0);
  const double yy = power(x0, x1, 0) * power(y0, y1, 2);
  const double pi = std::acos(-1.0);
  const auto near = [&](int n, int m, std::complex<double> expected) {
    const auto got = z[moment_position(Family::kZernike, n, m)];
    // 1e-12: the image's integral is 0.02, the differences at its corners are 3
    EXPECT_NEAR(std::abs(got - expected), 0.0, 1e-12) << n << "," << m;
  };
  near(0, 0, 3.0 / pi * area);
  near(1, 1,
       6.0 / pi *
           std::complex<double>(power(x0, x1, 1) * power(y0, y1, 0),
                                -power(x0, x1, 0) * power(y0, y1, 1)));
  near(2, 0, 9.0 / pi * (2 * (xx + yy) - area));
  near(2, 2, 9.0 / pi * std::complex<double>(xx - yy, -2 * power(x0, x1, 1) * power(y0, y1, 1)));
}

// oracle: a disk of constant grey has Z_00 = area / pi, and a right half-disk has closed forms
TEST(ExactZernike, ConstantImageIsTheAreaOfTheMask) {
  for (const int size : {7, 64, 101}) {
    const std::vector<double> image(static_cast<std::size_t>(size) * size, 1.0);
    const auto z = exact(60, image, size);
    const DiskGrid disk(size, Mask::kWhole);
    const double area = 4.0 * static_cast<double>(disk.pixel_count()) / size / size;
    // 1e-12: the error of 14 cells, 1e-13 of the differences at the rim, up to a few hundred of
    // size 1
    EXPECT_NEAR(z[0].real(), area / std::acos(-1.0), 1e-12);
    // the mask has the square's symmetry: repetitions that are not multiples of 4 vanish
    for (const auto& [n, m] : moment_indices(Family::kZernike, 60)) {
      if (m % 4 == 0) continue;
      EXPECT_NEAR(std::abs(z[moment_position(Family::kZernike, n, m)]), 0.0, 1e-12)
          << n << "," << m;
    }
  }
}

// oracle: the half-plane x > 0 of a fine grid against its integral over the disk
TEST(ExactZernike, HalfPlaneTendsToItsClosedForm) {
  // Z_11 of the half disk x > 0: (2/pi) * integral of x = (2/pi) * (2/3)
  const double expected = 4.0 / 3.0 / std::acos(-1.0);
  double before = 1.0;
  for (const int size : {64, 256, 1024}) {
    std::vector<double> image(static_cast<std::size_t>(size) * size, 0.0);
    for (int j = 0; j < size; ++j) {
      for (int i = size / 2; i < size; ++i) image[static_cast<std::size_t>(j) * size + i] = 1.0;
    }
    const auto z = exact(3, image, size);
    const double error = std::abs(z[moment_position(Family::kZernike, 1, 1)] - expected);
    // the mask rule leaves out the pixels at the rim, an area of about 5 / N
    EXPECT_LT(error, 5.0 / size);
    EXPECT_LT(error, before);
    before = error;
  }
}

// agreement: sub-regions converge to the exact moments as k grows
TEST(ExactZernike, SubregionsConvergeToIt) {
  const int size = 64;
  auto image = random_image(size, kExactZernikeSeed + 1);
  // The mask of k sub-regions has a few more pixels; with those empty only the quadrature differs.
  const DiskGrid disk(size, Mask::kWhole);
  for (std::size_t p = 0; p < image.size(); ++p) {
    if (disk.mask().pixels()[p] == 0) image[p] = 0.0;
  }
  const auto expected = exact(60, image, size);
  double before = 3.0;  // for k = 1 only an error of order 1 is required
  for (const int k : {1, 3, 9, 25}) {
    const double error =
        relative_l2(sampled({Family::kZernike, 60, Method::kSubregion, k}, image, size), expected);
    EXPECT_LT(error, before / 3) << k;  // midpoint rule: by the square of k in smooth places
    before = error;
  }
}

// invariant: lower orders are a prefix; the number of threads does not change a bit
TEST(ExactZernike, LowerOrdersArePrefixesAndThreadsDoNotMatter) {
  const int size = 48;
  const auto image = random_image(size, kExactZernikeSeed + 3);
  const auto high = exact(90, image, size);
  for (const int order : {0, 1, 2, 3, 40}) {
    const auto low = exact(order, image, size);
    for (std::size_t c = 0; c < low.size(); ++c) {
      EXPECT_NEAR(std::abs(low[c] - high[c]), 0.0, 1e-10) << order;  // as above
    }
  }
  const int before = thread_count();
  set_thread_count(1);
  const auto one = exact(90, image, size);
  set_thread_count(3);
  EXPECT_EQ(exact(90, image, size), one);
  set_thread_count(before);
}

// agreement: pixel types
TEST(ExactZernike, PixelTypesAgree) {
  const int size = 20;
  std::vector<unsigned char> bytes(static_cast<std::size_t>(size) * size);
  for (std::size_t p = 0; p < bytes.size(); ++p) bytes[p] = static_cast<unsigned char>(p * 37);
  const std::vector<float> floats(bytes.begin(), bytes.end());
  const std::vector<double> doubles(bytes.begin(), bytes.end());
  const auto engine = cpu_plan({Family::kZernike, 25, Method::kExact}, size);
  std::vector<std::complex<double>> a(engine->moment_count());
  std::vector<std::complex<double>> b(a.size());
  engine->moments(ImageBatch(bytes, 1, size), a);
  engine->moments(ImageBatch(floats, 1, size), b);
  EXPECT_EQ(a, b);
  EXPECT_EQ(a, moments_of(*engine, doubles));
}

// mechanics: what is refused, and how.
TEST(ExactZernike, WrongSpecificationsAreRefused) {
  EXPECT_THROW(cpu_plan({Family::kZernike, -1, Method::kExact}, 8), UsageError);
  EXPECT_THROW(cpu_plan({Family::kZernike, 4, Method::kExact}, 1), UsageError);
  EXPECT_THROW(cpu_plan({Family::kPseudoZernike, 4, Method::kExact}, 8), UsageError);
  std::vector<double> image(64, 1.0);
  image[27] = std::numeric_limits<double>::infinity();
  EXPECT_THROW(exact(4, image, 8), InputError);
}

}  // namespace
}  // namespace leafglyph
