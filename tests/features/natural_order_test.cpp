#include "features/base/text.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace leafglyph {
namespace {

// oracle: an order written out by hand; all pairs are compared, so that equal names precede neither
// way.
TEST(NaturalOrder, NumbersCompareByValue) {
  const std::vector<std::string> ordered = {
      "",         "1001.jpg",  "1002.jpg", "a",         "a1b2",     "a1b10",     "a2",
      "img1.jpg", "img01.jpg", "img2.jpg", "img10.jpg", "imgx.jpg", "oak/9.png", "oak/10.png"};
  for (std::size_t i = 0; i < ordered.size(); ++i) {
    for (std::size_t j = 0; j < ordered.size(); ++j) {
      if (ordered[i] == "img1.jpg" && ordered[j] == "img01.jpg") continue;
      if (ordered[j] == "img1.jpg" && ordered[i] == "img01.jpg") continue;
      EXPECT_EQ(in_natural_order(ordered[i], ordered[j]), i < j) << ordered[i] << " " << ordered[j];
    }
  }
}

// invariant: names that differ only in zeros are still ordered, one way or the other.
TEST(NaturalOrder, EveryTwoNamesHaveAnOrder) {
  EXPECT_NE(in_natural_order("img1", "img01"), in_natural_order("img01", "img1"));
  EXPECT_FALSE(in_natural_order("img1", "img1"));
}

}  // namespace
}  // namespace leafglyph
