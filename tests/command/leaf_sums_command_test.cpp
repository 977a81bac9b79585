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
  refused("--sums " + a + " " + a, 2, "its rows are in another file of sums, too");
  refused("--sums " + a + " --features " + at("a") + " " + at("b"), 2, "not all of its rows");
  refused("--sums " + a + " " + b + " --features " + at("a"), 2, "of other feature stores");
  refused("--sums " + at("part"), 2, "not all of its rows have sums");
  refused("--sums " + at("a.csv"), 4, "not a file that leaf sums wrote");
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
  // The same list, but another photograph in the place of one: the header stays the same.
  const fs::path first = FeatureStore::open(at("a")).read_rows(0)[0].path;
  const fs::path other = FeatureStore::open(at("b")).read_rows(0)[0].path;
  fs::copy_file(other, first, fs::copy_options::overwrite_existing);
  fs::remove_all(at("a"));
  ASSERT_EQ(extracted("a").code, 0);
  refused("--sums " + a, 2, "not all of its rows have sums");
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
}

}  // namespace
}  // namespace leafglyph
