// Tables of look-alikes kept between runs: used if they are complete, owned by the user and for the
// same fonts, and computed again otherwise.
#include "classify/glyph/lookalike_cache.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <chrono>
#include <filesystem>
#include <limits>
#include <nlohmann/json.hpp>
#include <thread>

#include "classify/glyph/lookalikes.h"
#include "features/base/files.h"
#include "features/base/sha256.h"
#include "features/record/sealed_json.h"
#include "tests/support/drawn_characters.h"
#include "tests/support/temporary_folder.h"

namespace leafglyph {
namespace {

class LookalikeCacheTest : public ::testing::Test {
 protected:
  LookalikeCacheTest() : options_(options_for({folder_.write("a.bdf", drawn_font())})) {
    options_.cache_folder = folder_.path() / "cache";
    options_.log = [this](const std::string& line) { last_ = line; };
  }
  // Opens an index and returns the log line about its cache.
  std::string open() {
    last_.clear();
    const LookalikeIndex index(options_);
    answer_ = index.compare(U'十', U'干');
    return last_;
  }
  std::filesystem::path stored(const std::string& name) const {
    return std::filesystem::directory_iterator(options_.cache_folder)->path() / name;
  }

  TemporaryFolder folder_;
  LookalikeOptions options_;
  std::string last_;
  Lookalike answer_;
};

// mechanics: tables are computed once, read afterwards, and give the same results.
TEST_F(LookalikeCacheTest, IsWrittenOnceAndReadAfterwards) {
  EXPECT_NE(open().find("stored"), std::string::npos);
  const Lookalike fresh = answer_;
  EXPECT_NE(open().find("from"), std::string::npos);
  EXPECT_EQ(answer_.distance, fresh.distance);
  EXPECT_EQ(answer_.score, fresh.score);
}

// mechanics: a different profile or font file requires different tables.
TEST_F(LookalikeCacheTest, IsMadeAnewWhenItDoesNotFit) {
  open();
  options_.profile.falloff = 3;
  EXPECT_NE(open().find("stored"), std::string::npos);
  options_.selection.leave_out = U"一";
  EXPECT_NE(open().find("stored"), std::string::npos);
  folder_.write("a.bdf", drawn_font(/*with_dry=*/true) + "\n");
  EXPECT_NE(open().find("stored"), std::string::npos);
}

// mechanics: a damaged file is replaced, wherever the damage is.
TEST_F(LookalikeCacheTest, IsMadeAnewWhenDamaged) {
  open();
  for (const std::string name : {"tables.json", "rows.npy", "rows.npy.sha256"}) {
    const std::string good = read_file(stored(name));
    const auto expect_anew = [&](const std::string& bad, std::size_t place) {
      write_file(stored(name), bad);
      EXPECT_NE(open().find("stored"), std::string::npos) << name << ", byte " << place;
      EXPECT_NE(open().find("from"), std::string::npos) << name << ", byte " << place;
    };
    for (std::size_t place = 0; place < good.size(); place += 1 + good.size() / 8) {
      std::string bad = good;
      bad[place] = static_cast<char>(bad[place] ^ 1);
      expect_anew(bad, place);
    }
    expect_anew(good.substr(0, good.size() / 2), good.size() / 2);
    expect_anew("", 0);
    std::filesystem::remove(stored(name));
    EXPECT_NE(open().find("stored"), std::string::npos) << name;
  }
}

// mechanics: a pipe in place of a file is neither waited for nor written to. Waiting would make
// this test run into its time limit.
TEST_F(LookalikeCacheTest, IsMadeOfRegularFiles) {
  open();
  const std::filesystem::path file = stored("rows.npy");
  std::filesystem::remove(file);
  ASSERT_EQ(::mkfifo(file.c_str(), 0600), 0);
  EXPECT_NE(open().find("not stored"), std::string::npos) << last_;
  EXPECT_NE(last_.find("rows.npy"), std::string::npos) << last_;
}

// mechanics: tables do not replace a folder that holds anything else.
TEST_F(LookalikeCacheTest, LeavesOtherFilesAlone) {
  open();
  write_file(stored("notes.txt"), "mine");
  std::filesystem::remove(stored("rows.npy"));
  EXPECT_NE(open().find("not stored"), std::string::npos) << last_;
  EXPECT_EQ(read_file(stored("notes.txt")), "mine");
}

// regression: a file with the right digest but wrong lengths was an error in every run.
TEST_F(LookalikeCacheTest, IsMadeAnewWhenItDoesNotFitTogether) {
  open();
  const GlyphSource font(options_.selection.fonts.front());
  const std::span<const GlyphSource> fonts(&font, 1);
  const std::string key = lookalike_key(options_.selection, options_.profile);
  const LookalikeTables good = *load_tables(options_.cache_folder, key, fonts);
  const auto expect_anew = [&](LookalikeTables bad) {
    ASSERT_EQ(store_tables(options_.cache_folder, key, bad, fonts), "");
    EXPECT_NE(open().find("stored"), std::string::npos);
    EXPECT_NE(open().find("from"), std::string::npos);
  };
  LookalikeTables bad = good;
  bad.rows.values = good.rows.values.first(good.rows.values.size() - good.rows.stride);
  expect_anew(bad);  // fewer components
  std::vector<float> infinite(good.rows.values.begin(), good.rows.values.end());
  infinite[0] = std::numeric_limits<float>::infinity();
  bad.rows.values = infinite;
  expect_anew(bad);
  bad = good;
  bad.selected.characters.resize(1);
  expect_anew(bad);
  bad = good;  // more characters than rows
  bad.selected.characters.append(16, U'一');
  expect_anew(bad);
}

// mechanics: an overwritten font counts as another one, whatever attributes are made to match.
TEST_F(LookalikeCacheTest, IsMadeAnewWhenAFontChanges) {
  namespace fs = std::filesystem;
  open();
  const fs::path font = options_.selection.fonts.front().file;
  const std::string before = read_file(font);
  const auto time = fs::last_write_time(font);
  std::string of_one_size = before;
  of_one_size.replace(of_one_size.find("Drawn"), 5, "Other");
  folder_.write("a.bdf", of_one_size);
  fs::last_write_time(font, time);  // size and time are unchanged
  EXPECT_NE(open().find("stored"), std::string::npos);
  folder_.write("a.bdf", before);  // another time
  EXPECT_NE(open().find("stored"), std::string::npos);
  folder_.write("a.bdf", before + "\n");  // another size
  fs::last_write_time(font, time);
  EXPECT_NE(open().find("stored"), std::string::npos);
  fs::rename(folder_.write("b.bdf", before), font);  // another file in its place
  fs::last_write_time(font, time);
  EXPECT_NE(open().find("stored"), std::string::npos);
}

// mechanics: touching or rewriting the same font does not require new tables.
TEST_F(LookalikeCacheTest, StaysWhenAFontIsOnlyTouched) {
  namespace fs = std::filesystem;
  open();
  const fs::path font = options_.selection.fonts.front().file;
  const std::string content = read_file(font);
  fs::last_write_time(font, fs::last_write_time(font) - std::chrono::hours(1));
  EXPECT_NE(open().find("from"), std::string::npos);
  fs::remove(font);
  folder_.write("a.bdf", content);
  EXPECT_NE(open().find("from"), std::string::npos);
}

// mechanics: a font that has not changed for long is recognised by its stamp, which is updated if
// it differs; if the stamp does not match, the font's digest decides. The digests in the file are
// changed by hand.
TEST_F(LookalikeCacheTest, KnowsAFontByItsStamp) {
  options_.selection = {};
  options_.selection.characters = {folder_.write("characters.txt", "十干土士\n")};
  const FontOptions& font = options_.selection.fonts.front();
  if (!std::filesystem::exists(font.file)) GTEST_SKIP() << "xfonts-base is not installed";
  const std::string stamp = GlyphSource(font).stamp();
  if (stamp.empty()) GTEST_SKIP() << "xfonts-base has just been installed";
  open();
  const auto change = [&](const char* name, const std::string& value) {
    auto json = nlohmann::ordered_json::parse(read_file(stored("tables.json")));
    json["fonts"][0][name] = value;
    write_file(stored("tables.json"), sealed_text(std::move(json)));
  };
  change("stamp", "another");
  EXPECT_NE(open().find("from"), std::string::npos);
  change("sha256", sha256("another font"));  // not checked: the stamp matches again
  EXPECT_NE(open().find("from"), std::string::npos);
  change("stamp", "another");
  EXPECT_NE(open().find("stored"), std::string::npos);
  change("sha256", sha256("another font"));
  change("stamp", "");
  EXPECT_NE(open().find("stored"), std::string::npos);
}

// mechanics: other users can neither look into the folder nor put tables there.
TEST_F(LookalikeCacheTest, IsPrivate) {
  namespace fs = std::filesystem;
  open();
  EXPECT_EQ(fs::status(options_.cache_folder).permissions(), fs::perms::owner_all);
  fs::permissions(options_.cache_folder, fs::perms::all);
  EXPECT_NE(open().find("stored"), std::string::npos);  // the owner of the tables is not known
  EXPECT_EQ(fs::status(options_.cache_folder).permissions(), fs::perms::owner_all);
  EXPECT_NE(open().find("from"), std::string::npos);
}

// mechanics: a link to a folder that others can write to is as unsafe as that folder.
TEST_F(LookalikeCacheTest, IsPrivateBehindALink) {
  namespace fs = std::filesystem;
  const fs::path open_folder = folder_ / "open";
  fs::create_directory(open_folder);
  fs::create_directory_symlink(open_folder, options_.cache_folder);
  open();
  fs::permissions(open_folder, fs::perms::all);
  EXPECT_NE(open().find("stored"), std::string::npos);
  EXPECT_EQ(fs::status(open_folder).permissions(), fs::perms::owner_all);
}

// mechanics: a cache that cannot be written does no harm.
TEST_F(LookalikeCacheTest, IsDispensable) {
  options_.cache_folder = folder_.write("file", "in the way");
  EXPECT_NE(open().find("not stored"), std::string::npos);
  EXPECT_GT(answer_.score, 0.0);
  options_.cache_folder.clear();
  EXPECT_NE(open().find("not stored"), std::string::npos);
}

}  // namespace
}  // namespace leafglyph
