#include "classify/config.h"

#include <gtest/gtest.h>

#include "features/errors.h"

namespace leafglyph {
namespace {

// The message of the UsageError that `run` throws; fails the test when it throws none.
template <class Run>
std::string usage_error(const Run& run) {
  try {
    run();
  } catch (const UsageError& error) {
    return error.what();
  }
  ADD_FAILURE() << "no UsageError";
  return "";
}

TEST(Config, ReadsEveryTypeAndFallsBack) {
  Config config = Config::parse(
      "order: 30\nratio: 0.5\nname: leaf\nloud: true\norders: [6, 8]\nfonts: [a, b]\n"
      "weights: [1, 0.5]\nknn:\n  k: 5\nsets:\n  - path: x\n  - path: y\n",
      "c.yaml");
  EXPECT_EQ(config.integer("order", 1, 0, 100), 30);
  EXPECT_EQ(config.integer("missing", 7, 0, 100), 7);
  EXPECT_EQ(config.number("ratio", 1, 0, 1), 0.5);
  EXPECT_EQ(config.text("name", ""), "leaf");
  EXPECT_TRUE(config.flag("loud", false));
  EXPECT_EQ(config.integers("orders", {}, 0, 100), (std::vector<int>{6, 8}));
  EXPECT_EQ(config.texts("fonts", {}), (std::vector<std::string>{"a", "b"}));
  EXPECT_EQ(config.numbers("weights", {}, 0, 1), (std::vector<double>{1, 0.5}));
  Config knn = config.child("knn");
  EXPECT_EQ(knn.integer("k", 1, 1, 100), 5);
  knn.finish();
  auto sets = config.children("sets");
  ASSERT_EQ(sets.size(), 2U);
  EXPECT_EQ(sets[1].required_text("path"), "y");
  config.finish();
}

TEST(Config, ErrorsNameFileLineAndKey) {
  Config config = Config::parse("order: 30\nknn:\n  k: many\n  odd: 1\n", "c.yaml");
  EXPECT_NE(usage_error([&] { config.integer("order", 1, 0, 20); }).find("c.yaml:1: order: 30"),
            std::string::npos);
  Config knn = config.child("knn");
  EXPECT_NE(usage_error([&] { knn.integer("k", 1, 1, 9); }).find("c.yaml:3: knn.k: "),
            std::string::npos);
  EXPECT_NE(usage_error([&] { knn.finish(); }).find("c.yaml:4: knn.odd: is an unknown key"),
            std::string::npos);
  EXPECT_NE(usage_error([&] { config.required_text("model"); }).find("model: is missing"),
            std::string::npos);
  EXPECT_NE(usage_error([&] {
              config.choice("order", "a", {"a", "b"});
            }).find("use a or b"),
            std::string::npos);
}

TEST(Config, FilesThatAreNoConfigAreRefused) {
  EXPECT_NE(usage_error([] { Config::parse("a: [1\nb", "c.yaml"); }).find("is not YAML"),
            std::string::npos);
  EXPECT_NE(usage_error([] { Config::parse("- 1\n- 2\n", "c.yaml"); }).find("no mapping"),
            std::string::npos);
  EXPECT_NE(usage_error([] { Config::parse("a: 1\na: 2\n", "c.yaml"); }).find("twice"),
            std::string::npos);
  EXPECT_THROW(Config::load("/nowhere/c.yaml"), InputError);
  EXPECT_NO_THROW(Config::parse("", "c.yaml").finish());
}

}  // namespace
}  // namespace leafglyph
