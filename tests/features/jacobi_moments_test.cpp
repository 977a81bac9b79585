#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "features/base/errors.h"
#include "features/base/limits.h"
#include "features/base/memory.h"
#include "features/base/statistics.h"
#include "features/jacobi/axis_transform.h"
#include "features/jacobi/jacobi_slices.h"
#include "features/moments/disk_grid.h"
#include "features/moments/jacobi_polynomials.h"
#include "tests/support/plans.h"
#include "tests/support/random_image.h"
#include "tests/support/refusal.h"

namespace leafglyph {
namespace {

using testing::refusal;
using testing::refuses;

constexpr unsigned kJacobiMomentsSeed = 20240701;
const std::vector<JacobiWeight> kWeights = {
    {0.0, 0.0}, {0.3, 0.3}, {0.3, 0.7}, {-0.5, -0.5}, {2.5, -0.9}};

// A spec and the size of its arrays.
struct AskedJacobi {
  MomentSpec spec;
  ArraySize size;

  std::size_t element_count() const { return size.elements(); }
  std::size_t moment_count() const { return leafglyph::moment_count(spec, size); }
};

AskedJacobi jacobi_spec(int width, int height, int depth, int order, JacobiWeight weight = {},
                        Method method = Method::kExact, int points = 1) {
  return {{Family::kJacobi, order, method, points, weight}, {width, height, depth}};
}

std::unique_ptr<MomentPlan> jacobi_plan(const AskedJacobi& asked,
                                        Precision precision = Precision::kDouble) {
  return cpu_plan(asked.spec, asked.size, precision);
}

std::vector<double> real_moments_of(const AskedJacobi& asked, const std::vector<double>& values,
                                    Precision precision = Precision::kDouble) {
  std::vector<double> real;
  for (const auto& moment : moments_of(*jacobi_plan(asked, precision), values)) {
    EXPECT_EQ(moment.imag(), 0.0);
    real.push_back(moment.real());
  }
  return real;
}

// The number of moments of a volume up to `order`.
std::size_t volume_count(int order) {
  return moment_count_to({Family::kJacobi, 99}, {1, 1, 1}, order);
}

// The values reconstructed from these moments, with 0 for all higher orders.
std::vector<double> values_of(const AskedJacobi& asked, const std::vector<double>& moments,
                              int order) {
  std::vector<std::complex<double>> all(moments.begin(), moments.end());
  all.resize(asked.moment_count());
  return image_of(*jacobi_plan(asked), all, order);
}

// invariant: orthonormality; the Gauss points integrate exactly to order 798
TEST(Jacobi, PolynomialsAreOrthonormal) {
  const int order = 60;
  const auto rule = gauss_legendre_rule(400);
  for (const JacobiWeight& weight : {JacobiWeight{0, 0}, JacobiWeight{2, 1}, JacobiWeight{3, 0}}) {
    const JacobiRecurrence recurrence(weight, order);
    std::vector<long double> values(order + 1);
    std::vector<std::vector<double>> gram(order + 1, std::vector<double>(order + 1, 0.0));
    for (int s = 0; s < rule.points(); ++s) {
      const long double x = rule.nodes[s];
      const long double factor = rule.weights[s] * std::pow(1 - x, weight.alpha + 0.0L) *
                                 std::pow(1 + x, weight.beta + 0.0L);
      recurrence.evaluate(x, values);
      for (int i = 0; i <= order; ++i) {
        for (int j = 0; j <= order; ++j) {
          gram[i][j] += static_cast<double>(factor * values[i] * values[j]);
        }
      }
    }
    for (int i = 0; i <= order; ++i) {
      // 1e-13: a sum of 400 terms in double, exact for these whole-numbered weights
      for (int j = 0; j <= order; ++j) EXPECT_NEAR(gram[i][j], i == j ? 1.0 : 0.0, 1e-13);
    }
  }
}

// invariant: the exact integrals over a pixel equal those over its halves, and an axis adds up to
// [n = 0]
TEST(Jacobi, ExactIntegralsAddUp) {
  for (const JacobiWeight& weight : kWeights) {
    const AxisTables coarse = jacobi_axis_tables(weight, 15, 80, Method::kExact, 1, false);
    const AxisTables fine = jacobi_axis_tables(weight, 30, 80, Method::kExact, 1, false);
    for (int n = 0; n <= 80; ++n) {
      double sum = 0.0;
      for (int i = 0; i < 15; ++i) {
        const double whole = coarse.integrals[n * 15 + i];
        sum += whole;
        // 1e-15: both are rounded from long double
        EXPECT_NEAR(fine.integrals[n * 30 + 2 * i] + fine.integrals[n * 30 + 2 * i + 1], whole,
                    1e-15);
      }
      const double expected =
          n == 0 ? std::sqrt(static_cast<double>(jacobi_weight_integral(weight, 1.0L))) : 0.0;
      EXPECT_NEAR(sum, expected, 1e-14) << n;  // 15 rounded terms
    }
  }
}

// oracle: Legendre by hand
TEST(Jacobi, LowLegendreIntegralsAreTheKnownOnes) {
  const AxisTables axis = jacobi_axis_tables({}, 4, 2, Method::kExact, 1, false);
  for (int i = 0; i < 4; ++i) {
    const double a = -1.0 + 0.5 * i;
    const double b = a + 0.5;
    EXPECT_NEAR(axis.integrals[i], std::sqrt(0.5) * (b - a), 1e-16);
    EXPECT_NEAR(axis.integrals[4 + i], std::sqrt(1.5) * (b * b - a * a) / 2, 1e-16);
    const double cubic = (b * b * b - b) / 2 - (a * a * a - a) / 2;
    EXPECT_NEAR(axis.integrals[8 + i], std::sqrt(2.5) * cubic, 3e-16);
  }
}

// oracle: the definition, every moment by its own double or triple sum over tables of one axis
TEST(JacobiMoments, AgreesWithTheDirectSums) {
  for (const JacobiWeight& weight : kWeights) {
    for (const Method method : {Method::kExact, Method::kSubregion, Method::kGauss}) {
      const auto spec = jacobi_spec(7, 9, 5, 11, weight, method, 2);
      const auto values = random_values(spec.element_count(), kJacobiMomentsSeed);
      const AxisTables x = jacobi_axis_tables(weight, 7, 11, method, 2, false);
      const AxisTables y = jacobi_axis_tables(weight, 9, 11, method, 2, true);
      const AxisTables z = jacobi_axis_tables(weight, 5, 11, method, 2, false);
      std::vector<double> expected(spec.moment_count(), 0.0);
      for (int m = 0; m <= 11; ++m) {
        for (int n = 0; m + n <= 11; ++n) {
          for (int o = 0; m + n + o <= 11; ++o) {
            double& sum = expected[volume_moment_position(m, n, o)];
            for (int k = 0; k < 5; ++k) {
              for (int j = 0; j < 9; ++j) {
                for (int i = 0; i < 7; ++i) {
                  sum += values[(k * 9 + j) * 7 + i] * x.integrals[m * 7 + i] *
                         y.integrals[n * 9 + j] * z.integrals[o * 5 + k];
                }
              }
            }
          }
        }
      }
      EXPECT_LT(relative_l2(real_moments_of(spec, values), expected),
                1e-14);  // 300 terms in double
    }
  }
}

// agreement: more orders than a block of rows has; volumes of one slice against images
TEST(JacobiMoments, AVolumeOfOneSliceIsAnImage) {
  const auto flat = jacobi_spec(40, 30, 0, 70, {0.3, 0.7});
  const auto volume = jacobi_spec(40, 30, 1, 70, {0.3, 0.7});
  const auto values = random_values(flat.element_count(), kJacobiMomentsSeed + 1);
  const auto image_moments = real_moments_of(flat, values);
  const auto volume_moments = real_moments_of(volume, values);
  const AxisTables z = jacobi_axis_tables({0.3, 0.7}, 1, 70, Method::kExact, 1, false);
  for (int m = 0; m <= 70; ++m) {
    for (int n = 0; m + n <= 70; ++n) {
      const double value = image_moments[moment_position(Family::kJacobi, m, n)];
      EXPECT_NEAR(volume_moments[volume_moment_position(m, n, 0)], value * z.integrals[0],
                  1e-11);  // sums of 1200 values of up to 255
    }
  }
}

// mechanics: positions number the moments, and lower orders are prefixes with the same values
TEST(JacobiMoments, LowerOrdersArePrefixes) {
  std::vector<bool> seen(volume_count(12), false);
  for (int m = 0; m <= 12; ++m) {
    for (int n = 0; m + n <= 12; ++n) {
      for (int o = 0; m + n + o <= 12; ++o) {
        const std::size_t position = volume_moment_position(m, n, o);
        ASSERT_LT(position, volume_count(m + n + o));
        ASSERT_GE(position, volume_count(m + n + o - 1));
        EXPECT_FALSE(seen[position]);
        seen[position] = true;
      }
    }
  }
  const auto high = jacobi_spec(20, 24, 18, 40, {0.3, 0.3});
  auto low = high;
  low.spec.order = 13;
  const auto values = random_values(high.element_count(), kJacobiMomentsSeed + 2);
  auto prefix = real_moments_of(high, values);
  prefix.resize(low.moment_count());
  EXPECT_LT(relative_l2(real_moments_of(low, values), prefix), 1e-14);  // the same sums
  EXPECT_LT(relative_l2(values_of(high, prefix, 13), values_of(low, prefix, 13)), 1e-14);
}

// oracle: a constant has one moment under a weight of total mass rho_0; a ramp to the right and an
// upward ramp have the moments of x and y
TEST(JacobiMoments, ConstantsAndRamps) {
  const auto spec = jacobi_spec(50, 40, 0, 6);
  const auto constant = real_moments_of(spec, std::vector<double>(2000, 3.0));
  EXPECT_NEAR(constant[0], 6.0, 1e-13);  // 3 times the square root of the area 4
  for (std::size_t c = 1; c < constant.size(); ++c) EXPECT_NEAR(constant[c], 0.0, 1e-13);
  std::vector<double> upwards(2000);
  std::vector<double> to_the_right(2000);
  for (int j = 0; j < 40; ++j) {
    for (int i = 0; i < 50; ++i) {
      upwards[j * 50 + i] = (39.0 - 2 * j) / 40;
      to_the_right[j * 50 + i] = (2.0 * i - 49) / 50;
    }
  }
  // the integral of a staircase with N steps of x times x: 2/3 (1 - 1/N^2) per side
  const double side = std::sqrt(1.5) * std::sqrt(0.5) * 2.0 * 2.0 / 3.0;
  const auto up = real_moments_of(spec, upwards);
  EXPECT_NEAR(up[moment_position(Family::kJacobi, 0, 1)], side * (1 - 1.0 / 1600), 1e-13);
  EXPECT_NEAR(up[moment_position(Family::kJacobi, 1, 0)], 0.0, 1e-13);
  const auto right = real_moments_of(spec, to_the_right);
  EXPECT_NEAR(right[moment_position(Family::kJacobi, 1, 0)], side * (1 - 1.0 / 2500), 1e-13);
}

// oracle: one bright voxel has the product of its three integrals
TEST(JacobiMoments, ASingleVoxel) {
  const auto spec = jacobi_spec(16, 17, 18, 30, {0.3, 0.7});
  std::vector<double> values(spec.element_count(), 0.0);
  values[(4 * 17 + 9) * 16 + 2] = 2.0;
  const auto got = real_moments_of(spec, values);
  const AxisTables x = jacobi_axis_tables(spec.spec.weight, 16, 30, Method::kExact, 1, false);
  const AxisTables y =
      jacobi_axis_tables(spec.spec.weight, 17, 30, Method::kExact, 1, false);  // row 9 from the top
  const AxisTables z = jacobi_axis_tables(spec.spec.weight, 18, 30, Method::kExact, 1, false);
  for (int m = 0; m <= 30; m += 5) {
    for (int n = 0; m + n <= 30; n += 3) {
      for (int o = 0; m + n + o <= 30; o += 4) {
        EXPECT_NEAR(
            got[volume_moment_position(m, n, o)],
            2.0 * x.integrals[m * 16 + 2] * y.integrals[n * 17 + 7] * z.integrals[o * 18 + 4],
            1e-15);  // three roundings of numbers below 1
      }
    }
  }
}

// invariant: a polynomial volume of degree 6 is reconstructed from its moments of order 6 under
// every weight, up to the difference between the integrals of a staircase and those of the
// polynomial
TEST(JacobiMoments, APolynomialComesBack) {
  for (const JacobiWeight& weight : {JacobiWeight{0, 0}, JacobiWeight{0.3, 0.7}}) {
    double before = 0.0;
    for (const int size : {32, 64}) {
      const auto spec = jacobi_spec(size, size - 3, size + 5, 6, weight);
      std::vector<double> values(spec.element_count());
      for (int k = 0; k < spec.size.depth; ++k) {
        for (int j = 0; j < spec.size.height; ++j) {
          for (int i = 0; i < spec.size.width; ++i) {
            const double x = (2.0 * i + 1 - spec.size.width) / spec.size.width;
            const double y = (spec.size.height - 1.0 - 2 * j) / spec.size.height;
            const double z = (2.0 * k + 1 - spec.size.depth) / spec.size.depth;
            values[(static_cast<std::size_t>(k) * spec.size.height + j) * spec.size.width + i] =
                1.0 + x * x * y - y * y * y * z + 2.0 * z * z * z * x;
          }
        }
      }
      const auto back = values_of(spec, real_moments_of(spec, values), 6);
      const double error = relative_l2(back, values);
      // second order in the pixel size: the curvature of p_6 at the ends times 1 / (6 N^2), and a
      // quarter of it at twice the size
      EXPECT_LT(error, 6.0 / (size * size)) << size;
      if (size == 64) {
        EXPECT_LT(error, 0.3 * before);
      }
      before = error;
    }
  }
}

// mechanics: a family reads back as written, with its weight; invalid weights are refused
TEST(JacobiMoments, FamiliesWithWeightsHaveNames) {
  const WeightedFamily jacobi{Family::kJacobi, {-0.5, 0.7}};
  EXPECT_EQ(weighted_family_from_text("jacobi:-0.5:0.7"), jacobi);
  EXPECT_EQ(weighted_family_from_text(family_text(jacobi)), jacobi);
  EXPECT_EQ(family_text(weighted_family_from_text("gegenbauer:1")), "jacobi:0.5:0.5");
  EXPECT_EQ(family_text(weighted_family_from_text("zernike")), "zernike");
  EXPECT_EQ(describe(MomentSpec{Family::kJacobi, 7, Method::kExact, 1, {0, 1}}),
            "jacobi:0:1, order 7, exact");
  EXPECT_THROW(weighted_family_from_text("jacobi"), UsageError);
  EXPECT_THROW(weighted_family_from_text("jacobi:-1:0"), UsageError);
  EXPECT_THROW(validate(MomentSpec{Family::kJacobi, 7, Method::kExact, 1, {-2, 0}}), UsageError);
  EXPECT_THROW(validate(MomentSpec{Family::kLegendre, 7, Method::kExact, 1, {1, 0}}), UsageError);
  EXPECT_THROW(validate(MomentSpec{Family::kJacobi, 7, Method::kAdaptive}), UsageError);
}

// agreement: float against double
TEST(JacobiMoments, FloatStaysClose) {
  const auto spec = jacobi_spec(48, 48, 48, 60, {0.3, 0.3});
  const auto values = random_values(spec.element_count(), kJacobiMomentsSeed + 3);
  const auto exact = real_moments_of(spec, values);
  const auto single = real_moments_of(spec, values, Precision::kFloat);
  EXPECT_LT(relative_l2(single, exact), 2e-6);  // a few roundings to 24 bits
}

// mechanics: what is refused, and how.
TEST(JacobiMoments, BadArgumentsAreRefused) {
  EXPECT_THROW(jacobi_plan(jacobi_spec(0, 4, 4, 2)), UsageError);
  EXPECT_THROW(jacobi_plan(jacobi_spec(4, 4, -1, 2)), UsageError);
  EXPECT_THROW(jacobi_plan(jacobi_spec(4, 4, 4, -1)), UsageError);
  EXPECT_THROW(jacobi_plan(jacobi_spec(4, 4, 4, 2, {-1.0, 0.0})), UsageError);
  EXPECT_THROW(jacobi_plan(jacobi_spec(4, 4, 4, 2, {0.0, std::nan("")})), UsageError);
  EXPECT_THROW(jacobi_plan(jacobi_spec(4, 4, 4, 2, {}, Method::kGauss, 0)), UsageError);
  EXPECT_THROW(jacobi_plan(jacobi_spec(4, 4, 4, 2, {}, Method::kGauss, 1001)), UsageError);
  EXPECT_THROW(jacobi_plan(jacobi_spec(4, 4, 4, 1'000'000'000)), UsageError);
  EXPECT_THROW(jacobi_plan(jacobi_spec(4, 4, std::numeric_limits<int>::max(), 2)), UsageError);
  EXPECT_THROW(gegenbauer_weight(-0.5), UsageError);
  EXPECT_EQ(gegenbauer_weight(0.5), JacobiWeight{});
  EXPECT_THROW(jacobi_plan({{Family::kJacobi, 3, Method::kExact, 1, {}, Mask::kWhole}, 4}),
               UsageError);
}

// mechanics: a voxel that is not a number is reported with its position
TEST(JacobiMoments, ABadVoxelIsNamed) {
  const auto spec = jacobi_spec(4, 5, 6, 3);
  std::vector<double> values(spec.element_count(), 1.0);
  values[(2 * 5 + 3) * 4 + 1] = std::numeric_limits<double>::quiet_NaN();
  EXPECT_TRUE(
      refuses<InputError>([&] { real_moments_of(spec, values); }, "slice 2, row 3, column 1"));
}

// oracle: blocks counted one by one
TEST(JacobiMoments, StairsStandWhereTheirBlocksEnd) {
  for (const int order : {0, 1, 30, 31, 32, 63, 64, 65, 500}) {
    const TriangularLayout stairs(order);
    std::size_t start = 0;
    for (std::size_t m = 0; m <= stairs.order; m += TriangularLayout::kRows) {
      for (std::size_t row = 0; row < stairs.rows(m); ++row) {
        EXPECT_EQ(stairs.row_start(m + row), start + row * stairs.columns(m)) << order;
      }
      start += stairs.rows(m) * stairs.columns(m);
    }
    EXPECT_EQ(stairs.size, start) << order;
  }
}

// mechanics: the longest axes allowed are counted without overflow
TEST(JacobiMoments, TheLargestArraysAreCountedRight) {
  const int longest = kMaxAxisLength;
  const auto spec = jacobi_spec(longest, longest, longest, kMaxJacobiOrder);
  const double stairs = 0.5 * kMaxJacobiOrder * kMaxJacobiOrder * longest;  // and some
  EXPECT_GT(axis_work_bytes({spec.spec, spec.size}), 8.0 * stairs);
  EXPECT_TRUE(refuses<InputError>(
      [&] { jacobi_plan(spec)->prepare(MomentPlan::Direction::kMoments); }, "GiB of memory"));
}

// mechanics: a volume that does not fit is refused with the sizes
TEST(JacobiMoments, AVolumeThatDoesNotFitIsRefused) {
  const std::string text = refusal<InputError>([&] {
    jacobi_plan(jacobi_spec(100000, 100000, 100000, 500))->prepare(MomentPlan::Direction::kMoments);
  });
  EXPECT_NE(text.find("100000 x 100000 x 100000"), std::string::npos) << text;
  EXPECT_NE(text.find("would fit"), std::string::npos) << text;
  EXPECT_EQ(bytes_text(3 * (std::size_t{1} << 29)), "1.5 GiB");
}

}  // namespace
}  // namespace leafglyph
