#include "datasets/glyph/damage.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

#include "tests/support/stroke_picture.h"

namespace leafglyph {
namespace {

// A character of 60 units in a picture of 80.
Image<float> printed() { return drawn_ink({80, 80, 10, 10, 60}); }

double total_ink(const Image<float>& ink) {
  double sum = 0;
  for (const float value : ink.pixels()) sum += value;
  return sum;
}

// The mean square distance from the middle of the picture.
double spread_of_ink(const Image<float>& ink) {
  double sum = 0;
  for (int row = 0; row < ink.height(); ++row) {
    for (int column = 0; column < ink.width(); ++column) {
      const double x = column - 0.5 * (ink.width() - 1), y = row - 0.5 * (ink.height() - 1);
      sum += ink.at(row, column) * (x * x + y * y);
    }
  }
  return sum / total_ink(ink);
}

bool are_equal(const Image<float>& a, const Image<float>& b) {
  return a.width() == b.width() && a.height() == b.height() &&
         std::ranges::equal(a.pixels(), b.pixels());
}

// FNV-1a of the pixels in grey values.
std::uint64_t digest_of(const Image<float>& ink) {
  std::uint64_t digest = 0xcbf29ce484222325u;
  for (const float value : ink.pixels()) {
    digest = (digest ^ static_cast<std::uint64_t>(std::lround(255 * value))) * 0x100000001b3u;
  }
  return digest;
}

// invariant: the same picture for a seed, of the same size, from 0 to 1, that is not the one
// before.
TEST(Damage, IsThatOfItsSeed) {
  for (const Image<float>& ink : {printed(), drawn_ink({50, 31, 4, 2, 27})}) {
    for (const Damage damage : kNamesOf<Damage>.values()) {
      const Image<float> first = damaged(ink, damage, 7);
      EXPECT_TRUE(are_equal(damaged(ink, damage, 7), first)) << name_of(damage);
      EXPECT_EQ(first.height(), ink.height()) << name_of(damage);
      EXPECT_FALSE(are_equal(first, ink)) << name_of(damage);
      const auto [low, high] = std::ranges::minmax(first.pixels());
      EXPECT_TRUE(low >= 0 && high <= 1 && high > 0.3f) << name_of(damage);
      const bool is_random = damage == Damage::kTilt || damage == Damage::kSmall ||
                             damage == Damage::kFax || damage == Damage::kWarp;
      EXPECT_EQ(are_equal(damaged(ink, damage, 8), first), !is_random) << name_of(damage);
    }
  }
}

// oracle: what each damage does to the amount of ink and to its spread.
TEST(Damage, DoesWhatItsNameSays) {
  const Image<float> ink = printed();
  const double all = total_ink(ink), spread = spread_of_ink(ink);
  for (std::uint64_t seed = 1; seed <= 5; ++seed) {
    const Image<float> tilted = damaged(ink, Damage::kTilt, seed);
    // A rotation about the middle, with linear interpolation, which adds up to 1/4 pixel^2 per
    // axis.
    EXPECT_NEAR(total_ink(tilted), all, 0.002 * all) << seed;
    EXPECT_NEAR(spread_of_ink(tilted), spread, 0.5) << seed;
    // A displacement of 2 pixels that changes over 8 stretches by a quarter, here more and there
    // less.
    EXPECT_NEAR(total_ink(damaged(ink, Damage::kWarp, seed)), all, 0.2 * all) << seed;
    // Pixels below 1/4 are paper, and the noise is cut off at full ink.
    EXPECT_NEAR(total_ink(damaged(ink, Damage::kSmall, seed)), all, 0.15 * all) << seed;
    const Image<float> faxed = damaged(ink, Damage::kFax, seed);
    EXPECT_TRUE(std::ranges::all_of(faxed.pixels(), [](float v) { return v == 0 || v == 1; }));
    EXPECT_NEAR(total_ink(faxed), all, 0.15 * all) << seed;
  }
  // Variance 4 along both axes; 1.2 times the ink, where that is not more than 1.
  const Image<float> blurred = damaged(ink, Damage::kBlur, 1);
  EXPECT_NEAR(spread_of_ink(blurred), spread + 8, 1);
  EXPECT_GT(total_ink(blurred), 1.05 * all);
  EXPECT_LE(total_ink(blurred), 1.2001 * all);
  EXPECT_LT(total_ink(damaged(ink, Damage::kThin, 1)), 0.85 * all);
  EXPECT_GT(total_ink(damaged(ink, Damage::kBold, 1)), 1.15 * all);
}

// invariant: a picture that is twice as large suffers the same, in units of its side.
TEST(Damage, IsInUnitsOfThePicture) {
  const Image<float> large = drawn_ink({160, 160, 20, 20, 120});
  for (const Damage damage : {Damage::kBlur, Damage::kThin, Damage::kBold}) {
    const double share = total_ink(damaged(large, damage, 1)) / total_ink(large);
    // Grey edges are half as wide.
    EXPECT_NEAR(share, total_ink(damaged(printed(), damage, 1)) / total_ink(printed()), 0.03)
        << name_of(damage);
  }
}

// invariant: several damages of random strength; some pictures suffer none, most look their own
// way.
TEST(Damage, OfRandomStrength) {
  const Image<float> ink = printed();
  int unchanged = 0;
  std::vector<std::uint64_t> digests;
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    const Image<float> copy = damaged(ink, seed);
    EXPECT_TRUE(are_equal(damaged(ink, seed), copy)) << seed;
    unchanged += are_equal(copy, ink);
    digests.push_back(digest_of(copy));
    // Half as thick strokes at the least, and twice as thick at the most.
    EXPECT_NEAR(std::log2(total_ink(copy) / total_ink(ink)), 0, 1.2) << seed;
  }
  std::ranges::sort(digests);
  const auto different = std::unique(digests.begin(), digests.end()) - digests.begin();
  // 0.4 * 0.5 * 0.7 * (0.5 * 0.6) * 0.7 of all: 3 %, or 6 of 200 with a deviation of 2.4.
  EXPECT_GE(unchanged, 1);
  EXPECT_LE(unchanged, 14);
  EXPECT_EQ(different, 200 - std::max(unchanged - 1, 0));
}

// regression: grey values on the machine on which this was written.
TEST(Damage, IsTheSameOnEveryMachine) {
  const std::vector<std::uint64_t> expected = {
      17338503208193988316u, 5237863477499030112u, 12969654172695132754u, 14635067928197717716u,
      10756685728769291851u, 2186282943568834067u, 4822881225462708219u,  7180652148957612842u};
  std::vector<std::uint64_t> digests;
  for (const Damage damage : kNamesOf<Damage>.values()) {
    digests.push_back(digest_of(damaged(printed(), damage, 11)));
  }
  digests.push_back(digest_of(damaged(printed(), 12)));
  EXPECT_EQ(digests, expected);
}

}  // namespace
}  // namespace leafglyph
