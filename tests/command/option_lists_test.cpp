#include "tools/cli/option_lists.h"

#include <gtest/gtest.h>

#include "features/base/errors.h"

namespace leafglyph {
namespace {

std::vector<int> list(const char* text) { return whole_numbers(text, 0, 100); }

// oracle: lists written out by hand.
TEST(OptionLists, ReadNumbersRangesAndSteps) {
  EXPECT_EQ(list("7"), (std::vector<int>{7}));
  EXPECT_EQ(list("5,10,5"), (std::vector<int>{5, 10, 5}));
  EXPECT_EQ(list("3:6"), (std::vector<int>{3, 4, 5, 6}));
  EXPECT_EQ(list("5:20:5"), (std::vector<int>{5, 10, 15, 20}));
  EXPECT_EQ(list("0:10:4,100"), (std::vector<int>{0, 4, 8, 100}));
}

// mechanics: anything but a list of numbers in the range is refused.
TEST(OptionLists, RefuseEverythingElse) {
  for (const char* text :
       {"", ",", "5,", "a", "1.5", "5:", ":5", "1:2:3:4", "5:1", "1:5:0", "1:5:-1", "-1", "101",
        "0:101", " 5", "5 ", "5;6", "99999999999999999999"}) {
    EXPECT_THROW(list(text), UsageError) << text;
  }
  EXPECT_THROW(whole_numbers("0:2000000000", 0, 2'000'000'000), UsageError);
}

}  // namespace
}  // namespace leafglyph
