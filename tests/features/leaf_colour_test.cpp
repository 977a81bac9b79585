// The colours of prepared leaves: in white light and aligned with the grey values; grey files have
// none.
#include "features/leaf/leaf_colour.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <string>
#include <vector>

#include "features/base/errors.h"
#include "features/base/files.h"
#include "features/image_io/encode_image.h"
#include "features/leaf/channels.h"
#include "features/leaf/preprocess.h"
#include "tests/support/leaf_test_images.h"

namespace leafglyph {
namespace {

using Colour = std::array<double, 3>;

// The reflectance of the left and the right half of the leaf, per colour.
constexpr Colour kLeft = {0.10, 0.20, 0.05}, kRight = {0.30, 0.22, 0.06};
constexpr Colour kWhite = {1, 1, 1};
constexpr int kColourWidth = 320, kColourHeight = 240, kColourMiddle = 160;

// An ellipse in the middle of the paper, both lit by `lamp`.
Photograph two_coloured(const Colour& lamp, const Colour& paper = {0.8, 0.8, 0.8}) {
  std::vector<std::uint8_t> pixels;
  for (int row = 0; row < kColourHeight; ++row) {
    for (int column = 0; column < kColourWidth; ++column) {
      const double x = (column - 159.5) / 100, y = (row - 119.5) / 60;
      const bool is_leaf = x * x + y * y <= 1;
      const Colour& reflectance = !is_leaf ? paper : column < kColourMiddle ? kLeft : kRight;
      for (std::size_t c = 0; c < 3; ++c) {
        const double light = lamp[c] * reflectance[c];
        pixels.push_back(static_cast<std::uint8_t>(std::lround(encoded_light(light))));
      }
    }
  }
  return colour_photograph(kColourWidth, kColourHeight, std::move(pixels));
}

double cube_root_of(double t) {
  return t > 216.0 / 24389 ? std::cbrt(t) : (24389.0 / 27 * t + 16) / 116;
}

// a* / 100 and b* / 100 of a surface beside white paper of reflectance 0.8, by CIE 15 and the sRGB
// matrix.
std::array<double, 2> chromatic(const Colour& reflectance) {
  const auto [r, g, b] =
      std::array{reflectance[0] / 0.8, reflectance[1] / 0.8, reflectance[2] / 0.8};
  const double x = (0.4124564 * r + 0.3575761 * g + 0.1804375 * b) / 0.95047;
  const double y = 0.2126729 * r + 0.7151522 * g + 0.0721750 * b;
  const double z = (0.0193339 * r + 0.1191920 * g + 0.9503041 * b) / 1.08883;
  return {5 * (cube_root_of(x) - cube_root_of(y)), 2 * (cube_root_of(y) - cube_root_of(z))};
}

PrepareSpec in_colour(LeafColour colours = LeafColour::kRequired) {
  PrepareSpec spec;
  spec.size = 128;
  spec.area = 4000;
  spec.background = Background::kAuto;
  spec.finder = Finder::kBest;
  spec.colours = colours;
  return spec;
}

// oracle: the planes are a* and b* of the leaf's reflectance under any lamp: white, yellow, blue,
// or dim. Rounding to 8 bits moves a light of 0.03, the weakest here, by 2 %, its cube root by 0.7
// %, and b* / 100 by 2 * 0.007 * 0.4; the paper's rounding adds as much again.
TEST(LeafColour, IsThatOfWhiteLight) {
  for (const Colour& lamp :
       {kWhite, Colour{1, 0.8, 0.5}, Colour{0.6, 0.8, 1}, Colour{0.4, 0.4, 0.4}}) {
    const PreparedLeaf leaf = prepare_leaf(two_coloured(lamp), "leaf", in_colour());
    ASSERT_TRUE(leaf.colours);
    for (const auto& [reflectance, column] : {std::pair(kLeft, 44), std::pair(kRight, 84)}) {
      const auto [a, b] = chromatic(reflectance);
      EXPECT_NEAR(leaf.colours->a.at(64, column), a, 0.015) << lamp[0] << " " << lamp[2];
      EXPECT_NEAR(leaf.colours->b.at(64, column), b, 0.015) << lamp[0] << " " << lamp[2];
    }
  }
}

// invariant: without the division by the paper the lamp would change the colours far beyond that
// tolerance.
TEST(LeafColour, OfADarkBackgroundIsAsTheCameraSawIt) {
  const Photograph yellow = two_coloured({1, 0.8, 0.5});
  Image<std::uint8_t> leaf(kColourWidth, kColourHeight);
  leaf.at(120, 160) = 1;
  const ChromaticPlanes seen = chromatic_planes(yellow, leaf, /*paper_is_white=*/false);
  EXPECT_GT(seen.b.at(5, 5), 0.2) << "yellow paper";
  const ChromaticPlanes white = chromatic_planes(yellow, leaf, /*paper_is_white=*/true);
  EXPECT_NEAR(white.b.at(5, 5), 0, 0.015) << "white paper";
  const PreparedLeaf dark =
      prepare_leaf(two_coloured(kWhite, {0.01, 0.01, 0.01}), "dark", in_colour());
  EXPECT_NE(std::ranges::find_if(dark.notes,
                                 [](const std::string& note) {
                                   return note.find("as the camera saw them") != std::string::npos;
                                 }),
            dark.notes.end());
}

// invariant: colours change neither grey values nor mask, and are aligned with them: they are 0
// outside the mask, and the step between the halves is in the same pixel of a row or the next.
TEST(LeafColour, LiesWhereTheGreyValuesLie) {
  const Photograph photograph = two_coloured(kWhite);
  const PreparedLeaf plain = prepare_leaf(photograph, "leaf", in_colour(LeafColour::kNone));
  const PreparedLeaf leaf = prepare_leaf(photograph, "leaf", in_colour());
  EXPECT_FALSE(plain.colours);
  EXPECT_TRUE(std::ranges::equal(plain.grey.pixels(), leaf.grey.pixels()));
  EXPECT_TRUE(std::ranges::equal(plain.mask.pixels(), leaf.mask.pixels()));
  EXPECT_EQ(plain.measures, leaf.measures);
  const float middle_a = (leaf.colours->a.at(64, 44) + leaf.colours->a.at(64, 84)) / 2;
  const float middle_grey = (leaf.grey.at(64, 44) + leaf.grey.at(64, 84)) / 2;
  for (int row = 0; row < 128; ++row) {
    int apart = 0;
    for (int column = 0; column < 128; ++column) {
      const float a = leaf.colours->a.at(row, column);
      if (leaf.mask.at(row, column) == 0) {
        EXPECT_EQ(a, 0);
        EXPECT_EQ(leaf.colours->b.at(row, column), 0);
      } else {
        apart += (a > middle_a) != (leaf.grey.at(row, column) > middle_grey);
      }
    }
    EXPECT_LE(apart, 1) << "row " << row;
  }
}

// agreement: a leaf on a sheet has the same colours as the leaf alone.
TEST(LeafColour, OfALeafOfASheetIsTheSame) {
  const Photograph photograph = two_coloured({1, 0.8, 0.5});
  const PreparedLeaf alone = prepare_leaf(photograph, "leaf", in_colour());
  const std::vector<PreparedLeaf> all = prepare_leaves(photograph, "leaf", in_colour());
  ASSERT_EQ(all.size(), 1U);
  EXPECT_TRUE(std::ranges::equal(all[0].colours->a.pixels(), alone.colours->a.pixels()));
  EXPECT_TRUE(std::ranges::equal(all[0].colours->b.pixels(), alone.colours->b.pixels()));
}

// oracle: the channels are the planes; the measures are the means and deviations of the two halves.
TEST(LeafColour, ChannelsAndMeasuresAreOfThePlanes) {
  const PreparedLeaf leaf = prepare_leaf(two_coloured(kWhite), "leaf", in_colour());
  std::vector<float> out(2 * leaf.grey.size());
  EXPECT_TRUE(compute_channels(leaf, colour_channels(), out).constant.empty());
  EXPECT_TRUE(std::ranges::equal(std::span(out).first(leaf.grey.size()), leaf.colours->a.pixels()));
  EXPECT_TRUE(std::ranges::equal(std::span(out).last(leaf.grey.size()), leaf.colours->b.pixels()));
  const auto measures = colour_measure_columns(leaf);
  const auto left = chromatic(kLeft), right = chromatic(kRight);
  for (std::size_t plane = 0; plane < 2; ++plane) {
    // As above, plus the blend of the two halves in one of 70 columns.
    EXPECT_NEAR(measures[2 * plane], (left[plane] + right[plane]) / 2, 0.02);
    EXPECT_NEAR(measures[2 * plane + 1], std::abs(left[plane] - right[plane]) / 2, 0.02);
  }
  EXPECT_EQ(colour_measure_names()[1], "spread-a");
}

// mechanics: neither a grey file nor one whose colours are all grey has colours; where colours are
// required it is refused in one line.
TEST(LeafColour, GreyPhotographsHaveNone) {
  const testing::EllipseScene scene;
  const TemporaryFolder folder;
  const auto pixels = scene.photograph.grey.pixels();
  SampleImage grey{scene.kWidth, scene.kHeight, 1,
                   std::vector<std::uint8_t>(pixels.begin(), pixels.end())};
  SampleImage equal{scene.kWidth, scene.kHeight, 3, std::vector<std::uint8_t>{}};
  for (const std::uint8_t value : pixels) {
    std::get<std::vector<std::uint8_t>>(equal.samples)
        .insert(std::get<std::vector<std::uint8_t>>(equal.samples).end(), 3, value);
  }
  write_file(folder.path() / "grey.png", encode_png(grey));
  write_file(folder.path() / "equal.png", encode_png(equal));
  for (const char* name : {"grey.png", "equal.png"}) {
    const PrepareSpec spec = in_colour(LeafColour::kWherePresent);
    EXPECT_FALSE(prepare_file(folder.path() / name, spec).colours) << name;
    try {
      prepare_file(folder.path() / name, in_colour());
      FAIL() << name;
    } catch (const InputError& error) {
      EXPECT_EQ(error.what(),
                (folder.path() / name).string() +
                    ": is grey, but the model, or features.colour: lab, needs colours");
    }
  }
  EXPECT_THROW(chromatic_planes(scene.photograph, scene.mask, true), UsageError);
  EXPECT_THROW(chromatic_planes(two_coloured(kWhite), scene.mask, true), UsageError);
}

}  // namespace
}  // namespace leafglyph
