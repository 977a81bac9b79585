// Zernike moments, and images from them, by separation of variables.
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "features/base/statistics.h"
#include "features/moments/disk_grid.h"
#include "features/separable/recurrence_moments.h"
#include "features/separable/separable_image.h"
#include "features/separable/table_moments.h"
#include "features/zernike/polar_transform.h"
#include "tests/support/disk_oracle.h"
#include "tests/support/plans.h"
#include "tests/support/random_image.h"

namespace leafglyph {
namespace {

constexpr unsigned kSeparableZernikeSeed = 20260801;
constexpr Mask kMasks[] = {Mask::kCentre, Mask::kWhole};

using Moments = std::vector<std::complex<double>>;

std::string text(const DiskRule& rule) {
  return "N=" + std::to_string(rule.size) + " " +
         describe(MomentSpec{Family::kZernike, rule.order, rule.method, rule.points}) +
         (rule.mask == Mask::kWhole ? ", whole pixels" : ", centres") + ", seed " +
         std::to_string(kSeparableZernikeSeed);
}

Moments by_tables(const DiskRule& rule, const std::vector<double>& image) {
  Moments out(moment_count(Family::kZernike, rule.order));
  TableMoments<double>(rule).moments(ImageBatch(image, 1, rule.size), out);
  return out;
}

Moments by_float_tables(const DiskRule& rule, const std::vector<double>& image) {
  Moments out(moment_count(Family::kZernike, rule.order));
  TableMoments<float>(rule).moments(ImageBatch(image, 1, rule.size), out);
  return out;
}

Moments by_recurrences(const DiskRule& rule, const std::vector<double>& image) {
  Moments out(moment_count(Family::kZernike, rule.order));
  RecurrenceMoments::Workspace work;
  RecurrenceMoments(rule).moments(ImageBatch(image, 1, rule.size), out, work);
  return out;
}

Moments by_polar(const MomentSpec& spec, int size, const std::vector<double>& image) {
  MomentPlan plan = plan_through(spec, size, make_polar_forward(spec, size));
  return moments_of(plan, image);
}

// 0 except in whole pixels, so that masks do not matter.
std::vector<double> inner_image(int size) {
  auto image = random_image(size, kSeparableZernikeSeed);
  const DiskGrid disk(size, Mask::kWhole);
  for (std::size_t p = 0; p < image.size(); ++p) {
    if (disk.mask().pixels()[p] == 0) image[p] = 0.0;
  }
  return image;
}

void expect_oracle(const DiskRule& rule) {
  const auto image = random_image(rule.size, kSeparableZernikeSeed);
  const auto expected = oracle::disk_moments(rule, image);
  // 1e-13: a few hundred roundings of double; 1e-6: what kFloat promises
  EXPECT_LT(relative_l2(by_recurrences(rule, image), expected), 1e-13) << text(rule);
  EXPECT_LT(relative_l2(by_tables(rule, image), expected), 1e-13) << text(rule);
  EXPECT_LT(relative_l2(by_float_tables(rule, image), expected), 1e-6) << text(rule);
}

// oracle: the definition in long double, every rule, even and odd sizes
TEST(SeparableZernike, SubregionsAreTheDefinition) {
  for (const Mask mask : kMasks) {
    for (const auto& [size, order, k] :
         {std::array{24, 16, 1}, std::array{25, 17, 1}, std::array{33, 60, 1},
          std::array{24, 20, 2}, std::array{25, 20, 2}, std::array{17, 12, 3},
          std::array{16, 12, 3}, std::array{2, 3, 1}, std::array{3, 4, 1}, std::array{9, 0, 1}}) {
      // 2 x 2 and 3 x 3 images: only the corners of the middle pixel lie inside
      if (mask == Mask::kWhole && size == 2) continue;
      expect_oracle({size, order, Method::kSubregion, k, mask});
    }
  }
}

// oracle: integrals over the part of each pixel inside the disk, in long double.
TEST(SeparableZernike, ExactMomentsAreIntegralsOverThePartsInsideTheDisk) {
  for (const Mask mask : kMasks) {
    for (const auto& [size, order] : {std::array{8, 10}, std::array{7, 9}, std::array{10, 20}}) {
      expect_oracle({size, order, Method::kExact, 1, mask});
    }
  }
}

// oracle: the sum over the points in long double.
TEST(SeparableZernike, GaussPointsOutsideTheDiskAreLeftOut) {
  for (const Mask mask : kMasks) {
    for (const auto& [size, order, k] :
         {std::array{12, 16, 2}, std::array{13, 16, 3}, std::array{10, 20, 6}}) {
      expect_oracle({size, order, Method::kGauss, k, mask});
    }
  }
}

// agreement: Gauss points in the polar transform, enough of them to equal the integral
TEST(SeparableZernike, Order200AgreesWithThePolarTransform) {
  for (const auto& [size, k] : {std::array{64, 48}, std::array{101, 40}}) {
    const auto image = inner_image(size);
    const auto expected = by_polar({Family::kZernike, 200, Method::kGauss, k}, size, image);
    const DiskRule exact{size, 200, Method::kExact, 1, Mask::kWhole};
    // 1e-12: the error of the polar transform's spreading, for moments of size 1
    EXPECT_LT(relative_l2(by_recurrences(exact, image), expected), 1e-12) << text(exact);
  }
  const int size = 96;
  const auto image = inner_image(size);
  const auto twelve = by_polar({Family::kZernike, 200, Method::kGauss, 12}, size, image);
  const DiskRule rule{size, 200, Method::kGauss, 12, Mask::kWhole};
  EXPECT_LT(relative_l2(by_recurrences(rule, image), twelve), 1e-12);
}

// agreement: sub-pixel centres in the polar transform; the separable lines are summed on fewer
// nodes
TEST(SeparableZernike, ManySubregionsAgreeWithThePolarTransform) {
  for (const auto& [size, order, k] : {std::array{24, 20, 9}, std::array{101, 90, 9}}) {
    const auto image = inner_image(size);
    const DiskRule rule{size, order, Method::kSubregion, k, Mask::kWhole};
    ASSERT_TRUE(LineLayout(rule, true).merged) << text(rule);
    const auto direct = by_polar({Family::kZernike, order, Method::kSubregion, k}, size, image);
    // 1e-12: as above
    EXPECT_LT(relative_l2(by_recurrences(rule, image), direct), 1e-12) << text(rule);
  }
}

// agreement: separable and polar, with as many Gauss points per pixel as order 500 needs at the
// rim, and at the pixel centres.
TEST(SeparableZernike, OrdersTo1000AgreeWithThePolarTransform) {
  const auto expect_agreement = [](const DiskRule& rule, const MomentSpec& polar) {
    const auto image = inner_image(rule.size);
    // 1e-11: the error of the polar transform's spreading; measured 1.2e-12 and 2e-13
    EXPECT_LT(relative_l2(by_recurrences(rule, image), by_polar(polar, rule.size, image)), 1e-11)
        << text(rule);
  };
  expect_agreement({64, 500, Method::kExact, 1, Mask::kWhole},
                   {Family::kZernike, 500, Method::kGauss, 48});
  expect_agreement({256, 1000, Method::kSubregion, 1, Mask::kWhole}, {Family::kZernike, 1000});
}

// invariant: the moments of a low order equal those of a high one, for which a panel of lines has
// more nodes than are otherwise processed at a time
TEST(SeparableZernike, LowOrdersAreTheFirstOfOrder2500) {
  for (const int size : {100, 300}) {
    const auto image = random_image(size, kSeparableZernikeSeed);
    const Moments all = by_recurrences({size, 2500, Method::kExact, 1, Mask::kWhole}, image);
    const Moments low = by_recurrences({size, 60, Method::kExact, 1, Mask::kWhole}, image);
    const std::vector<std::complex<double>> first(all.begin(), all.begin() + std::ssize(low));
    EXPECT_LT(relative_l2(first, low), 1e-12)  // sums of 1e5 terms in double
        << "N=" << size << " seed " << kSeparableZernikeSeed;
  }
}

// invariant: more Gauss nodes per row than the rule takes change nothing. Up to order 4 N, where
// the pixels at the rim oscillate most. A rule for a higher order takes more nodes.
TEST(SeparableZernike, LinesOfTheExactMethodAreEnough) {
  for (const Mask mask : kMasks) {
    for (const auto& [size, order] :
         {std::array{16, 16}, std::array{16, 64}, std::array{64, 256}, std::array{128, 30}}) {
      const auto image = random_image(size, kSeparableZernikeSeed);
      const DiskRule rule{size, order, Method::kExact, 1, mask};
      DiskRule finer = rule;
      finer.order = order * 5 / 4 + 24;
      Moments expected = by_recurrences(finer, image);
      expected.resize(moment_count(Family::kZernike, order));
      // 3e-13: measured 1e-15 to 1.3e-13 here; at N = 1024 8.5e-14 for order N, 4.1e-13 for 4 N
      EXPECT_LT(relative_l2(by_recurrences(rule, image), expected), 3e-13) << text(rule);
    }
  }
}

// oracle: the moment of a constant is the area of the pixels that count; repetitions that are not
// multiples of 4 vanish by the square's symmetry
TEST(SeparableZernike, ConstantImageIsTheAreaOfTheMask) {
  for (const int size : {15, 64, 101}) {
    const std::vector<double> image(static_cast<std::size_t>(size) * size, 1.0);
    const DiskGrid disk(size, Mask::kWhole);
    const double area = 4.0 * static_cast<double>(disk.pixel_count()) / size / size;
    const auto z = by_recurrences({size, 60, Method::kExact, 1, Mask::kWhole}, image);
    EXPECT_NEAR(z[0].real(), area * std::numbers::inv_pi, 1e-14) << size;  // roundings of 1
    for (const auto& [n, m] : moment_indices(Family::kZernike, 60)) {
      if (m % 4 == 0) continue;
      EXPECT_NEAR(std::abs(z[moment_position(Family::kZernike, n, m)]), 0.0, 1e-13)
          << n << "," << m;
    }
  }
}

// oracle: the half plane x > 0 of the disk has Z_11 = (2/pi) (2/3)
TEST(SeparableZernike, HalfPlaneTendsToItsClosedForm) {
  const double expected = 4.0 / 3.0 * std::numbers::inv_pi;
  double before = 1.0;
  for (const int size : {64, 256, 1024}) {
    std::vector<double> image(static_cast<std::size_t>(size) * size, 0.0);
    for (int j = 0; j < size; ++j) {
      for (int i = size / 2; i < size; ++i) image[static_cast<std::size_t>(j) * size + i] = 1.0;
    }
    const auto z = by_recurrences({size, 3, Method::kExact, 1, Mask::kWhole}, image);
    const double error = std::abs(z[moment_position(Family::kZernike, 1, 1)] - expected);
    EXPECT_LT(error, 5.0 / size);  // the pixels cut by the circle, about 5 / N of the area
    EXPECT_LT(error, before);
    before = error;
  }
}

// oracle: V_nm at one pixel near the pole. There s^k underflows far below the degrees at which its
// polynomial is of size 1, in plain double from order 1900 on.
TEST(SeparableZernike, NothingUnderflowsTowardsThePoles) {
  const int size = 32;
  const int order = 2500;
  std::vector<double> image(static_cast<std::size_t>(size) * size, 0.0);
  const int row = 1;
  const int column = 14;
  image[row * size + column] = 1.0;
  const auto z = by_recurrences({size, order, Method::kSubregion, 1, Mask::kCentre}, image);
  const long double x = (2.0L * column + 1 - size) / size;
  const long double y = (size - 1.0L - 2 * row) / size;
  const long double rho = std::hypot(x, y);
  const long double theta = std::atan2(y, x);
  Moments expected(z.size());
  for (int m = 0; m <= order; ++m) {
    // R_nm = (-1)^i rho^m P_i^(m,0)(1 - 2 rho^2), upwards in i
    const long double t = 1 - 2 * rho * rho;
    long double before = 0;
    long double current = std::pow(rho, static_cast<long double>(m));
    for (int n = m, i = 0; n <= order; n += 2, ++i) {
      const long double sign = i % 2 == 0 ? 1 : -1;
      const long double value = sign * current * (n + 1) / std::acos(-1.0L) * 4 / size / size;
      expected[moment_position(Family::kZernike, n, m)] = {
          static_cast<double>(value * std::cos(m * theta)),
          static_cast<double>(-value * std::sin(m * theta))};
      const long double a = m;
      const long double j = i + 1;
      const long double next =
          ((2 * j + a - 1) * ((2 * j + a) * (2 * j + a - 2) * t + a * a) * current -
           2 * (j + a - 1) * (j - 1) * (2 * j + a) * before) /
          (i == 0 && m == 0 ? 1 : 2 * j * (j + a) * (2 * j + a - 2));
      before = current;
      current = i == 0 ? current * ((a + 2) * t + a) / 2 : next;
    }
  }
  // 1e-11: the polynomials' slope, up to 2500^2 / 2, times the roundings of x / s
  EXPECT_LT(relative_l2(z, expected), 1e-11);
}

// --- images --------------------------------------------------------------------------------------

// The weights of a full image.
Moments whole_weights(Moments moments, int order) {
  const auto indices = moment_indices(Family::kZernike, order);
  for (std::size_t c = 0; c < moments.size(); ++c) {
    if (indices[c].m > 0) moments[c] *= 2.0;
  }
  return moments;
}

// oracle: the sum over the moments in long double, at each pixel centre
TEST(SeparableZernike, ImagesAreTheSumOverTheMoments) {
  const int order = 40;
  for (const int size : {24, 25}) {
    for (const Mask mask : kMasks) {
      const DiskRule rule{size, order, Method::kExact, 1, mask};
      const auto weighted =
          whole_weights(by_recurrences(rule, random_image(size, kSeparableZernikeSeed)), order);
      std::vector<double> expected(static_cast<std::size_t>(size) * size, -7.0);
      for (int j = 0; j < size; ++j) {
        for (int i = 0; i < size; ++i) {
          const auto square = oracle::square_of(i, j, size);
          if (mask == Mask::kWhole ? !square.has_corners_inside : !square.has_centre_inside) {
            continue;
          }
          const long double x = (square.x0 + square.x1) / 2;
          const long double y = (square.y0 + square.y1) / 2;
          const auto radial = oracle::radial_table(Family::kZernike, order, std::hypot(x, y));
          long double sum = 0;
          for (int n = 0; n <= order; ++n) {
            for (int m = n % 2; m <= n; m += 2) {
              const auto w = weighted[moment_position(Family::kZernike, n, m)];
              const long double angle = m * std::atan2(y, x);
              sum += radial[n][m] * (w.real() * std::cos(angle) - w.imag() * std::sin(angle));
            }
          }
          expected[static_cast<std::size_t>(j) * size + i] = static_cast<double>(sum);
        }
      }
      std::vector<double> image(expected.size(), -7.0);  // unchanged where no pixel counts
      SeparableImage(rule).image(weighted, image);
      EXPECT_LT(relative_l2(image, expected), 1e-13) << text(rule);  // roundings of double
    }
  }
}

// agreement: the polar transform's images
TEST(SeparableZernike, ImagesOfOrder300AgreeWithThePolarTransform) {
  const int size = 128;
  const int order = 300;
  const MomentSpec spec{Family::kZernike, order, Method::kExact};
  const DiskRule rule{size, order, Method::kExact, 1, Mask::kWhole};
  const auto moments = by_recurrences(rule, inner_image(size));
  MomentPlan polar = plan_through(spec, size, nullptr, make_polar_backward(spec, size));
  const auto expected = image_of(polar, moments, order);
  std::vector<double> image(expected.size(), 0.0);
  SeparableImage(rule).image(whole_weights(moments, order), image);
  EXPECT_LT(relative_l2(image, expected), 1e-11);  // the error of the polar transform's 14 cells
}

}  // namespace
}  // namespace leafglyph
