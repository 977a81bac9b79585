// The examples of good and bad photographs match their names.
#include "datasets/leaf/example_photographs.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "features/base/errors.h"
#include "features/leaf/leaf_colour.h"
#include "features/leaf/preprocess.h"

namespace leafglyph {
namespace {

// oracle: a good photograph gives a leaf without a warning; a bad one is refused, or its problem
// reported.
TEST(ExamplePhotographsTest, AreWhatTheyAreCalled) {
  PrepareSpec spec;
  spec.finder = Finder::kScene;
  spec.background = Background::kAuto;
  for (std::size_t i = 0; i < example_photographs().size(); ++i) {
    const ExamplePhotograph& example = example_photographs()[i];
    std::string said;
    try {
      const PreparedLeaf leaf = prepare_leaf(draw_example(i).grey, "example", spec);
      for (const std::string& warning : leaf.warnings) said += warning;
    } catch (const InputError& error) {
      said = error.what();
    }
    EXPECT_EQ(said.empty(), example.is_good) << example.name << ": " << said;
  }
  EXPECT_THROW(draw_example(example_photographs().size()), UsageError);
}

// invariant: every call gives the same.
TEST(ExamplePhotographsTest, AreTheSameAtEachCall) {
  for (std::size_t i = 0; i < example_photographs().size(); ++i) {
    const Photograph first = draw_example(i), second = draw_example(i);
    EXPECT_TRUE(std::ranges::equal(first.grey.pixels(), second.grey.pixels()));
    EXPECT_EQ(first.colour, second.colour);
  }
}

// oracle: where the leaf is, the colours are green, and of the brightness of the grey values; the
// paper has none.
TEST(ExamplePhotographsTest, AreGreenWhereTheLeafIs) {
  const Photograph example = draw_example(0);
  ASSERT_EQ(example.colour.size(), 3 * example.grey.size());
  std::size_t leaf = 0;
  for (std::size_t i = 0; i < example.grey.size(); ++i) {
    const std::uint8_t value = example.grey.data()[i];
    const int red = example.colour[3 * i], green = example.colour[3 * i + 1],
              blue = example.colour[3 * i + 2];
    if (value > 200) {
      EXPECT_TRUE(red == value && green == value && blue == value);
    }
    if (value > 140 || value < 30) continue;
    ++leaf;
    EXPECT_TRUE(green > red && red > blue) << red << " " << green << " " << blue;
    const double light =
        0.2126 * linear_light(red) + 0.7152 * linear_light(green) + 0.0722 * linear_light(blue);
    EXPECT_NEAR(encoded_light(light), value, 1.5);  // each colour is rounded
  }
  EXPECT_GT(leaf, example.grey.size() / 20);
}

}  // namespace
}  // namespace leafglyph
