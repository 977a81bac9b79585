#include "features/base/names.h"

#include <gtest/gtest.h>

#include <array>
#include <random>
#include <string>

namespace leafglyph {
namespace {

constexpr std::array<std::string_view, 5> kCommands = {"train", "evaluate", "classify", "check",
                                                       "sweep"};

// Whether at most `most` steps suffice, by trying every sequence of them.
bool within(const std::string& a, const std::string& b, int most) {
  if (a == b) return true;
  if (most == 0 || a.empty() || b.empty()) return static_cast<int>(a.size() + b.size()) <= most;
  if (a[0] == b[0] && within(a.substr(1), b.substr(1), most)) return true;
  const bool exchanged = a.size() > 1 && b.size() > 1 && a[0] == b[1] && a[1] == b[0];
  return within(a.substr(1), b, most - 1) || within(a, b.substr(1), most - 1) ||
         within(a.substr(1), b.substr(1), most - 1) ||
         (exchanged && within(a.substr(2), b.substr(2), most - 1));
}

// oracle: the fewest steps found by trying all sequences.
TEST(NearName, CountsTheFewestChanges) {
  std::mt19937 random(7);
  for (int trial = 0; trial < 300; ++trial) {
    std::string a, b;
    for (std::size_t i = random() % 6; i > 0; --i) a += static_cast<char>('a' + random() % 3);
    for (std::size_t i = random() % 6; i > 0; --i) b += static_cast<char>('a' + random() % 3);
    int apart = 0;
    while (!within(a, b, apart)) ++apart;
    EXPECT_EQ(letters_apart(a, b), apart) << a << " " << b;
    EXPECT_EQ(letters_apart(b, a), apart) << a << " " << b;
  }
}

// mechanics: a typo finds the intended name, other words find none.
TEST(NearName, FindsWhatWasMeant) {
  EXPECT_EQ(nearest_name("trian", kCommands), "train");
  EXPECT_EQ(nearest_name("Train", kCommands), "train");
  EXPECT_EQ(nearest_name("eval", kCommands), "evaluate");
  EXPECT_EQ(nearest_name("clasify", kCommands), "classify");
  EXPECT_EQ(nearest_name("info", kCommands), "");
  EXPECT_EQ(nearest_name("", kCommands), "");
  EXPECT_EQ(did_you_mean("swep", kCommands), "; did you mean 'sweep'?");
  EXPECT_EQ(did_you_mean("info", kCommands), "");
}

}  // namespace
}  // namespace leafglyph
