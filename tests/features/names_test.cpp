#include "features/base/names.h"

#include <gtest/gtest.h>

#include <string>

#include "features/base/errors.h"
#include "tests/support/refusal.h"

namespace leafglyph {
namespace {

enum class Fruit { kApple, kPear, kPlum };
constexpr Names<Fruit, 2> kTwo = {"fruit", {{{Fruit::kPear, "pear"}, {Fruit::kApple, "apple"}}}};
constexpr Names<Fruit, 3> kThree = {
    "fruit", {{{Fruit::kApple, "apple"}, {Fruit::kPear, "pear"}, {Fruit::kPlum, "plum"}}}};

template <std::size_t N>
std::string refusal(const Names<Fruit, N>& names, std::string_view name) {
  return testing::refusal<UsageError>([&] { from_name(names, name); });
}

// invariant: every name converts back to its value.
TEST(Names, LeadBothWays) {
  for (const Fruit fruit : kThree.values())
    EXPECT_EQ(from_name(kThree, name_of(kThree, fruit)), fruit);
  EXPECT_EQ(name_of(kTwo, Fruit::kPear), "pear");
  EXPECT_EQ(name_of(kTwo, Fruit::kPlum), "");
}

// mechanics: the message names the unknown value and every choice.
TEST(Names, UnknownOnesAreRefusedWithTheChoices) {
  EXPECT_EQ(refusal(kTwo, "plum"), "fruit 'plum' is unknown; use pear or apple");
  EXPECT_EQ(refusal(kThree, ""), "fruit '' is unknown; use apple, pear or plum");
  EXPECT_EQ(refusal(kThree, "Apple"),
            "fruit 'Apple' is unknown; use apple, pear or plum; did you mean 'apple'?");
}

}  // namespace
}  // namespace leafglyph
