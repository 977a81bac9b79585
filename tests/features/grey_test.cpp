#include "features/image/grey.h"

#include <gtest/gtest.h>

#include <array>
#include <cmath>

#include "features/base/errors.h"
#include "features/image/image.h"

namespace leafglyph {
namespace {

// The grey value of an 8-bit colour in long double, by the published formulas alone.
long double oracle_grey(GreyRule rule, const std::array<double, 3>& colour) {
  if (rule == GreyRule::kRec601) {
    return 0.299L * colour[0] + 0.587L * colour[1] + 0.114L * colour[2];
  }
  if (rule == GreyRule::kMean) return (0.0L + colour[0] + colour[1] + colour[2]) / 3.0L;
  std::array<long double, 3> light{};
  for (std::size_t c = 0; c < 3; ++c) {
    const long double s = colour[c] / 255.0L;
    light[c] = s <= 0.04045L ? s / 12.92L : std::pow((s + 0.055L) / 1.055L, 2.4L);
  }
  const long double y = 0.2225L * light[0] + 0.7169L * light[1] + 0.0606L * light[2];
  return 255.0L * std::pow(y, 1.0L / (rule == GreyRule::kGamma22 ? 2.2L : 1.8L));
}

// oracle: every rule on a lattice of colours, in long double
TEST(Grey, EveryRuleIsItsFormula) {
  for (const GreyRule rule : kNamesOf<GreyRule>.values()) {
    for (int red = 0; red <= 255; red += 15) {
      for (int green = 0; green <= 255; green += 15) {
        for (int blue = 0; blue <= 255; blue += 15) {
          const std::array<double, 3> colour{1.0 * red, 1.0 * green, 1.0 * blue};
          // 1e-12: a few roundings of values up to 255
          ASSERT_NEAR(grey_value(rule, colour, SampleDepth::k8Bit),
                      static_cast<double>(oracle_grey(rule, colour)), 1e-12)
              << name_of(rule) << " of " << red << " " << green << " " << blue;
        }
      }
    }
  }
}

// invariant: black and white stay, and 257 times the sample has 257 times the grey
TEST(Grey, BlackAndWhiteStayAtEveryDepth) {
  for (const GreyRule rule : kNamesOf<GreyRule>.values()) {
    // 1e-9: rounding of 65535
    EXPECT_NEAR(grey_value(rule, {0, 0, 0}, SampleDepth::k16Bit), 0.0, 1e-9);
    EXPECT_NEAR(grey_value(rule, {65535, 65535, 65535}, SampleDepth::k16Bit), 65535.0, 1e-9);
    const double bytes = grey_value(rule, {200, 100, 50}, SampleDepth::k8Bit);
    const double words = grey_value(rule, {257 * 200, 257 * 100, 257 * 50}, SampleDepth::k16Bit);
    EXPECT_NEAR(words, 257 * bytes, 1e-9) << name_of(rule);
  }
}

// oracle: weights are those of a sum, of every depth, and the published ones are taken as printed
TEST(Grey, WeightsAreThoseOfASum) {
  const Grey baboon = grey_from("0.384,0.480,0.136");
  for (const SampleDepth depth : {SampleDepth::k8Bit, SampleDepth::k16Bit, SampleDepth::kFloat}) {
    // 200 * 0.384 + 100 * 0.48 + 50 * 0.136 by hand; 1e-12: a few roundings
    EXPECT_NEAR(grey_value(baboon, {200, 100, 50}, depth), 131.6, 1e-12);
  }
  EXPECT_EQ(grey_value(grey_from("0,1,0"), {7, 8, 9}, SampleDepth::k8Bit), 8.0);
  EXPECT_EQ(grey_from("gamma18"), Grey(GreyRule::kGamma18));
}

// mechanics: weights that are none, or would leave the range of the samples
TEST(Grey, OtherWeightsAreRefused) {
  for (const char* text : {"1,1,1", "0.5,0.5,0.1", "-0.1,0.5,0.5", "0,0,0", "0.3,0.6", "1,0,0,0",
                           "0.3,0.6,", "nan,0,0", "0.3, 0.6,0.1", ",,", "0.3,0.6,inf"}) {
    EXPECT_THROW(grey_from(text), UsageError) << text;
  }
}

// mechanics: floats have no known white, which the gamma rules need
TEST(Grey, GammaOfFloatsIsRefused) {
  EXPECT_THROW(grey_value(GreyRule::kGamma22, {1, 1, 1}, SampleDepth::kFloat), UsageError);
  EXPECT_THROW(grey_value(GreyRule::kGamma18, {1, 1, 1}, SampleDepth::kFloat), UsageError);
  EXPECT_EQ(grey_value(GreyRule::kMean, {1, 2, 6}, SampleDepth::kFloat), 3.0);
  EXPECT_EQ(grey_value(GreyRule::kRec601, {1, 1, 1}, SampleDepth::kFloat), grey_of(1.0, 1.0, 1.0));
}

}  // namespace
}  // namespace leafglyph
