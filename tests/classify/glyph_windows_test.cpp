// Window moments of glyphs and the look-alike distance.
#include "classify/glyph/glyph_windows.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>

#include "features/base/errors.h"
#include "features/distance/pairwise_kernels.h"
#include "tests/support/refusal.h"

namespace leafglyph {
namespace {

using testing::refuses;

constexpr unsigned kGlyphWindowsSeed = 7;
constexpr int kSize = 24;

using Ink = std::vector<std::uint8_t>;

// Random strokes in the middle, four pixels away from the rim.
Ink random_glyph(unsigned seed) {
  std::mt19937 random(seed);
  Ink ink(kSize * kSize);
  std::uniform_int_distribution<int> place(4, kSize - 5);
  for (int stroke = 0; stroke < 6; ++stroke) {
    const int fixed = place(random);
    const bool across = stroke % 2 == 0;
    for (int k = 6; k < kSize - 6; ++k) ink[across ? fixed * kSize + k : k * kSize + fixed] = 255;
  }
  return ink;
}

template <class Map>
Ink mapped(const Ink& ink, const Map& source) {
  Ink result(ink.size());
  for (int j = 0; j < kSize; ++j) {
    for (int i = 0; i < kSize; ++i) {
      const auto [row, column] = source(j, i);
      if (row >= 0 && row < kSize && column >= 0 && column < kSize) {
        result[j * kSize + i] = ink[row * kSize + column];
      }
    }
  }
  return result;
}

double distance(const GlyphWindows& windows, const Ink& a, const Ink& b) {
  const auto one_way = [&](const Ink& from, const Ink& to) {
    std::vector<float> moved(windows.dimension() * windows.lanes());
    std::vector<float> fixed(windows.dimension());
    windows.moved(from, moved);
    windows.fixed(to, fixed);
    return windows.one_way(moved, fixed);
  };
  return (one_way(a, b) + one_way(b, a)) / 2;
}

// oracle: with one window over the whole glyph, a sufficient order and no falloff, the squared
// distance tends to the squared difference of the pixels in the disk (Parseval).
TEST(GlyphWindows, WholeWindowOfHighOrderSeesThePixels) {
  GlyphProfile profile;
  profile.grid = 1;
  profile.window = kSize;
  profile.order = 30;
  profile.falloff = 1e6;
  profile.shift = 0;
  profile.saturation = 0;
  profile.shortlist_order = 0;
  const GlyphWindows windows(profile, kSize);
  // Smooth difference: a Gaussian spot, which moments of order 30 represent almost completely.
  Ink spot(kSize * kSize);
  double pixels = 0.0;
  for (int j = 0; j < kSize; ++j) {
    for (int i = 0; i < kSize; ++i) {
      const double r2 = std::pow(i - 13.0, 2) + std::pow(j - 10.0, 2);
      spot[j * kSize + i] = static_cast<std::uint8_t>(std::lround(255 * std::exp(-r2 / 18)));
      pixels += std::pow(spot[j * kSize + i] / 255.0, 2);
    }
  }
  // Sampling 24 x 24 pixels at order 30 costs a few per cent.
  EXPECT_NEAR(distance(windows, spot, Ink(kSize * kSize)) / std::sqrt(pixels), 1.0, 0.05);
}

// oracle: the moments of the windows are those of a plan on the windows' pixels.
TEST(GlyphWindows, ComponentsAreTheEnginesMoments) {
  GlyphProfile profile;
  profile.grid = 3;
  profile.reach = 8;
  profile.falloff = 5;
  const GlyphWindows windows(profile, kSize);
  const Ink glyph = random_glyph(kGlyphWindowsSeed);
  std::vector<float> fixed(windows.dimension());
  windows.fixed(glyph, fixed);
  MomentSpec spec;
  spec.order = profile.order;
  PlanOptions cpu;
  cpu.device.kind = DeviceChoice::Kind::kCpu;
  const auto engine = make_moment_plan(spec, 8, cpu);
  std::vector<std::complex<double>> moments(engine->moment_count());
  for (int w = 0; w < 9; ++w) {
    std::vector<double> patch;
    for (int j = 0; j < 8; ++j) {
      for (int i = 0; i < 8; ++i) {
        patch.push_back(glyph[(8 * (w / 3) + j) * kSize + 8 * (w % 3) + i] / 255.0);
      }
    }
    engine->moments(ImageBatch(std::span<const double>(patch), 1, 8), moments);
    std::size_t k = w * windows.length();
    for (std::size_t c = 0; c < moments.size(); ++c) {
      const auto [n, m] = engine->indices()[c];
      const double weight =
          std::exp(-n * n / 25.0) * std::sqrt(M_PI / (n + 1) * (m > 0 ? 2 : 1)) * 4.0;
      // Float products of 64 terms of order 1.
      EXPECT_NEAR(fixed[k++], weight * moments[c].real(), 1e-5) << "seed " << kGlyphWindowsSeed;
      if (m == 0) continue;
      EXPECT_NEAR(fixed[k++], weight * moments[c].imag(), 1e-5) << "seed " << kGlyphWindowsSeed;
    }
  }
}

// invariant: the distance is zero for equal glyphs and symmetric; for a glyph moved by one pixel it
// is zero when windows may move, but not when they may not.
TEST(GlyphWindows, ForgivesAShiftAndNothingElse) {
  const GlyphWindows windows(GlyphProfile{}, kSize);
  GlyphProfile rigid;
  rigid.shift = 0;
  const GlyphWindows rigid_windows(rigid, kSize);
  for (unsigned seed = kGlyphWindowsSeed; seed < kGlyphWindowsSeed + 5; ++seed) {
    SCOPED_TRACE(seed);
    const Ink glyph = random_glyph(seed);
    const Ink other = random_glyph(seed + 100);
    const Ink lower = mapped(glyph, [](int j, int i) { return std::pair(j - 1, i + 1); });
    EXPECT_EQ(distance(windows, glyph, glyph), 0.0);
    EXPECT_EQ(distance(windows, glyph, other), distance(windows, other, glyph));
    EXPECT_GT(distance(windows, glyph, other), 0.1);
    // The same patch gives the same float products.
    EXPECT_LT(distance(windows, glyph, lower), 1e-4);
    EXPECT_GT(distance(rigid_windows, glyph, lower), 0.1);
    EXPECT_LE(distance(windows, glyph, other), distance(rigid_windows, glyph, other) + 1e-6);
  }
}

// invariant: a mirrored or rotated glyph is a different glyph.
TEST(GlyphWindows, TellsMirroredAndTurnedGlyphsApart) {
  GlyphProfile profile;
  profile.saturation = 0;
  const GlyphWindows windows(profile, kSize);
  Ink glyph(kSize * kSize);  // an F
  for (int k = 4; k < 20; ++k) glyph[k * kSize + 6] = 255;
  for (int k = 6; k < 18; ++k) glyph[4 * kSize + k] = 255;
  for (int k = 6; k < 14; ++k) glyph[11 * kSize + k] = 255;
  constexpr int kLast = kSize - 1;
  const Ink mirrored = mapped(glyph, [](int j, int i) { return std::pair(j, kLast - i); });
  const Ink upside_down = mapped(glyph, [](int j, int i) { return std::pair(kLast - j, i); });
  const Ink turned = mapped(glyph, [](int j, int i) { return std::pair(i, kLast - j); });
  const Ink half_turned =
      mapped(glyph, [](int j, int i) { return std::pair(kLast - j, kLast - i); });
  for (const Ink& image : {mirrored, upside_down, turned, half_turned}) {
    EXPECT_GT(distance(windows, glyph, image), 0.5);
  }
}

// oracle: the effect of saturation on the distance of one window.
TEST(GlyphWindows, SaturatedDistancesTendToOne) {
  GlyphProfile profile;
  profile.grid = 1;
  profile.shift = 0;
  profile.saturation = 0;
  const Ink a = random_glyph(kGlyphWindowsSeed);
  const Ink b = random_glyph(kGlyphWindowsSeed + 1);
  const double plain = distance(GlyphWindows(profile, kSize), a, b);
  ASSERT_GT(plain, 0.1);
  for (const double saturation : {0.2, 1.0, 5.0}) {
    profile.saturation = saturation;
    const double expected = 1 - std::exp(-std::pow(plain / saturation, 2));
    EXPECT_NEAR(distance(GlyphWindows(profile, kSize), a, b), expected, 1e-6) << saturation;
  }
}

// agreement: if no window has more positions than a search tries, the search in all components
// gives the distance itself, with its saturation.
TEST(GlyphWindows, SearchingIsTheWayInAllComponents) {
  GlyphProfile profile;
  profile.shift = 1;
  constexpr std::size_t kGlyphs = 70;  // all vector widths of the kernel, and a remainder
  constexpr std::size_t kStride = 80;
  for (const double saturation : {0.0, 0.85}) {
    profile.saturation = saturation;
    const GlyphWindows windows(profile, kSize);
    const std::size_t length = windows.dimension();
    std::vector<float> rows(length * kStride);
    std::vector<std::vector<float>> fixed(kGlyphs, std::vector<float>(length));
    for (std::size_t i = 0; i < kGlyphs; ++i) {
      windows.fixed(random_glyph(kGlyphWindowsSeed + static_cast<unsigned>(i)), fixed[i]);
      for (std::size_t c = 0; c < length; ++c) rows[c * kStride + i] = fixed[i][c];
    }
    const Ink query = random_glyph(kGlyphWindowsSeed);  // the glyph of the first row
    std::vector<float> moved(length * windows.lanes());
    windows.moved(query, moved);
    std::vector<float> sums(kStride);
    windows.search(windows.sought(query, profile.order), rows.data(), kStride, sums);
    for (std::size_t i = 0; i < kGlyphs; ++i) {
      double expected = 0.0;
      for (std::size_t w = 0; w < windows.windows(); ++w) {
        const float square = pairwise_kernels().smallest_square(
            moved.data() + w * windows.length() * windows.lanes(),
            fixed[i].data() + w * windows.length(), windows.length(), windows.lanes());
        const double level = saturation * saturation;
        expected += saturation > 0 ? square / (square + level) : std::sqrt(square);
      }
      // Squares near 0 are differences of numbers near 30: each root of 25 is off by 0.005 at most.
      EXPECT_NEAR(sums[i], expected, saturation > 0 ? 1e-3 : 0.13)
          << i << ", seed " << kGlyphWindowsSeed;
    }
  }
}

// oracle: the kernel against plain loops, several blocks of lanes.
TEST(GlyphWindows, SmallestSquareIsTheMinimumOverLanes) {
  std::mt19937 random(kGlyphWindowsSeed);
  std::uniform_int_distribution<int> step(-8, 8);  // sums of squares stay exact in float
  for (const std::size_t lanes : {16U, 32U, 64U}) {
    for (const std::size_t length : {1U, 7U, 28U}) {
      std::vector<float> moved(lanes * length), fixed(length);
      for (float& value : moved) value = static_cast<float>(step(random));
      for (float& value : fixed) value = static_cast<float>(step(random));
      float expected = std::numeric_limits<float>::infinity();
      for (std::size_t s = 0; s < lanes; ++s) {
        float sum = 0.0F;
        for (std::size_t k = 0; k < length; ++k) {
          sum += std::pow(moved[k * lanes + s] - fixed[k], 2.0F);
        }
        expected = std::min(expected, sum);
      }
      EXPECT_EQ(pairwise_kernels().smallest_square(moved.data(), fixed.data(), length, lanes),
                expected)
          << lanes << " lanes, length " << length << ", seed " << kGlyphWindowsSeed;
    }
  }
}

// mechanics: parameters out of range are named.
TEST(GlyphWindows, RefusesAnImpossibleProfile) {
  const auto expect_refused = [](auto&& change, const std::string& name) {
    GlyphProfile profile;
    change(profile);
    EXPECT_TRUE(refuses<UsageError>([&] { const GlyphWindows windows(profile, kSize); }, name));
  };
  expect_refused([](GlyphProfile& p) { p.grid = 0; }, "grid");
  expect_refused([](GlyphProfile& p) { p.window = std::nan(""); }, "window");
  expect_refused([](GlyphProfile& p) { p.reach = -1; }, "reach");
  expect_refused([](GlyphProfile& p) { p.order = -1; }, "order");
  expect_refused([](GlyphProfile& p) { p.falloff = 0; }, "falloff");
  expect_refused([](GlyphProfile& p) { p.shift = 9; }, "shift");
  expect_refused([](GlyphProfile& p) { p.saturation = -1; }, "saturation");
  expect_refused([](GlyphProfile& p) { p.shortlist = 0; }, "shortlist");
  expect_refused([](GlyphProfile& p) { p.shortlist_order = 7; }, "shortlist_order");
}

}  // namespace
}  // namespace leafglyph
