#include "features/base/numbers.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <limits>
#include <string_view>

namespace leafglyph {
namespace {

// oracle: values written out by hand, the ends of the types among them.
TEST(NumberIn, ReadsWhatIsANumberFromBeginningToEnd) {
  EXPECT_EQ(number_in<int>("0"), 0);
  EXPECT_EQ(number_in<int>("-12"), -12);
  EXPECT_EQ(number_in<int>("007"), 7);
  EXPECT_EQ(number_in<std::int64_t>("9223372036854775807"), INT64_MAX);
  EXPECT_EQ(number_in<std::int64_t>("-9223372036854775808"), INT64_MIN);
  EXPECT_EQ(number_in<unsigned char>("fF", 16), 255);
  EXPECT_EQ(number_in<double>("-2.5e-3"), -2.5e-3);
  EXPECT_EQ(number_in<double>(".5"), 0.5);
  EXPECT_EQ(number_in<double>("5."), 5.0);
  EXPECT_EQ(number_in<double>("inf"), std::numeric_limits<double>::infinity());
  EXPECT_TRUE(std::isnan(number_in<double>("nan").value()));
}

// oracle: texts that look like numbers to other readers of numbers.
TEST(NumberIn, RefusesSignsBlanksPrefixesAndRests) {
  for (const std::string_view text :
       {"", "-", "+1", " 1", "1 ", "1x", "0x10", "1.0", "1,000", "x"}) {
    EXPECT_EQ(number_in<int>(text), std::nullopt) << "'" << text << "'";
  }
  for (const std::string_view text :
       {"", ".", "+1.5", " 1.5", "1.5 ", "1.5f", "1,5", "1e", "0x10"}) {
    EXPECT_EQ(number_in<double>(text), std::nullopt) << "'" << text << "'";
  }
  EXPECT_EQ(number_in<int>(std::string_view("1\0", 2)), std::nullopt);
}

// oracle: the neighbours of the ends of the types.
TEST(NumberIn, RefusesNumbersThatDoNotFit) {
  EXPECT_EQ(number_in<int>("2147483648"), std::nullopt);
  EXPECT_EQ(number_in<int>("-2147483649"), std::nullopt);
  EXPECT_EQ(number_in<unsigned>("-1"), std::nullopt);
  EXPECT_EQ(number_in<unsigned char>("100", 16), std::nullopt);
  EXPECT_EQ(number_in<double>("1e309"), std::nullopt);
}

// oracle: what is taken and what stays, by hand.
TEST(TakeNumber, RemovesTheNumberAndLeavesTheRest) {
  std::string_view text = "80a-real";
  EXPECT_EQ(take_number<int>(text), 80);
  EXPECT_EQ(text, "a-real");
  text = "1.5e3:2";
  EXPECT_EQ(take_number<double>(text), 1500.0);
  EXPECT_EQ(text, ":2");
  text = "12";
  EXPECT_EQ(take_number<int>(text), 12);
  EXPECT_TRUE(text.empty());
}

// oracle: a text without a number, and one whose number does not fit, stay as they are.
TEST(TakeNumber, LeavesATextWithoutANumberAlone) {
  for (const std::string_view whole : {"", "x1", "+1", "99999999999x"}) {
    std::string_view text = whole;
    EXPECT_EQ(take_number<int>(text), std::nullopt);
    EXPECT_EQ(text, whole);
  }
}

}  // namespace
}  // namespace leafglyph
