// Perturbed photographs: the amount of each change, and that it is the same every time.
#include "datasets/leaf/perturbation.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <string>

#include "datasets/leaf/augmented_copy.h"
#include "datasets/leaf/example_photographs.h"
#include "datasets/leaf/leaf_dataset.h"
#include "features/base/errors.h"
#include "tests/support/leaf_test_images.h"

namespace leafglyph {
namespace {

constexpr std::uint64_t kPerturbationSeed = 7;
constexpr int kWidth = testing::EllipseScene::kWidth, kHeight = testing::EllipseScene::kHeight;

struct Ellipse : testing::EllipseScene {
  Photograph after(const std::string& name, std::uint64_t seed = kPerturbationSeed) const {
    const auto all = perturbations();
    const auto at = std::ranges::find(all, name, &Perturbation::name);
    EXPECT_NE(at, all.end()) << name;
    return perturbed(photograph, mask, static_cast<std::size_t>(at - all.begin()), seed);
  }
  // The share of leaf pixels that became paper. Antialiased edges and JPEG errors do not count.
  double lost(const Photograph& worse) const {
    double lost = 0, area = 0;
    for (std::size_t i = 0; i < mask.size(); ++i) {
      area += mask.data()[i];
      lost += mask.data()[i] != 0 && worse.grey.data()[i] > 200;
    }
    return lost / area;
  }
};

// mechanics: the same seed gives the same picture; another seed changes random perturbations.
TEST(Perturbation, IsTheSameForASeed) {
  const Ellipse leaf;
  std::set<std::string> names;
  for (const Perturbation& p : perturbations()) {
    const std::string name(p.name);
    EXPECT_TRUE(names.insert(name).second) << name;
    const Photograph once = leaf.after(name), again = leaf.after(name);
    EXPECT_TRUE(std::ranges::equal(once.grey.pixels(), again.grey.pixels())) << name;
  }
  for (const char* name : {"noise", "bite", "half shadow"}) {
    EXPECT_FALSE(std::ranges::equal(leaf.after(name).grey.pixels(),
                                    leaf.after(name, kPerturbationSeed + 1).grey.pixels()))
        << name;
  }
}

// oracle: paper of 240 in light that falls off, and in the corners of a vignette.
TEST(Perturbation, LightIsAsStated) {
  const Ellipse leaf;
  EXPECT_TRUE(std::ranges::equal(leaf.after("none").grey.pixels(), leaf.photograph.grey.pixels()));
  const Image<std::uint8_t> fall = leaf.after("light to 50 %").grey;
  EXPECT_EQ(fall.at(0, 0), 240);
  EXPECT_EQ(fall.at(kHeight - 1, kWidth - 1), 120);
  const Image<std::uint8_t> vignette = leaf.after("vignette").grey;
  EXPECT_EQ(vignette.at(0, 0), 120);
  EXPECT_EQ(vignette.at(kHeight - 1, 0), 120);
  // The middle of the left side is 0.735 of the corner's squared distance away.
  const double x = 99.5 * 99.5, y = 59.5 * 59.5;
  EXPECT_NEAR(vignette.at(kHeight / 2, 0), 240 * (1 - 0.5 * x / (x + y)), 1);
  const Image<std::uint8_t> shadow = leaf.after("half shadow").grey;
  const auto [dark, bright] = std::minmax({shadow.at(0, 0), shadow.at(kHeight - 1, kWidth - 1)});
  EXPECT_NEAR(dark, 0.55 * 240, 4);
  EXPECT_NEAR(bright, 240, 4);
}

// oracle: a bite removes a tenth of the leaf, wherever it is; a cut removes the last tenth of its
// length: of an ellipse the segment beyond 0.8 of the half axis, (acos 0.8 - 0.8 * 0.6) / pi of the
// area.
TEST(Perturbation, DamageTakesWhatItSays) {
  const Ellipse leaf;
  for (std::uint64_t seed = 1; seed <= 10; ++seed) {
    // A disk of whole pixels with a radius of about 20: its area is off by at most its rim.
    EXPECT_NEAR(leaf.lost(leaf.after("bite", seed)), 0.1, 0.015) << "seed " << seed;
  }
  const double segment = (std::acos(0.8) - 0.8 * 0.6) / std::acos(-1.0);
  // The cut's edge is widened by two of the segment's 28 pixels.
  EXPECT_NEAR(leaf.lost(leaf.after("tip cut")), segment, 0.02);
}

// oracle: a stalk of 30 % of 140 pixels, 3 wide, reaches 12 pixels beyond the frame. The picture
// grows so that all of it is visible.
TEST(Perturbation, StalksAreWholeAndAsLongAsStated) {
  const Ellipse leaf;
  const auto darkness = [](const Image<std::uint8_t>& grey) {
    double sum = 0;
    for (const std::uint8_t value : grey.pixels()) sum += 240 - value;
    return sum;
  };
  const double of_leaf = darkness(leaf.photograph.grey);
  const double tone = of_leaf / static_cast<double>(std::ranges::count(leaf.mask.pixels(), 1));
  for (std::uint64_t seed = 1; seed <= 10; ++seed) {
    const Image<std::uint8_t> grey = leaf.after("stalk", seed).grey;
    // The width is that of the line or a quarter of a pixel more; the bend and the round end
    // make it longer by six; where it covers the leaf it changes the grey values.
    const double pixels = (darkness(grey) - of_leaf) / tone;
    EXPECT_GT(pixels, 42 * 2.5) << "seed " << seed;
    EXPECT_LT(pixels, 48 * 3.5) << "seed " << seed;
    // Two widths beyond the end.
    EXPECT_NEAR(grey.width(), kWidth + 12 + 6, 3) << "seed " << seed;
    for (int row = 0; row < grey.height(); ++row) {
      EXPECT_EQ(std::min(grey.at(row, 0), grey.at(row, grey.width() - 1)), 240) << row;
    }
  }
}

// oracle: the area that a straight cut takes, with two pixels beyond it; what a fingertip of a
// fifth of the disc's diameter covers that reaches in by 15 % of it: about 6 % of the disc.
TEST(Perturbation, CutsAndFingersTakeTheirShare) {
  const Ellipse leaf;
  for (std::uint64_t seed = 1; seed <= 10; ++seed) {
    const double cut = leaf.lost(leaf.after("side cut", seed));
    EXPECT_GT(cut, 0.095) << "seed " << seed;
    EXPECT_LT(cut, 0.15) << "seed " << seed;
    const Image<std::uint8_t> grey = leaf.after("finger", seed).grey;
    double covered = 0, area = 0;
    for (std::size_t i = 0; i < grey.size(); ++i) {
      if (leaf.mask.data()[i] == 0) continue;
      ++area;
      covered += grey.data()[i] == 184;
    }
    EXPECT_GT(covered / area, 0.03) << "seed " << seed;
    EXPECT_LT(covered / area, 0.12) << "seed " << seed;
  }
}

// oracle: in 25 pixels four lines of one and one of two, down and across: 1 - (19 / 25)^2 of the
// paper is darker. The leaf stays as it is.
TEST(Perturbation, GraphPaperHasItsLines) {
  const Ellipse leaf;
  const Image<std::uint8_t> before = leaf.photograph.grey, grey = leaf.after("graph paper").grey;
  double dark = 0, paper = 0;
  for (std::size_t i = 0; i < grey.size(); ++i) {
    if (leaf.mask.data()[i] != 0) {
      EXPECT_EQ(grey.data()[i], before.data()[i]);
    } else if (before.data()[i] == 240) {
      ++paper;
      dark += grey.data()[i] < 240;
      EXPECT_TRUE(grey.data()[i] == 240 || grey.data()[i] == 204 || grey.data()[i] == 168);
    }
  }
  // The frame is eight by nearly five periods.
  EXPECT_NEAR(dark / paper, 1 - 19.0 * 19 / (25 * 25), 0.03);
}

// oracle: the sides of pictures that change size; noise has the stated deviation.
TEST(Perturbation, SizesAndNoise) {
  const Ellipse leaf;
  const auto sides = [&](const char* name) {
    const Image<std::uint8_t> grey = leaf.after(name).grey;
    return std::pair(grey.width(), grey.height());
  };
  EXPECT_EQ(sides("square file"), std::pair(200, 200));
  EXPECT_EQ(sides("quarter size"), std::pair(50, 30));
  EXPECT_EQ(sides("scale"), std::pair(120, 72));
  EXPECT_EQ(sides("tilt"), std::pair(200, 120));
  // For the leaf alone: paper is clipped at 255.
  const Image<std::uint8_t> noisy = leaf.after("noise").grey;
  double sum = 0, count = 0;
  for (std::size_t i = 0; i < noisy.size(); ++i) {
    if (leaf.mask.data()[i] == 0) continue;
    const double change = 1.0 * noisy.data()[i] - leaf.photograph.grey.data()[i];
    sum += change * change;
    ++count;
  }
  // 6,597 samples estimate a deviation to 1 %; the tolerance is four of these.
  EXPECT_NEAR(std::sqrt(sum / count), 25, 1);
}

// invariant: a colour photograph in grey tones changes like the grey one; noise differs between
// channels, and JPEG keeps colours separate.
TEST(Perturbation, ColoursAreTreatedAsGreyIs) {
  const Ellipse leaf;
  std::vector<std::uint8_t> colour;
  for (const std::uint8_t value : leaf.photograph.grey.pixels())
    colour.insert(colour.end(), 3, value);
  const Photograph coloured = colour_photograph(kWidth, kHeight, std::move(colour));
  for (std::size_t which = 0; which < perturbations().size(); ++which) {
    const std::string name(perturbations()[which].name);
    if (perturbations()[which].of_colours) continue;
    const Photograph worse = perturbed(coloured, leaf.mask, which, kPerturbationSeed);
    ASSERT_TRUE(worse.has_colour()) << name;
    if (name == "noise" || name == "JPEG") continue;
    EXPECT_TRUE(std::ranges::equal(worse.grey.pixels(), leaf.after(name).grey.pixels())) << name;
  }
}

// agreement: another lamp is the one that augmented_copy.h draws for the seed; a grey photograph
// does not show the lamp.
TEST(Perturbation, LampsAreThoseOfGeneratedLeaves) {
  const Ellipse leaf;
  std::vector<std::uint8_t> colour;
  for (const std::uint8_t value : leaf.photograph.grey.pixels()) {
    colour.insert(colour.end(), {value, static_cast<std::uint8_t>(value / 2), value});
  }
  const Photograph coloured = colour_photograph(kWidth, kHeight, std::move(colour));
  const std::size_t lamp = perturbations().size() - 1;
  ASSERT_TRUE(perturbations()[lamp].of_colours);
  const Photograph worse = perturbed(coloured, leaf.mask, lamp, kPerturbationSeed);
  EXPECT_EQ(worse.colour, in_other_light(coloured, leaf.mask, kPerturbationSeed).colour);
  EXPECT_NE(worse.colour, coloured.colour);
  EXPECT_TRUE(std::ranges::equal(leaf.after("lamp").grey.pixels(), leaf.photograph.grey.pixels()));
}

// mechanics: invalid arguments are refused, and pictures without a leaf can be drawn.
TEST(Perturbation, RefusesWhatDoesNotFit) {
  const Ellipse leaf;
  EXPECT_THROW(perturbed(leaf.photograph, leaf.mask, perturbations().size(), kPerturbationSeed),
               UsageError);
  EXPECT_THROW(perturbed(leaf.photograph, Image<std::uint8_t>(3, 3), 0, kPerturbationSeed),
               UsageError);
  EXPECT_THROW(draw_leafless(leafless_pictures().size(), kPerturbationSeed), UsageError);
  EXPECT_THROW(colour_photograph(2, 2, {1, 2, 3}), UsageError);
  for (std::size_t kind = 0; kind < leafless_pictures().size(); ++kind) {
    const Image<std::uint8_t> picture = draw_leafless(kind, kPerturbationSeed);
    const auto [dark, bright] = std::ranges::minmax(picture.pixels());
    EXPECT_LT(dark + 10, bright) << leafless_pictures()[kind].name;
    EXPECT_TRUE(
        std::ranges::equal(picture.pixels(), draw_leafless(kind, kPerturbationSeed).pixels()));
    EXPECT_FALSE(
        std::ranges::equal(picture.pixels(), draw_leafless(kind, kPerturbationSeed + 1).pixels()));
  }
}

}  // namespace
}  // namespace leafglyph
