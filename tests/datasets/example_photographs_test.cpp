// The examples of good and bad photographs match their names.
#include "datasets/leaf/example_photographs.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "features/base/errors.h"
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
      const PreparedLeaf leaf = prepare_leaf(draw_example(i), "example", spec);
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
    EXPECT_TRUE(std::ranges::equal(draw_example(i).pixels(), draw_example(i).pixels()));
  }
}

}  // namespace
}  // namespace leafglyph
