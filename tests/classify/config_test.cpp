#include "classify/support/config.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "features/base/errors.h"
#include "features/base/limits.h"
#include "tests/support/refusal.h"
#include "tests/support/temporary_folder.h"

namespace leafglyph {
namespace {

using testing::refusal;

// What a key says; `fallback` if it is missing.
template <class T>
T value_of(Keys& keys, std::string_view name, T fallback, Range range = {0, 100}) {
  keys.key({name, &fallback, "", range});
  return fallback;
}
int integer(Keys& keys, std::string_view name, int fallback = 0, Range range = {0, 100}) {
  keys.number(name, fallback, range, "");
  return fallback;
}

enum class Letter { kA, kB };
constexpr Names<Letter, 2> kLetters = {"letter", {{{Letter::kA, "a"}, {Letter::kB, "b"}}}};

struct Set {
  std::string path;
};
void declare(Keys& keys, Set& set) { keys.key({"path", &set.path, ""}); }

// mechanics: every type is read, and a missing key leaves its member as it is.
TEST(Config, ReadsEveryTypeAndFallsBack) {
  Config config = Config::parse(
      "order: 30\nratio: 0.5\nname: leaf\nloud: true\norders: [6, 8]\nfonts: [a, b]\n"
      "weights: [1, 0.5]\nlists: [[a], [b, c]]\nletter: b\nfile: x/../y.csv\nknn:\n  k: 5\nsets:\n"
      "  - path: x\n  - path: y\n",
      "folder/c.yaml");
  EXPECT_EQ(integer(config, "order"), 30);
  EXPECT_EQ(integer(config, "missing", 7), 7);
  EXPECT_EQ(value_of(config, "ratio", 1.0), 0.5);
  EXPECT_EQ(value_of(config, "name", std::string()), "leaf");
  EXPECT_TRUE(value_of(config, "loud", false));
  EXPECT_EQ(value_of(config, "orders", std::vector<int>()), (std::vector<int>{6, 8}));
  EXPECT_EQ(value_of(config, "fonts", std::vector<std::string>()),
            (std::vector<std::string>{"a", "b"}));
  EXPECT_EQ(value_of(config, "weights", std::vector<double>()), (std::vector<double>{1, 0.5}));
  EXPECT_EQ(value_of(config, "lists", std::vector<std::vector<std::string>>()),
            (std::vector<std::vector<std::string>>{{"a"}, {"b", "c"}}));
  EXPECT_EQ(value_of(config, "file", std::filesystem::path()), "folder/y.csv");
  Letter letter = Letter::kA;
  config.choice("letter", letter, kLetters, "");
  EXPECT_EQ(letter, Letter::kB);
  config.group("knn", [&] { EXPECT_EQ(integer(config, "k"), 5); });
  std::vector<Set> sets;
  config.each("sets", sets);
  ASSERT_EQ(sets.size(), 2U);
  EXPECT_EQ(sets[1].path, "y");
  config.finish();
}

// mechanics: keys that do not count are refused where they are set.
TEST(Config, KeysThatDoNotCountAreRefused) {
  const auto read = [](const std::string& text) {
    Config config = Config::parse(text, "c.yaml");
    config.where(/*applies=*/false, "kind: other", [&] { integer(config, "k"); });
    config.finish();
  };
  EXPECT_NO_THROW(read("{}"));
  EXPECT_EQ(refusal<UsageError>([&] { read("k: 1"); }), "c.yaml:1: k: needs kind: other");
}

// mechanics: a configuration beyond a limit is refused before it is read into memory; one at the
// limit is read.
TEST(Config, LimitsAreKept) {
  const auto nested = [](int levels) {
    const auto inside = static_cast<std::size_t>(levels - 1);  // the text itself is a mapping
    return "a: " + std::string(inside, '[') + std::string(inside, ']');
  };
  const auto aliases = [](int count) {
    std::string text = "a: &x 1\nb: [";
    for (int i = 0; i < count; ++i) text += "*x, ";
    return text + "]";
  };
  const auto refused = [](const std::string& text) {
    return refusal<UsageError>([&] { Config::parse(text, "c.yaml"); });
  };
  Config::parse(nested(kMaxConfigDepth), "c.yaml");
  EXPECT_EQ(refused(nested(kMaxConfigDepth + 1)),
            "c.yaml:1: has more than 32 levels; a configuration needs fewer");
  Config::parse(aliases(kMaxConfigAliases), "c.yaml");
  EXPECT_EQ(refused(aliases(kMaxConfigAliases + 1)),
            "c.yaml:2: has more than 100 aliases; a configuration needs fewer");
  const std::string longest = "a: 1\n#" + std::string(kMaxConfigBytes - 6, 'x');
  Config::parse(longest, "c.yaml");
  EXPECT_EQ(refused(longest + "x"),
            "c.yaml: is larger than 1 MiB, the most that is read of a configuration");
}

// mechanics: the same for a chain of bases.
TEST(Config, BasesAreCounted) {
  const TemporaryFolder folder;
  for (std::size_t i = 0; i <= kMaxConfigBases; ++i) {
    folder.write(std::to_string(i) + ".yaml", "base: " + std::to_string(i + 1) + ".yaml\n");
  }
  folder.write(std::to_string(kMaxConfigBases + 1) + ".yaml", "order: 3\n");
  Config whole = Config::load(folder.path() / "1.yaml");
  EXPECT_EQ(integer(whole, "order"), 3);
  EXPECT_NE(refusal<UsageError>([&] {
              Config::load(folder.path() / "0.yaml");
            }).find("16.yaml:1: base: more than 16 files"),
            std::string::npos);
}

// mechanics: errors name the file, the line and the key.
TEST(Config, ErrorsNameFileLineAndKey) {
  Config config = Config::parse("order: 30\nknn:\n  k: many\n  odd: 1\n", "c.yaml");
  const auto refused = [](const std::function<void()>& read) { return refusal<UsageError>(read); };
  EXPECT_EQ(refused([&] {
              integer(config, "order", 1, {0, 20});
            }),
            "c.yaml:1: order: 30 is out of range; use from 0 to 20");
  EXPECT_EQ(refused([&] { config.group("knn", [&] { integer(config, "k"); }); }),
            "c.yaml:3: knn.k: must be a whole number");
  Config other = Config::parse("knn:\n  odd: 1\nname: c\n", "c.yaml");
  EXPECT_EQ(refused([&] { other.group("knn", [&] { integer(other, "k"); }); }),
            "c.yaml:2: knn.odd: is an unknown key; known here: k");
  Config letters = Config::parse("letter: c\nfree: d\n", "c.yaml");
  EXPECT_EQ(refused([&] {
              Letter letter = Letter::kA;
              letters.choice("letter", letter, kLetters, "");
            }),
            "c.yaml:1: letter: 'c' is unknown; use a or b");
  EXPECT_EQ(refused([&] { letters.check("free", [] { throw UsageError("is wrong"); }); }),
            "c.yaml:2: free: is wrong");
}

// mechanics: what is refused, and how.
TEST(Config, FilesThatAreNoConfigAreRefused) {
  EXPECT_NE(refusal<UsageError>([] { Config::parse("a: [1\nb", "c.yaml"); }).find("is not YAML"),
            std::string::npos);
  EXPECT_NE(refusal<UsageError>([] { Config::parse("- 1\n- 2\n", "c.yaml"); }).find("no mapping"),
            std::string::npos);
  EXPECT_THROW(Config::load("/nowhere/c.yaml"), InputError);
  EXPECT_NO_THROW(Config::parse("", "c.yaml").finish());
}

// mechanics: keys of the base apply where the file does not set them; errors name the file that has
// the key, and paths are relative to its folder.
TEST(Config, TakesFromItsBaseWhatItDoesNotSay) {
  const TemporaryFolder folder;
  std::filesystem::create_directory(folder.path() / "deep");
  folder.write("deep/base.yaml", "a: 1\nlist: [1, 2, 3]\npart:\n  x: 1\n  y: many\n");
  folder.write("top.yaml", "base: deep/base.yaml\nlist: [4]\npart:\n  x: 2\n");
  Config config = Config::load(folder.path() / "top.yaml");
  EXPECT_EQ(integer(config, "a"), 1);
  EXPECT_EQ(value_of(config, "list", std::vector<int>()), std::vector<int>{4});
  const auto read_part = [&] {
    EXPECT_EQ(integer(config, "x"), 2);
    EXPECT_EQ(config.folder("x"), folder.path());
    EXPECT_EQ(config.folder("y"), folder.path() / "deep");
    integer(config, "y");
  };
  EXPECT_NE(
      refusal<UsageError>([&] { config.group("part", read_part); }).find("base.yaml:5: part.y: "),
      std::string::npos);
  folder.write("deep/base.yaml", "odd: 1\n");
  EXPECT_NE(refusal<UsageError>([&] {
              Config other = Config::load(folder.path() / "top.yaml");
              value_of(other, "list", std::vector<int>());
              other.group("part", [&] { integer(other, "x"); });
              other.finish();
            }).find("base.yaml:1: odd: is an unknown key"),
            std::string::npos);
}

// mechanics: what is refused, and how.
TEST(Config, RefusesBasesThatAreNone) {
  const TemporaryFolder folder;
  folder.write("a.yaml", "base: b.yaml\n");
  folder.write("b.yaml", "base: a.yaml\n");
  folder.write("list.yaml", "base: [a.yaml]\n");
  folder.write("lost.yaml", "base: nowhere.yaml\n");
  EXPECT_NE(
      refusal<UsageError>([&] { Config::load(folder.path() / "a.yaml"); }).find("its own base"),
      std::string::npos);
  EXPECT_NE(refusal<UsageError>([&] {
              Config::load(folder.path() / "list.yaml");
            }).find("name of a file"),
            std::string::npos);
  EXPECT_THROW(Config::load(folder.path() / "lost.yaml"), InputError);
}

// mechanics: a key that appears twice in a mapping is refused at any depth, with its line and full
// name.
TEST(Config, AKeyTwiceIsRefused) {
  const std::vector<std::pair<std::string, std::string>> all = {
      {"a: 1\na: 2\n", "c.yaml:2: a"},
      {"a: 1\nb: 2\n'a': 1\n", "c.yaml:3: a"},
      {"features:\n  order: 5\n  order: 6\n", "c.yaml:3: features.order"},
      {"features: {order: 5, \"order\": 5}\n", "c.yaml:1: features.order"},
      {"a: {b: {c: {d: 1, e: 2, d: 3}}}\n", "c.yaml:1: a.b.c.d"},
      {"sets:\n  - path: x\n  - path: y\n    k: 1\n    path: z\n", "c.yaml:5: sets.path"},
      {"a: [[{b: 1, b: 1}]]\n", "c.yaml:1: a.b"},
      {"a: &x {b: 1, b: 2}\nc: *x\n", "c.yaml:1: a.b"},
      {"a: &x 1\nb: *x\nb: 2\n", "c.yaml:3: b"},
      {"? a\n: 1\n? a\n", "c.yaml:3: a"},
      {"a: 1\n~: 1\n~: 2\n", "c.yaml:3: "},
      {"<<: {a: 1}\n<<: {b: 1}\n", "c.yaml:2: <<"},
      {"base: x\nbase: y\n", "c.yaml:2: base"}};
  for (const auto& [text, place] : all) {
    EXPECT_EQ(refusal<UsageError>([&text = text] { Config::parse(text, "c.yaml"); }),
              place + ": appears twice here; keep one")
        << text;
  }
}

// mechanics: one name in two mappings, or as a key and as a value, is not a repetition.
TEST(Config, ANameInTwoMappingsIsTaken) {
  Config config =
      Config::parse("a: {k: 1}\nk: a\nlist: [k, k]\nsets: [{k: 1}, {k: 2}]\n", "c.yaml");
  config.group("a", [&] { EXPECT_EQ(integer(config, "k"), 1); });
  EXPECT_EQ(value_of(config, "k", std::string()), "a");
  EXPECT_EQ(value_of(config, "list", std::vector<std::string>()),
            (std::vector<std::string>{"k", "k"}));
  int k = 0;
  config.entries(
      "sets", 0, [](std::size_t) {}, [&](std::size_t) { k = integer(config, "k"); });
  EXPECT_EQ(k, 2);
}

// mechanics: a repeated key in a base is refused, too, with the base's name.
TEST(Config, AKeyTwiceInABaseIsRefused) {
  const TemporaryFolder folder;
  folder.write("top.yaml", "base: low.yaml\n");
  folder.write("low.yaml", "knn:\n  k: 1\n  k: 2\n");
  EXPECT_NE(refusal<UsageError>([&] {
              Config::load(folder.path() / "top.yaml");
            }).find("low.yaml:3: knn.k: appears twice here"),
            std::string::npos);
}

// mechanics: a second document is refused, even an empty one; markers around a single one are not.
TEST(Config, ASecondDocumentIsRefused) {
  for (const char* text : {"a: 1\n---\nbogus: 1\n", "a: 1\n---\n", "a: 1\n...\n---\na: 1\n",
                           "---\n---\na: 1\n", "a: 1\n---\n[\n"}) {
    EXPECT_NE(refusal<UsageError>([&] {
                Config::parse(text, "c.yaml");
              }).find("a second document begins"),
              std::string::npos)
        << text;
  }
  EXPECT_NE(
      refusal<UsageError>([] { Config::parse("a: 1\n---\nb: 1\n", "c.yaml"); }).find("c.yaml:2: "),
      std::string::npos);
  for (const char* text : {"---\na: 1\n", "%YAML 1.2\n---\na: 1\n...\n", "a: 1\n...\n# end\n"}) {
    Config config = Config::parse(text, "c.yaml");
    EXPECT_EQ(integer(config, "a"), 1) << text;
  }
}

// mechanics: an alias stands for a value; as a key, or in a merge key, it is refused.
TEST(Config, AliasesAreValues) {
  Config config = Config::parse("a: &x {k: 1}\nb: *x\n", "c.yaml");
  config.group("b", [&] { EXPECT_EQ(integer(config, "k"), 1); });
  const auto refused = [](const std::string& text) {
    return refusal<UsageError>([&] {
      Config merged = Config::parse(text, "c.yaml");
      merged.group("a", [&] { integer(merged, "k"); });
      merged.group("b", [] {});
    });
  };
  EXPECT_NE(refused("a: &x {k: 1}\nb:\n  <<: *x\n").find("b.<<: is an unknown key"),
            std::string::npos);
  EXPECT_NE(refused("a: &x k\n*x : 1\n").find("c.yaml:2: a key is an alias"), std::string::npos);
  EXPECT_NE(refusal<UsageError>([] {
              Config::parse("? [a, b]\n: {k: 1, k: 2}\n", "c.yaml");
            }).find("k: appears twice here"),
            std::string::npos);
}

// mechanics: two settings may not set the same key, or one a part of the other.
TEST(Config, SettingsDoNotOverruleEachOther) {
  const auto refused = [](const std::vector<std::string>& settings) {
    return refusal<UsageError>([&] { Config::parse("a: 1\n", "c.yaml", settings); });
  };
  EXPECT_EQ(refused({"features.order=5", "features.order=6"}),
            "--set features.order=6: --set features.order=5 sets that, too; keep one");
  for (const std::vector<std::string>& settings : {std::vector<std::string>{"a=1", "b=2", "a=1"},
                                                   {"a.b=1", "a={c: 2}"},
                                                   {"a={c: 2}", "a.b=1"}}) {
    EXPECT_NE(refused(settings).find("sets that, too"), std::string::npos) << settings.back();
  }
  EXPECT_NE(refused({"a={b: 1, b: 2}"}).find("b: appears twice here"), std::string::npos);
  EXPECT_NE(refused({"a=1\n---\nb: 2"}).find("a second document"), std::string::npos);
  Config config = Config::parse("a: 1\n", "c.yaml", {"k.one=1", "k.ones=2", "a=3"});
  EXPECT_EQ(integer(config, "a"), 3);
  config.group("k", [&] {
    EXPECT_EQ(integer(config, "one"), 1);
    EXPECT_EQ(integer(config, "ones"), 2);
  });
}

}  // namespace
}  // namespace leafglyph
