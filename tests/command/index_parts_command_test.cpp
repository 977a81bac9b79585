// End to end: indexes that are built in parts, by `leafglyph index build --like`, `index merge` and
// `index search --part`.
#include <algorithm>
#include <cstdlib>
#include <map>

#include "classify/leaf/leaf_files.h"
#include "features/base/input_file.h"
#include "tests/support/run_command.h"

namespace leafglyph {
namespace {

namespace fs = std::filesystem;

class IndexPartsTest : public CommandTest {
 protected:
  // Three stores, "0", "1" and "2", of two species each.
  IndexPartsTest() : CommandTest("index") {
    write_synthetic_leaves({6, 8, 1}, folder_.path() / "leaves");
    for (const auto& entry : fs::directory_iterator(at("leaves"))) {
      if (entry.is_directory()) species_.push_back(entry.path().filename().string());
    }
    std::ranges::sort(species_);
    for (std::size_t s = 0; s < species_.size(); ++s) {
      fs::create_directories(at("images/" + std::to_string(s / 2)));
      fs::rename(at("leaves/" + species_[s]),
                 at("images/" + std::to_string(s / 2) + "/" + species_[s]));
    }
    for (const std::string store : {"0", "1", "2"}) EXPECT_EQ(extract(store, store), 0);
  }

  int extract(const std::string& images, const std::string& store,
              const std::string& order = "6") const {
    const int status = std::system((std::string(LEAFGLYPH_COMMAND) + " features extract " +
                                    at("images/" + images) + " --resize 64 --order " + order +
                                    " --block 7 --quiet --out " + at(store) + " >/dev/null")
                                       .c_str());
    return WEXITSTATUS(status);
  }
  void build(const std::string& stores, const std::string& index, const std::string& more) const {
    std::string named;
    for (const char store : stores) named += at(std::string(1, store)) + " ";
    const Outcome built = run("build " + named + "--out " + at(index) + " " + more);
    ASSERT_EQ(built.code, 0) << built.error;
  }
  std::string image(std::size_t species) const {
    return at("images/" + std::to_string(species / 2) + "/" + species_[species] + "/0003.png");
  }
  std::map<std::string, std::string> files(const std::string& index) const {
    std::map<std::string, std::string> files;
    for (const auto& entry : fs::directory_iterator(at(index))) {
      files[entry.path().filename().string()] = read_file(entry.path());
    }
    return files;
  }

  std::vector<std::string> species_;
};

// agreement: merged parts are to the last bit the index of all their stores; searched as parts they
// give what that one gives.
TEST_F(IndexPartsTest, PartsAreTheIndexOfAllStores) {
  for (const std::string type : {"--type flat", "--type ivf --lists 3 --recall 1"}) {
    build("0", "a", type);
    const std::string like = "--recall 1 --like " + at("a");
    build("1", "b", like);
    build("2", "c", like);
    build("012", "once", like);
    const Outcome merged = run("merge " + at("a") + " " + at("b") + " " + at("c") +
                               " --recall 1 --out " + at("merged"));
    ASSERT_EQ(merged.code, 0) << merged.error;
    EXPECT_NE(merged.out.find("48 rows of 16 columns"), std::string::npos) << merged.out;
    EXPECT_EQ(files("merged"), files("once")) << type;
    EXPECT_EQ(run("info " + at("merged")).code, 0);
    for (std::size_t s = 0; s < species_.size(); ++s) {
      const std::string query = " '" + image(s) + "' --top 9";
      const Outcome whole = run("search " + at("once") + query);
      const Outcome parts =
          run("search " + at("a") + " --part " + at("b") + " --part " + at("c") + query);
      ASSERT_EQ(whole.code, 0) << whole.error;
      ASSERT_EQ(parts.code, 0) << parts.error;
      EXPECT_EQ(parts.out, whole.out) << type;
      EXPECT_NE(whole.out.find("0.0000  " + image(s)), std::string::npos) << whole.out;
    }
    const Outcome info = run("info " + at("a") + " --part " + at("b"));
    EXPECT_NE(info.out.find("32 rows of 16 columns"), std::string::npos) << info.out;
    const Outcome classified =
        run("classify " + at("a") + " --part " + at("c") + " '" + image(5) + "' --neighbours 1");
    EXPECT_NE(classified.out.find(species_[5] + "; votes 1 of 1"), std::string::npos)
        << classified.out;
  }
}

// mechanics: what is not a part of the same index is refused in one line.
TEST_F(IndexPartsTest, OtherIndexesAreRefused) {
  build("0", "a", "--type ivf --lists 3");
  build("1", "b", "--like " + at("a"));
  build("2", "own", "--type ivf --lists 3");
  build("01", "both", "--like " + at("a"));
  const std::string merge = "merge --out " + at("x") + " " + at("a") + " ";
  expect_refused(run(merge + at("own")), 2, "they differ in scaling or lists");
  expect_refused(run(merge + at("both")), 2, "which " + at("a") + " has, too");
  expect_refused(run("search " + at("a") + " --part " + at("a") + " " + image(0)), 2,
                 "which " + at("a") + " has, too");
  // The store of a part under another name.
  fs::copy(at("0"), at("z"), fs::copy_options::recursive);
  build("z", "copy", "--like " + at("a"));
  expect_refused(run(merge + at("copy")), 2,
                 at("copy") + ": has the rows of " + at("z") + ", which " + at("a") + " has, too");
  expect_refused(run("search " + at("copy") + " --part " + at("a") + " " + image(0)), 2,
                 "has the rows of");
  expect_refused(run("build " + at("0") + " " + at("z") + " --out " + at("x")), 2,
                 "have the same rows; name one of them");
  expect_refused(run("build " + at("1") + " --out " + at("x") + " --lists 2 --like " + at("a")), 2,
                 "--lists excludes --like");
  ASSERT_EQ(extract("1", "8", "8"), 0);
  expect_refused(run("build " + at("8") + " --out " + at("x") + " --like " + at("a")), 2,
                 "they differ in the columns");
  const std::string whole = read_file(at("b/lists.bin"));
  std::string damaged = whole;
  damaged.front() = static_cast<char>(damaged.front() ^ 1);
  folder_.write("b/lists.bin", damaged);
  expect_refused(run(merge + at("b")), 4, "of lists.bin does not match its checksum");
  folder_.write("b/lists.bin", whole);
  fs::remove_all(at("1"));
  ASSERT_EQ(extract("2", "1"), 0);
  expect_refused(run(merge + at("b")), 4, "is not the store it was built from");
}

}  // namespace
}  // namespace leafglyph
