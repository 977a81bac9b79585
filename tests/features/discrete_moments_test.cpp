// Tchebichef and Krawtchouk polynomials and moments.
#include <gtest/gtest.h>

#include <algorithm>
#include <boost/multiprecision/cpp_bin_float.hpp>
#include <cmath>
#include <complex>
#include <string>
#include <vector>

#include "features/base/errors.h"
#include "features/base/statistics.h"
#include "features/moments/discrete_polynomials.h"
#include "tests/support/discrete_definition.h"
#include "tests/support/plans.h"
#include "tests/support/random_image.h"
#include "tests/support/refusal.h"

namespace leafglyph {
namespace {

using testing::refusal;

constexpr unsigned kDiscreteSeed = 20261129;

template <unsigned kDigits>
using Digits = boost::multiprecision::number<boost::multiprecision::cpp_bin_float<kDigits>>;

const std::vector<double> kProbabilities = {0.5, 0.3, 0.9, 0.01, 1e-6};

// The largest difference from the definition at every degree and pixel of which both numbers are
// multiples of `step`.
template <class Real>
double distance_to_tchebichef(int length, int step) {
  const auto values = tchebichef_values(length, length - 1);
  double largest = 0.0;
  for (int n = 0; n < length; n += step) {
    for (int x = 0; x < length; x += step) {
      const auto expected = static_cast<double>(tchebichef_by_definition<Real>(n, x, length));
      largest = std::max(largest, std::abs(values[n * length + x] - expected));
    }
  }
  return largest;
}

template <class Real>
double distance_to_krawtchouk(double p, int length, int step) {
  const auto values = krawtchouk_values(p, length, length - 1);
  double largest = 0.0;
  for (int n = 0; n < length; n += step) {
    for (int x = 0; x < length; x += step) {
      const auto expected = static_cast<double>(krawtchouk_by_definition<Real>(p, n, x, length));
      largest = std::max(largest, std::abs(values[n * length + x] - expected));
    }
  }
  return largest;
}

// oracle: the hypergeometric sums, with more digits than they cancel; rounded to double both differ
// by one unit of the last digit at most
TEST(DiscretePolynomials, AreTheirHypergeometricSums) {
  for (const int length : {1, 2, 3, 4, 17, 40}) {
    EXPECT_LT(distance_to_tchebichef<Digits<200>>(length, 1), 2.3e-16) << length;
    for (const double p : kProbabilities) {
      EXPECT_LT(distance_to_krawtchouk<Digits<400>>(p, length, 1), 2.3e-16) << length << ' ' << p;
    }
  }
}

// oracle: as above, at degrees at which the recurrences in n have lost every digit. 1e-14: 600
// steps in long double, times 2^64 / 2^53 for what they lose, stay far below it.
TEST(DiscretePolynomials, KeepTheirDigitsAtHighDegrees) {
  EXPECT_LT(distance_to_tchebichef<Digits<1000>>(600, 37), 1e-14);
  for (const double p : {0.5, 0.2}) {
    EXPECT_LT(distance_to_krawtchouk<Digits<1500>>(p, 600, 37), 1e-14) << p;
  }
}

// invariant: rows have length 1 and are orthogonal, also where values near the ends are below the
// smallest number that there is
TEST(DiscretePolynomials, AreOrthonormal) {
  constexpr int kLength = 3000;
  std::vector<std::vector<double>> tables = {tchebichef_values(kLength, kLength - 1)};
  for (const double p : kProbabilities)
    tables.push_back(krawtchouk_values(p, kLength, kLength - 1));
  for (const auto& values : tables) {
    for (const int n : {0, 1, 2, 700, 1500, 2998, 2999}) {
      for (const int m : {0, 1, 3, 699, 1501, 2997, 2999}) {
        long double sum = 0.0L;
        for (int x = 0; x < kLength; ++x) {
          sum += static_cast<long double>(values[n * kLength + x]) * values[m * kLength + x];
        }
        // 1e-13: 3,000 products of values that were rounded to double
        EXPECT_NEAR(static_cast<double>(sum), n == m ? 1.0 : 0.0, 1e-13) << n << ' ' << m;
      }
    }
  }
}

// invariant: to the highest degree on both axes the image comes back, and beyond it there is none
TEST(DiscreteMoments, GiveTheImageBack) {
  const ArraySize size{23, 14};
  const int order = 23 + 14 - 2;
  const auto image = random_values(size.elements(), kDiscreteSeed);
  for (const MomentSpec& spec :
       {MomentSpec{Family::kTchebichef, order + 3, Method::kExact},
        MomentSpec{Family::kKrawtchouk, order + 3, Method::kExact, 1, {0.5, 0.5}},
        MomentSpec{Family::kKrawtchouk, order + 3, Method::kExact, 1, {0.2, 0.9}}}) {
    const auto plan = cpu_plan(spec, size);
    const auto moments = moments_of(*plan, image);
    EXPECT_EQ(moments[moment_position(spec.family, 23, 0)], 0.0);
    EXPECT_EQ(moments[moment_position(spec.family, 0, 14)], 0.0);
    EXPECT_NE(moments[moment_position(spec.family, 22, 13)], 0.0);
    EXPECT_LT(relative_l2(image_of(*plan, moments, order), image), 1e-14);
    EXPECT_GT(relative_l2(image_of(*plan, moments, order - 4), image), 1e-6);
  }
}

// oracle: by hand. Columns count from the left and rows from the top.
TEST(DiscreteMoments, OfSmallImagesAreTheKnownOnes) {
  const std::vector<double> image = {1, 2, 3, 4};  // 1 2 above 3 4
  const auto tchebichef = moments_of(*cpu_plan({Family::kTchebichef, 2, Method::kExact}, 2), image);
  const std::vector<std::complex<double>> expected = {5, 1, 2, 0, 0, 0};  // 00 10 01 20 11 02
  EXPECT_LT(relative_l2(tchebichef, expected), 1e-15);
  // p = 1/4 of columns: sqrt of 3/4 and 1/4, and its mirror image with the other sign
  const auto krawtchouk =
      moments_of(*cpu_plan({Family::kKrawtchouk, 1, Method::kExact, 1, {0.25, 0.5}}, 2), image);
  const double a = std::sqrt(0.75);
  const double half = std::sqrt(0.5);
  EXPECT_NEAR(krawtchouk[0].real(), half * (a * (1 + 3) + 0.5 * (2 + 4)), 1e-15);
  EXPECT_NEAR(krawtchouk[1].real(), half * (0.5 * (1 + 3) - a * (2 + 4)), 1e-15);
  EXPECT_NEAR(krawtchouk[2].real(), half * (a * (1 - 3) + 0.5 * (2 - 4)), 1e-15);
}

// mechanics: names and what is refused
TEST(DiscreteMoments, HaveNamesAndRefuseWhatTheyAreNot) {
  const auto named = weighted_family_from_text("krawtchouk");
  EXPECT_EQ(named.family, Family::kKrawtchouk);
  EXPECT_EQ(named.weight, (JacobiWeight{0.5, 0.5}));
  EXPECT_EQ(family_text(weighted_family_from_text("krawtchouk:0.3:0.7")), "krawtchouk:0.3:0.7");
  EXPECT_EQ(family_text(named), "krawtchouk");
  for (const char* text : {"krawtchouk:0:0.5", "krawtchouk:0.5:1", "krawtchouk:nan:0.5"}) {
    EXPECT_THROW(weighted_family_from_text(text), UsageError) << text;
  }
  const MomentSpec sampled{Family::kTchebichef, 4};
  EXPECT_EQ(refusal([&] { validate(sampled); }),
            "tchebichef moments are sums over pixels; leave out the method");
  const MomentSpec two{Family::kKrawtchouk, 4, Method::kExact, 1, {0.25, 0.5}};
  EXPECT_EQ(refusal([&] {
              validate(two, {4, 4, 4});
            }),
            "krawtchouk:0.25:0.5, order 4, exact: volumes have one p for all three axes");
}

}  // namespace
}  // namespace leafglyph
