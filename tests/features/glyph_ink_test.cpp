#include "features/glyph/ink.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <vector>

#include "tests/support/refusal.h"
#include "tests/support/stroke_picture.h"

namespace leafglyph {
namespace {

using testing::refuses;

GreyCounts counted(const std::vector<int>& values) {
  GreyCounts counts{};
  for (const int value : values) ++counts[static_cast<std::size_t>(value)];
  return counts;
}

// The variance between the groups and all of it, by the definition.
std::pair<long double, long double> variances(const std::vector<int>& values, int threshold) {
  long double sums[2] = {}, counts[2] = {}, mean = 0, all = 0;
  for (const int value : values) {
    sums[value > threshold] += value;
    ++counts[value > threshold];
    mean += value / static_cast<long double>(values.size());
  }
  for (const int value : values) all += (value - mean) * (value - mean);
  long double between = 0;
  for (const int group : {0, 1}) {
    if (counts[group] == 0) continue;
    const long double apart = sums[group] / counts[group] - mean;
    between += counts[group] * apart * apart;
  }
  return {between, all};
}

// Pictures of `ink` with normal noise, paper and strokes in these grey values.
Image<std::uint8_t> noisy(const Image<float>& ink, int paper, int stroke, double sigma,
                          unsigned seed) {
  std::mt19937 generator(seed);
  std::normal_distribution<double> noise(0, sigma);
  Image<std::uint8_t> grey = drawn_grey(ink, paper, stroke);
  for (std::uint8_t& value : grey.pixels()) {
    value = static_cast<std::uint8_t>(std::clamp(std::lround(value + noise(generator)), 0L, 255L));
  }
  return grey;
}

// The mean of `ink` where the picture was drawn, and where it was not.
std::pair<double, double> inside_and_outside(const Image<float>& ink, const Image<float>& drawn) {
  double sums[2] = {}, counts[2] = {};
  for (std::size_t i = 0; i < ink.size(); ++i) {
    const float share = drawn.data()[i];
    if (share > 0.0f && share < 1.0f) continue;
    sums[share > 0.5f] += ink.data()[i];
    ++counts[share > 0.5f];
  }
  return {sums[1] / counts[1], sums[0] / counts[0]};
}

// A frame along the whole border, as 口 is when it is cropped tightly.
Image<float> frame_at_the_border(int side, int stroke) {
  Image<float> ink(side, side);
  for (int row = 0; row < side; ++row) {
    for (int column = 0; column < side; ++column) {
      const int apart = std::min({row, column, side - 1 - row, side - 1 - column});
      ink.at(row, column) = apart < stroke ? 1.0f : 0.0f;
    }
  }
  return ink;
}

// oracle: every threshold is tried, with the variances as they are defined.
TEST(OtsuGroups, AreThoseOfTheBestThreshold) {
  for (unsigned seed = 1; seed <= 20; ++seed) {
    std::mt19937 generator(seed);
    std::normal_distribution<double> low(60, 5.0 + seed), high(170, 40);
    std::vector<int> values;
    for (int i = 0; i < 500; ++i) {
      const double value = i % 7 < 4 ? low(generator) : high(generator);
      values.push_back(std::clamp(static_cast<int>(value), 0, 255));
    }
    const OtsuGroups groups = otsu_groups(counted(values));
    const auto [between, all] = variances(values, groups.threshold);
    for (int t = 0; t < 255; ++t) {
      // Rounding in double, over a difference of sums that is a thousandth of them.
      EXPECT_LE(static_cast<double>(variances(values, t).first),
                static_cast<double>(between) * (1 + 1e-12))
          << "seed " << seed << ", threshold " << t;
    }
    EXPECT_NEAR(groups.separation, static_cast<double>(between / all), 1e-12) << "seed " << seed;
  }
}

// oracle: two values, which every threshold between them separates; and one value.
TEST(OtsuGroups, TakeTheMiddleBetweenTwoValues) {
  const OtsuGroups two = otsu_groups(counted({40, 40, 40, 200}));
  EXPECT_EQ(two.threshold, (40 + 199) / 2);
  EXPECT_DOUBLE_EQ(two.separation, 1);
  const OtsuGroups one = otsu_groups(counted({90, 90}));
  EXPECT_EQ(one.threshold, 0);
  EXPECT_EQ(one.separation, 0);
}

// oracle: on clean paper, the deviation over 1.8 of Otsu's thresholds, by the formula in ink.h.
TEST(GlyphInk, IsNearlyTheShareOfTheStroke) {
  const Image<float> drawn = usual_ink();
  for (const auto& [paper, stroke] : {std::pair{255, 0}, {200, 100}, {120, 95}, {30, 60}}) {
    const Image<std::uint8_t> grey = drawn_grey(drawn, paper, stroke);
    GreyCounts deviations{};
    for (const std::uint8_t value : grey.pixels()) {
      deviations[static_cast<std::size_t>(std::abs(value - paper))] += 1000;
    }
    // Four pixels of paper for each other one.
    deviations[0] = 4 * (1000 * grey.size() - deviations[0]);
    const double full = 1.8 * (otsu_groups(deviations).threshold + 0.5);
    EXPECT_GT(full, 0.7 * std::abs(paper - stroke));
    const Image<float> ink = ink_of(grey);
    for (std::size_t i = 0; i < ink.size(); ++i) {
      const double expected = std::min(1.0, std::abs(grey.data()[i] - paper) / full);
      ASSERT_NEAR(ink.data()[i], expected, 1e-6) << paper << ", " << stroke << ", at " << i;
    }
  }
}

// oracle: noise of half the pixels moves the ends of the rise, by the formula in ink.h.
TEST(GlyphInk, RisesAboveTheNoise) {
  Image<std::uint8_t> grey(40, 40);
  for (int row = 0; row < 40; ++row) {
    for (int column = 0; column < 40; ++column) {
      grey.at(row, column) = static_cast<std::uint8_t>((row + column) % 2 == 0 ? 210 : 200);
    }
  }
  for (int column = 8; column < 32; ++column) {
    for (int row = 18; row < 22; ++row) grey.at(row, column) = 50;
  }
  grey.at(16, 20) = 150;
  // Half of the border is not above 200, so its median is 210; a sixth of the paper is 200.
  const Image<float> ink = ink_of(grey);
  EXPECT_EQ(ink.at(0, 0), 0);
  EXPECT_EQ(ink.at(0, 1), 0);
  EXPECT_EQ(ink.at(20, 20), 1);
  EXPECT_NEAR(ink.at(16, 20), (60 - 2.5 * 10) / (160 - 2 * 10 - 2.5 * 10), 1e-6);
}

// invariant: light strokes on dark paper have the ink of dark strokes on light paper.
TEST(GlyphInk, IsTheSameOfLightStrokes) {
  for (const DrawnPlace& place : {DrawnPlace{64, 64, 10, 9, 44}, DrawnPlace{16, 18, 1, 1, 15},
                                  DrawnPlace{300, 200, 200, 3, 60}}) {
    const Image<float> drawn = drawn_ink(place);
    const Image<float> dark = ink_of(drawn_grey(drawn, 230, 20));
    Image<std::uint8_t> inverted = drawn_grey(drawn, 230, 20);
    for (std::uint8_t& value : inverted.pixels()) value = static_cast<std::uint8_t>(255 - value);
    const Image<float> light = ink_of(inverted);
    for (std::size_t i = 0; i < dark.size(); ++i) {
      ASSERT_EQ(dark.data()[i], light.data()[i]) << place.width << " pixels, at " << i;
    }
  }
}

// invariant: strokes along the whole border are strokes, dark or light.
TEST(GlyphInk, OfAFrameAtTheBorder) {
  for (const int side : {24, 100, 500}) {
    const Image<float> drawn = frame_at_the_border(side, side / 12);
    for (const int paper : {250, 10}) {
      const Image<float> ink = ink_of(drawn_grey(drawn, paper, 260 - paper));
      for (std::size_t i = 0; i < ink.size(); ++i) {
        ASSERT_EQ(ink.data()[i], drawn.data()[i]) << side << " pixels, paper " << paper;
      }
    }
  }
}

// invariant: pictures of 16 and of 2,000 pixels, with noise; with much paper around the strokes.
TEST(GlyphInk, OfAnySizeAndMargin) {
  for (const DrawnPlace& place :
       {DrawnPlace{16, 16, 1, 1, 14}, DrawnPlace{2000, 2000, 100, 200, 1700},
        DrawnPlace{2000, 700, 1500, 300, 100}}) {
    const Image<float> drawn = drawn_ink(place);
    const auto [inside, outside] =
        inside_and_outside(ink_of(noisy(drawn, 225, 40, 12, /*seed=*/3)), drawn);
    // Ink is 1 up to the mean of the strokes, and the noise takes 0.4 of 12 from 185 - 2.5 * 12.
    EXPECT_GT(inside, 0.96) << place.width << " x " << place.height;
    EXPECT_LT(outside, 0.005) << place.width << " x " << place.height;
  }
}

// invariant: colours of one grey value, and colours that grey values show poorly.
TEST(GlyphInk, OfColours) {
  using Colour = std::array<std::uint8_t, 3>;
  const Image<float> drawn = frame_at_the_border(40, 4);
  for (const auto& [paper, stroke] : {std::pair{Colour{255, 0, 0}, Colour{0, 130, 0}},
                                      {Colour{0, 0, 0}, Colour{0, 0, 255}},
                                      {Colour{255, 255, 255}, Colour{220, 40, 30}},
                                      {Colour{40, 90, 200}, Colour{250, 240, 20}}}) {
    std::vector<std::uint8_t> colours;
    for (const float share : drawn.pixels()) {
      const Colour& colour = share > 0 ? stroke : paper;
      colours.insert(colours.end(), colour.begin(), colour.end());
    }
    const Image<float> ink = ink_of(colour_photograph(40, 40, colours));
    for (std::size_t i = 0; i < ink.size(); ++i) {
      ASSERT_EQ(ink.data()[i], drawn.data()[i]) << int{stroke[0]} << ", at " << i;
    }
  }
}

// agreement: a photograph without colours has the ink of its grey values.
TEST(GlyphInk, OfAPhotographWithoutColours) {
  const Image<std::uint8_t> grey = drawn_grey(usual_ink(), 240, 30);
  const Image<float> expected = ink_of(grey), ink = ink_of(Photograph{grey});
  EXPECT_TRUE(std::equal(ink.data(), ink.data() + ink.size(), expected.data()));
}

// mechanics: pictures without a character are refused with a reason.
TEST(GlyphInk, RefusesAPictureWithNothingInIt) {
  EXPECT_TRUE(refuses<InputError>([] { ink_of(Image<std::uint8_t>()); }, "no pixels"));
  EXPECT_TRUE(refuses<InputError>([] { ink_of(Image<std::uint8_t>(1, 1, 7)); }, "contrast is 0"));
  EXPECT_TRUE(
      refuses<InputError>([] { ink_of(Image<std::uint8_t>(64, 64, 255)); }, "contrast is 0"));
  EXPECT_TRUE(
      refuses<InputError>([] { ink_of(drawn_grey(usual_ink(), 200, 192)); }, "contrast is 8"));
  EXPECT_TRUE(refuses<InputError>(
      [] { ink_of(colour_photograph(30, 30, std::vector<std::uint8_t>(2700, 90))); },
      "contrast is 0"));
}

// mechanics: noise is refused, in the middle of the range and cut off at its end; fine and coarse.
TEST(GlyphInk, RefusesNoise) {
  for (const int side : {32, 64, 300}) {
    for (const int paper : {128, 255}) {
      const Image<std::uint8_t> fine = noisy(Image<float>(side, side), paper, 0, 20, /*seed=*/5);
      EXPECT_TRUE(refuses<InputError>([&] { ink_of(fine); }, "no more than noise"))
          << side << " pixels, paper " << paper;
    }
    Image<std::uint8_t> coarse(side, side);
    const Image<std::uint8_t> fine = noisy(Image<float>(side, side), 128, 0, 60, /*seed=*/6);
    for (int row = 0; row < side; ++row) {
      for (int column = 0; column < side; ++column) {
        int sum = 0;
        for (int k = 0; k < 9; ++k) sum += fine.at((row + k / 3) % side, (column + k % 3) % side);
        coarse.at(row, column) = static_cast<std::uint8_t>(sum / 9);
      }
    }
    EXPECT_TRUE(refuses<InputError>([&] { ink_of(coarse); }, "no more than noise")) << side;
  }
}

}  // namespace
}  // namespace leafglyph
