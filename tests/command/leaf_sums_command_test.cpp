// End to end: `leafglyph leaf sums`, and training on the sums of several machines.
#include <map>

#include "classify/leaf/leaf_files.h"
#include "classify/store/feature_store.h"
#include "features/base/input_file.h"
#include "tests/support/run_command.h"

namespace leafglyph {
namespace {

namespace fs = std::filesystem;

class LeafSumsCommandTest : public CommandTest {
 protected:
  LeafSumsCommandTest() : CommandTest("") {
    write_synthetic_leaves({4, 6, 1}, folder_.path() / "leaves");
    std::map<std::string, std::string> lists;
    std::size_t count = 0;
    for (const auto& species : fs::directory_iterator(at("leaves"))) {
      if (!species.is_directory()) continue;
      for (const auto& leaf : fs::directory_iterator(species.path())) {
        // The third store lacks some species.
        const std::string store = count++ < 18 ? (count % 2 == 0 ? "a" : "b") : "c";
        lists[store] += leaf.path().string() + "," + species.path().filename().string() + "\n";
      }
    }
    for (const auto& [store, list] : lists) {
      folder_.write(store + ".csv", "path,label\n" + list);
      const Outcome made = extracted(store);
      EXPECT_EQ(made.code, 0) << made.error;
    }
  }

  Outcome extracted(const std::string& store) const {
    return run("features extract --labels " + at(store + ".csv") + config() +
               " --quiet --block 4 --out " + at(store));
  }

  // Columns of the prior that LeafGlyph comes with.
  static std::string config() {
    return " --config leaf --set features.order=4 --set features.colour=none";
  }

  std::string stores() const { return at("a") + " " + at("b") + " " + at("c"); }
  Outcome sums(const std::string& of, const std::string& file,
               const std::string& more = config()) const {
    return run("leaf sums " + of + more + " --quiet --out " + at(file));
  }
  Outcome train(const std::string& from, const std::string& model) const {
    return run("leaf train" + config() + " --quiet --model " + at(model) + " " + from);
  }
  // All but the manifest, which has the time of training.
  std::map<std::string, std::string> files(const std::string& model) const {
    std::map<std::string, std::string> files;
    for (const auto& entry : fs::directory_iterator(at(model))) {
      if (entry.path().filename() == "manifest.json") continue;
      files[entry.path().filename().string()] = read_file(entry.path());
    }
    return files;
  }
};

// agreement: sums of each store, and those of parts of the rows of all, train the model of the
// stores, file by file; also where the stores have moved.
TEST_F(LeafSumsCommandTest, OfStoresAndOfPartsTrainTheSameModel) {
  ASSERT_EQ(train("--features " + stores(), "plain.model").code, 0);
  std::string of_stores, of_parts;
  for (const std::string store : {"a", "b", "c"}) {
    const Outcome made = sums(at(store), store + ".sums");
    ASSERT_EQ(made.code, 0) << made.error;
    of_stores += " " + at(store + ".sums");
  }
  for (const std::string part : {"0", "1", "2", "3"}) {
    const Outcome made = sums(stores(), "part" + part, config() + " --shard " + part + "/4");
    ASSERT_EQ(made.code, 0) << made.error;
    of_parts += " " + at("part" + part);
  }
  const Outcome by_stores = train("--sums" + of_stores, "stores.model");
  ASSERT_EQ(by_stores.code, 0) << by_stores.error;
  const Outcome by_parts = train("--sums" + of_parts, "parts.model");
  ASSERT_EQ(by_parts.code, 0) << by_parts.error;
  EXPECT_EQ(files("stores.model"), files("plain.model"));
  EXPECT_EQ(files("parts.model"), files("plain.model"));
  fs::rename(at("c"), at("moved"));
  EXPECT_NE(train("--sums" + of_stores, "x.model").code, 0);
  const std::string now = at("a") + " " + at("b") + " " + at("moved");
  const Outcome moved = train("--sums" + of_stores + " --features " + now, "moved.model");
  ASSERT_EQ(moved.code, 0) << moved.error;
  EXPECT_EQ(files("moved.model"), files("plain.model"));
}

// agreement: files in any order, of stores in any order and in unequal parts, train the model of
// the stores, if they have each leaf once; a store may lie in another folder on another machine.
TEST_F(LeafSumsCommandTest, PartsThatTileTrainTheSameModel) {
  ASSERT_EQ(train("--features " + stores(), "plain.model").code, 0);
  fs::create_directory(at("other"));
  fs::copy(at("a"), at("other/a"), fs::copy_options::recursive);
  const auto part = [&](const std::string& of, const std::string& shard, const std::string& file) {
    const Outcome made = sums(of, file, config() + " --shard " + shard);
    EXPECT_EQ(made.code, 0) << made.error;
  };
  part(stores(), "0/2", "half");
  part(stores(), "2/4", "third");
  part(stores(), "3/4", "fourth");
  part(at("c") + " " + at("b"), "0/1", "cb");
  part(at("other/a"), "0/3", "a0");
  part(at("other/a"), "1/3", "a1");
  part(at("a"), "2/3", "a2");
  part(at("c") + " " + at("other/a"), "1/100", "nothing");
  const auto expect_same = [&](const std::vector<std::string>& parts) {
    std::string from = "--features " + stores() + " --sums";
    for (const std::string& file : parts) from += " " + at(file);
    const Outcome trained = train(from, "joined.model");
    ASSERT_EQ(trained.code, 0) << trained.error;
    EXPECT_EQ(files("joined.model"), files("plain.model")) << from;
  };
  expect_same({"fourth", "half", "third"});
  expect_same({"a1", "cb", "a0", "nothing", "a2"});
  // Named once, though two files call it otherwise.
  const Outcome named =
      train("--sums " + at("a1") + " " + at("a2") + " " + at("cb") + " " + at("a0"), "named.model");
  EXPECT_EQ(named.code, 0) << named.error;
}

// mechanics: leaves that no file has, or that two have, are named with their store and the files.
TEST_F(LeafSumsCommandTest, NamesLeavesThatAreMissingOrDouble) {
  const std::string ab = at("a") + " " + at("b"), ba = at("b") + " " + at("a");
  const auto part = [&](const std::string& of, const std::string& shard, const std::string& file) {
    const Outcome made = sums(of, file, config() + " --shard " + shard);
    EXPECT_EQ(made.code, 0) << made.error;
    return at(file);
  };
  const auto refused = [&](const std::string& from, const std::string& why) {
    expect_refused(train("--features " + ab + " --sums " + from, "x.model"), 2, why);
    EXPECT_FALSE(fs::exists(at("x.model")));
  };
  const std::string half = part(ab, "0/2", "0"), other = part(ba, "1/2", "1");
  refused(half + " " + other,
          at("a") + ": " + half + " and " + other + " both have leaves 1 to 9 of 9");
  refused(half, at("b") + ": no file has sums of leaves 1 to 9 of 9");
  const std::string first = part(ab, "0/4", "q0"), middle = part(ab, "1/3", "t1"),
                    last = part(ab, "2/3", "t2"), end = part(ab, "3/4", "q3");
  refused(first + " " + last, at("a") + ": no file has sums of leaves 5 to 9 of 9");
  refused(first + " " + middle + " " + last, at("a") + ": no file has sums of leaves 5 to 6 of 9");
  refused(end + " " + half + " " + middle,
          at("a") + ": " + half + " and " + middle + " both have leaves 7 to 9 of 9");
  refused(half + " " + last, at("b") + ": no file has sums of leaves 1 to 3 of 9");
  refused(half + " " + part(at("b"), "1/9", "b1") + " " + part(at("b"), "3/9", "b3"),
          at("b") + ": no file has sums of leaf 1 of 9");
  // One store under two names.
  fs::copy(at("a"), at("copy"), fs::copy_options::recursive);
  fs::create_directory_symlink(at("a"), at("link"));
  const std::string same = " have the same rows";
  expect_refused(sums(at("a") + " " + at("copy"), "x"), 2, same);
  expect_refused(sums(at("a") + " " + at("link"), "x"), 2, "is named twice");
  expect_refused(train("--features " + at("a") + " " + at("b") + " " + at("copy"), "x.model"), 2,
                 same);
  expect_refused(run("features merge " + at("a") + " " + at("copy") + " --out " + at("x")), 2,
                 same);
}

// mechanics: sums that are missing, given twice, made otherwise, of other stores, cut short or
// altered are refused with a sentence, and nothing is written.
TEST_F(LeafSumsCommandTest, RefusesSumsThatDoNotFit) {
  ASSERT_EQ(sums(at("a"), "a.sums").code, 0);
  ASSERT_EQ(sums(at("b"), "b.sums").code, 0);
  ASSERT_EQ(sums(at("a"), "part", config() + " --shard 0/2").code, 0);
  const auto refused = [&](const std::string& from, int code, const std::string& why) {
    expect_refused(train(from, "x.model"), code, why);
  };
  const std::string a = at("a.sums"), b = at("b.sums");
  refused("--sums " + a + " " + a, 2, "both have leaves 1 to 9 of 9");
  refused("--sums " + a + " --features " + at("a") + " " + at("b"), 2,
          "no file has sums of its leaves");
  refused("--sums " + a + " " + b + " --features " + at("a"), 2, "of other feature stores");
  refused("--sums " + at("part"), 2, "no file has sums of leaves 5 to 9 of 9");
  refused("--sums " + at("a.csv"), 4, "not a file of sums of LeafGlyph");
  refused("--sums " + at("missing"), 3, "missing");
  ASSERT_EQ(sums(at("a"), "other.sums", config() + " --set pipeline.measure_weight=2").code, 0);
  refused("--sums " + at("other.sums"), 2, "made with another configuration");
  const std::string bytes = read_file(a);
  folder_.write("cut.sums", bytes.substr(0, bytes.size() - 9));
  refused("--sums " + at("cut.sums"), 4, "damaged");
  std::string altered = bytes;
  altered[altered.size() - 5] = static_cast<char>(altered[altered.size() - 5] ^ 1);
  folder_.write("altered.sums", altered);
  refused("--sums " + at("altered.sums"), 4, "damaged");
  // As LeafGlyph 0.2.0 wrote them; and with another range, which the digest of the head forbids.
  const std::size_t version = bytes.find("\"version\":2"), range = bytes.find("\"end\":9");
  ASSERT_NE(version, bytes.npos);
  ASSERT_NE(range, bytes.npos);
  folder_.write("old.sums", std::string(bytes).replace(version, 11, "\"version\":1"));
  refused("--sums " + at("old.sums"), 4,
          "a file of sums of format version 1, but this LeafGlyph reads version 2");
  folder_.write("range.sums", std::string(bytes).replace(range, 7, "\"end\":8"));
  refused("--sums " + at("range.sums"), 4, "does not match its own checksum");
  // The same list, but another photograph in the place of one: the header stays the same.
  const fs::path first = FeatureStore::open(at("a")).read_rows(0)[0].path;
  const fs::path other = FeatureStore::open(at("b")).read_rows(0)[0].path;
  fs::copy_file(other, first, fs::copy_options::overwrite_existing);
  fs::remove_all(at("a"));
  ASSERT_EQ(extracted("a").code, 0);
  refused("--sums " + a, 2, "no file has sums of its leaves");
  const std::string free = " --config leaf --set features.order=4";
  // Columns of colour, though grey photographs have none.
  run("features extract --labels " + at("a.csv") + free +
      " --set features.colour=lab --quiet --out " + at("coloured"));
  expect_refused(sums(at("coloured"), "x", free), 2,
                 "features.colour: auto trains with and without colours");
  const std::string published = " --config leaf_published";
  ASSERT_EQ(run("features extract " + at("leaves") + published + " --quiet --out " + at("p")).code,
            0);
  expect_refused(sums(at("p"), "x", published), 2, "only pipeline.projection: plda");
  expect_refused(sums(at("a"), "x", config() + " --shard 3/2"), 2, "is not a shard");
  expect_refused(sums(at("a"), "x", config() + " --shard 0/1000001"), 2, "N <= 1000000");
}

}  // namespace
}  // namespace leafglyph
