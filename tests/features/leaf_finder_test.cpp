// Finding the leaf where one threshold of the grey values fails: uneven light, shadows, noise,
// colours, dark backgrounds; and refusing pictures that show no leaf.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <opencv2/core.hpp>
#include <opencv2/imgcodecs.hpp>
#include <opencv2/imgproc.hpp>
#include <random>
#include <string>
#include <vector>

#include "features/base/errors.h"
#include "features/leaf/leaf_candidates.h"
#include "features/leaf/outline_score.h"
#include "features/leaf/paper_light.h"
#include "features/leaf/preprocess.h"
#include "features/leaf/segment_leaf.h"
#include "tests/support/leaf_test_images.h"

namespace leafglyph {
namespace {

using testing::ellipse_photograph;

constexpr int kFinderWidth = 320, kFinderHeight = 240;

PrepareSpec best_of(Background background = Background::kLight) {
  PrepareSpec spec;
  spec.finder = Finder::kBest;
  spec.background = background;
  return spec;
}

Image<std::uint8_t> leaf_on_paper() {
  return ellipse_photograph(kFinderWidth, kFinderHeight, 150, 120, 100, 50);
}

Image<std::uint8_t> lit(Image<std::uint8_t> image, const std::function<double(int, int)>& light) {
  for (int row = 0; row < kFinderHeight; ++row) {
    for (int column = 0; column < kFinderWidth; ++column) {
      image.at(row, column) =
          static_cast<std::uint8_t>(std::lround(light(row, column) * image.at(row, column)));
    }
  }
  return image;
}

// Intersection over union.
double agreement(const Image<std::uint8_t>& a, const Image<std::uint8_t>& b) {
  double both = 0, either = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    both += a.data()[i] != 0 && b.data()[i] != 0;
    either += a.data()[i] != 0 || b.data()[i] != 0;
  }
  return both / either;
}

std::string refusal(const Photograph& photograph, const PrepareSpec& spec) {
  try {
    prepare_leaf(photograph, "leaf.png", spec);
  } catch (const InputError& error) {
    return error.what();
  }
  return "";
}

// agreement: in even light the threshold is best, and nothing is levelled or smoothed.
TEST(LeafFinder, EvenLightLeavesEverythingAsItWas) {
  const Photograph photograph{leaf_on_paper()};
  const PreparedLeaf plain = prepare_leaf(photograph, "leaf", {});
  const PreparedLeaf best = prepare_leaf(photograph, "leaf", best_of());
  EXPECT_TRUE(std::ranges::equal(plain.mask.pixels(), best.mask.pixels()));
  EXPECT_TRUE(std::ranges::equal(plain.grey.pixels(), best.grey.pixels()));
  EXPECT_TRUE(best.notes.empty());
}

// invariant: light that falls off, or the edge of a shadow across the leaf, does not change the
// mask, nor, if the light is smooth, the grey values. A single threshold loses the leaf in the same
// pictures.
TEST(LeafFinder, LightDoesNotChangeTheLeaf) {
  const Image<std::uint8_t> even = leaf_on_paper();
  const Image<std::uint8_t> leaf = segment_leaf(Photograph{even}, "even", {}).mask;
  const auto falling = [](int, int column) { return 1 - 0.6 * column / kFinderWidth; };
  const auto vignette = [](int row, int column) {
    return 1 - 0.5 * (std::pow(column - 160.0, 2) + std::pow(row - 120.0, 2)) / 40000;
  };
  const auto shadow = [](int row, int) { return 1 - 0.45 / (1 + std::exp((row - 120) / 8.0)); };
  for (const std::function<double(int, int)>& light :
       {std::function<double(int, int)>(falling), std::function<double(int, int)>(vignette),
        std::function<double(int, int)>(shadow)}) {
    const Photograph photograph{lit(even, light)};
    const LeafRegion found = segment_leaf(photograph, "lit", best_of());
    // The outline, 480 of 15,700 pixels, may be off by a quarter of a pixel.
    EXPECT_GT(agreement(found.mask, leaf), 0.99);
    ASSERT_FALSE(found.notes.empty());
    EXPECT_NE(found.notes.back().find("levelled"), std::string::npos) << found.notes.back();
  }
  EXPECT_LT(agreement(segment_leaf(Photograph{lit(even, falling)}, "lit", {}).mask, leaf), 0.9);
  const LeafRegion found = segment_leaf(Photograph{lit(even, falling)}, "lit", best_of());
  double off = 0, count = 0;
  for (std::size_t i = 0; i < leaf.size(); ++i) {
    if (leaf.data()[i] == 0) continue;
    off += std::abs(1.0 * found.grey.data()[i] - even.data()[i]);
    ++count;
  }
  // The light is measured in cells of five pixels, to about 2 % of grey values of 100.
  EXPECT_LT(off / count, 3);
}

// invariant: lines on white paper, two pixels wide, do not change the leaf, nor do they count as
// uneven light.
TEST(LeafFinder, LinesOnThePaperAreNotTheLeaf) {
  const Image<std::uint8_t> plain = leaf_on_paper();
  const Image<std::uint8_t> leaf = segment_leaf({plain}, "plain", best_of()).mask;
  struct Lines {
    bool rows, columns;
  };
  for (const Lines lines : {Lines{true, true}, {true, false}, {false, true}}) {
    for (const int step : {10, 25}) {
      const Image<std::uint8_t> ruled = lit(plain, [&](int row, int column) {
        const bool is_line = (lines.rows && row % step < 2) || (lines.columns && column % step < 2);
        return is_line && plain.at(row, column) == 240 ? 0.7 : 1;
      });
      const LeafRegion found = segment_leaf({ruled}, "ruled", best_of());
      EXPECT_GT(agreement(found.mask, leaf), 0.98) << lines.rows << lines.columns << step;
      EXPECT_EQ(found.grey.at(120, 150), plain.at(120, 150)) << lines.rows << lines.columns << step;
    }
  }
}

// oracle: light that is paper times a known falloff is recovered wherever there is paper; even
// light spans nothing.
TEST(PaperLight, IsTheFallOnThePaper) {
  const auto fall = [](int, int column) { return 1 - 0.5 * column / kFinderWidth; };
  const Image<std::uint8_t> image = lit(leaf_on_paper(), fall);
  const Image<std::uint8_t> leaf = segment_leaf(Photograph{leaf_on_paper()}, "even", {}).mask;
  const Image<float> around = light_around(image, leaf);
  const Image<float> smooth = smooth_light(image);
  const Image<float> envelope = envelope_light(image, 0.7);
  for (const int column : {5, 150, 310}) {
    for (const int row : {5, 120, 235}) {
      const double expected = 240 * fall(row, column);
      EXPECT_NEAR(around.at(row, column), expected, 0.03 * expected) << row << ", " << column;
      EXPECT_NEAR(smooth.at(row, column), expected, 0.05 * expected) << row << ", " << column;
      // The envelope is one of squares, 168 pixels wide: on the bright side it lags behind.
      EXPECT_LT(envelope.at(row, column), 1.05 * 240);
      EXPECT_GT(envelope.at(row, column), 0.95 * expected);
    }
  }
  EXPECT_NEAR(light_span(light_around(leaf_on_paper(), leaf).pixels()), 1, 1e-3);
  EXPECT_NEAR(light_span(around.pixels()), (1 - 0.5 * 0.05) / (1 - 0.5 * 0.95), 0.05);
}

// agreement: if leaf and paper have nearly the same colour, with a tenth of the contrast of their
// grey values, the grey values show the leaf.
TEST(LeafFinder, NearlyOneColourIsNoLeaf) {
  const Image<std::uint8_t> grey = leaf_on_paper();
  std::vector<std::uint8_t> colour;
  for (const std::uint8_t value : grey.pixels()) {
    for (const int light : value < 200 ? std::array{60, 68, 52} : std::array{210, 230, 186}) {
      colour.push_back(static_cast<std::uint8_t>(light));
    }
  }
  const Photograph photograph = colour_photograph(kFinderWidth, kFinderHeight, std::move(colour));
  const LeafRegion found = segment_leaf(photograph, "tinted", best_of());
  EXPECT_GT(agreement(found.mask, segment_leaf(Photograph{grey}, "grey", {}).mask), 0.99);
}

// oracle: noise of a known deviation, in a picture with the leaf's detail; with a lower limit, the
// result is the same or 0.
TEST(LeafFinder, NoiseIsMeasured) {
  std::mt19937 random(3);
  for (const double deviation : {5.0, 12.0, 25.0}) {
    std::normal_distribution<double> noise(0, deviation);
    Image<std::uint8_t> image = leaf_on_paper();
    for (std::uint8_t& value : image.pixels()) {
      // 0.6 of the paper, so that nothing is clipped.
      value = static_cast<std::uint8_t>(std::clamp(0.6 * value + noise(random), 0.0, 255.0));
    }
    const double found = noise_of(image);
    EXPECT_NEAR(found, deviation, 0.1 * deviation);
    EXPECT_EQ(noise_of(image, found), found);
    EXPECT_EQ(noise_of(image, std::nextafter(found, 100)), 0);
  }
  EXPECT_LT(noise_of(leaf_on_paper()), 1);
}

// agreement: if the rest of the score cannot beat `to_beat`, only the terms of the outline are left
// out.
TEST(LeafFinder, OutlinesThatCannotWinAreNotLookedAt) {
  const Image<std::uint8_t> image = leaf_on_paper();
  const Image<std::uint8_t> leaf = segment_leaf(Photograph{image}, "leaf", {}).mask;
  const OutlineScore looked =
      score_outline(image, leaf, /*leaf_is_dark=*/true, /*to_beat=*/0).score;
  OutlineScore left = score_outline(image, leaf, /*leaf_is_dark=*/true, /*to_beat=*/1.01).score;
  EXPECT_GT(looked.sharpness, 0.9);
  EXPECT_EQ(left.sharpness, 0);
  EXPECT_EQ(left.evenness, 0);
  left.sharpness = looked.sharpness;
  left.evenness = looked.evenness;
  EXPECT_EQ(left.total(), looked.total());
  // A foreground along the whole frame cannot win, and only its border is reported.
  const Image<std::uint8_t> all(kFinderWidth, kFinderHeight, 1);
  const OutlineScore framed =
      score_outline(image, all, /*leaf_is_dark=*/true, /*to_beat=*/0.1).score;
  EXPECT_EQ(framed.border, 1);
  EXPECT_EQ(framed.solidity, 0);
  EXPECT_EQ(score_outline(image, all, /*leaf_is_dark=*/true, /*to_beat=*/0).score.solidity, 1);
}

// oracle: each pixel of the frame is counted once, even in the thinnest pictures.
TEST(LeafFinder, ShareOfTheFrameThatIsTaken) {
  Image<std::uint8_t> mask(4, 3);
  mask.at(0, 0) = mask.at(1, 1) = mask.at(2, 3) = 1;
  EXPECT_EQ(border_share(mask), 2.0 / 10);
  for (const auto& [width, height] : {std::pair{1, 1}, {1, 5}, {5, 1}, {2, 2}, {2, 5}}) {
    EXPECT_EQ(border_share(Image<std::uint8_t>(width, height, 1)), 1) << width << " x " << height;
  }
}

// A green leaf on paper of the same grey value, with a shadow of the paper's colour beside it.
Photograph green_leaf_on_grey() {
  const Image<std::uint8_t> shape = leaf_on_paper();
  std::vector<std::uint8_t> colour;
  for (int row = 0; row < kFinderHeight; ++row) {
    for (int column = 0; column < kFinderWidth; ++column) {
      const bool leaf = shape.at(row, column) < 200;
      const bool shadow = !leaf && row > 140 && row < 200 && column > 100 && column < 250;
      const auto grey = static_cast<std::uint8_t>(shadow ? 70 : 118);
      // 0.299 * 90 + 0.587 * 150 + 0.114 * 30 = 118.4
      if (leaf) {
        colour.insert(colour.end(), {90, 150, 30});
      } else {
        colour.insert(colour.end(), 3, grey);
      }
    }
  }
  return colour_photograph(kFinderWidth, kFinderHeight, std::move(colour));
}

// invariant: a coloured leaf is found by its colour on paper of the same grey value, and a shadow
// is not mistaken for it.
TEST(LeafFinder, ColourTellsLeavesFromShadows) {
  const Image<std::uint8_t> leaf = segment_leaf(Photograph{leaf_on_paper()}, "even", {}).mask;
  const Photograph green = green_leaf_on_grey();
  EXPECT_GT(agreement(segment_leaf(green, "green", best_of(Background::kAuto)).mask, leaf), 0.97);
  EXPECT_LT(agreement(segment_leaf(Photograph{green.grey}, "grey", {}).mask, leaf), 0.5);
}

// invariant: a dark leaf with patches of the hue of its paper is found whole, and a shadow beside
// it is not.
TEST(LeafFinder, DarkPatchesOfThePapersHueAreFound) {
  const Image<std::uint8_t> shape = leaf_on_paper();
  std::vector<std::uint8_t> colour;
  for (int row = 0; row < kFinderHeight; ++row) {
    for (int column = 0; column < kFinderWidth; ++column) {
      const bool shadow = row > 205 && column > 60 && column < 260;
      if (shape.at(row, column) < 200 && (row / 12 + column / 12) % 2 == 0) {
        colour.insert(colour.end(), {120, 130, 60});
      } else if (shape.at(row, column) < 200) {
        colour.insert(colour.end(), {62, 30, 36});
      } else if (shadow) {
        colour.insert(colour.end(), {175, 77, 105});
      } else {
        colour.insert(colour.end(), {250, 110, 150});
      }
    }
  }
  const Photograph photograph = colour_photograph(kFinderWidth, kFinderHeight, std::move(colour));
  const Image<std::uint8_t> leaf = segment_leaf(Photograph{leaf_on_paper()}, "even", {}).mask;
  EXPECT_GT(agreement(segment_leaf(photograph, "dark", best_of(Background::kAuto)).mask, leaf),
            0.97);
}

// regression: files are decoded in colour where colours are used, and only there.
TEST(LeafFinder, ColoursOfFilesAreRead) {
  const testing::TemporaryFolder folder;
  const Photograph green = green_leaf_on_grey();
  cv::Mat pixels(kFinderHeight, kFinderWidth, CV_8UC3,
                 const_cast<std::uint8_t*>(green.colour.data()));
  cv::Mat stored;
  cv::cvtColor(pixels, stored, cv::COLOR_RGB2BGR);
  const std::string file = (folder / "green.png").string();
  ASSERT_TRUE(cv::imwrite(file, stored));
  const PrepareSpec spec = best_of(Background::kAuto);
  const PreparedLeaf by_file = prepare_file(file, spec);
  const PreparedLeaf expected = prepare_leaf(green, "green", spec);
  EXPECT_TRUE(std::ranges::equal(by_file.mask.pixels(), expected.mask.pixels()));
  MemoryReservation memory;
  EXPECT_TRUE(request_of(spec, memory).colour);
  EXPECT_FALSE(request_of(PrepareSpec{}, memory).colour);
}

// invariant: with background: auto a negative gives the same leaf.
TEST(LeafFinder, EitherBackgroundIsFound) {
  Image<std::uint8_t> negative = leaf_on_paper();
  for (std::uint8_t& value : negative.pixels()) value = static_cast<std::uint8_t>(255 - value);
  const Image<std::uint8_t> leaf = segment_leaf(Photograph{leaf_on_paper()}, "even", {}).mask;
  for (const Image<std::uint8_t>& image : {leaf_on_paper(), negative}) {
    const LeafRegion found = segment_leaf(Photograph{image}, "auto", best_of(Background::kAuto));
    EXPECT_EQ(agreement(found.mask, leaf), 1);
  }
  EXPECT_NE(refusal(Photograph{negative}, best_of()), "");
  PrepareSpec old;
  old.background = Background::kAuto;
  EXPECT_THROW(validate(old), UsageError);
}

// invariant: a picture too large for the candidate search gives the same leaf as a small one.
TEST(LeafFinder, LargePicturesGiveTheSameLeaf) {
  const auto falling = [](int, int column) { return 1 - 0.6 * column / kFinderWidth; };
  const Photograph small{lit(leaf_on_paper(), falling)};
  const Photograph large = resized(small, 4 * kFinderWidth, 4 * kFinderHeight);
  const LeafRegion found = segment_leaf(large, "large", best_of());
  const LeafRegion expected = segment_leaf(small, "small", best_of());
  EXPECT_NEAR(found.area / expected.area, 16, 0.16);
  EXPECT_NEAR(found.centroid_x / expected.centroid_x, 4, 0.04);
}

// mechanics: pictures without a leaf are refused with the reason.
TEST(LeafFinder, RefusesWhatIsNoLeaf) {
  Image<std::uint8_t> stripes(kFinderWidth, kFinderHeight), slope(kFinderWidth, kFinderHeight),
      blob(kFinderWidth, kFinderHeight);
  for (int row = 0; row < kFinderHeight; ++row) {
    for (int column = 0; column < kFinderWidth; ++column) {
      stripes.at(row, column) = column / 20 % 2 == 0 ? 60 : 220;
      slope.at(row, column) = static_cast<std::uint8_t>(230 - column / 4);
      const double far = std::hypot(column - 160, row - 120) / 60;
      blob.at(row, column) = static_cast<std::uint8_t>(230 - 150 * std::exp(-0.5 * far * far));
    }
  }
  for (const Background background : {Background::kLight, Background::kAuto}) {
    EXPECT_NE(refusal(Photograph{stripes}, best_of(background)), "");
    EXPECT_NE(refusal(Photograph{slope}, best_of(background)), "");
    EXPECT_NE(refusal(Photograph{blob}, best_of(background)).find("sharp outline"),
              std::string::npos)
        << refusal(Photograph{blob}, best_of(background));
  }
}

}  // namespace
}  // namespace leafglyph
