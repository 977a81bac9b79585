// Packages for Anki, read with SQLite and as zip archives.
#include "classify/serve/anki_package.h"

#include <gtest/gtest.h>
#include <sqlite3.h>

#include <map>
#include <memory>
#include <nlohmann/json.hpp>

#include "classify/serve/zip_archive.h"
#include "tests/support/temporary_folder.h"

namespace leafglyph {
namespace {

using Json = nlohmann::json;
using Rows = std::vector<std::vector<std::string>>;

constexpr std::chrono::sys_seconds kNow{std::chrono::seconds(1'700'000'000)};

class AnkiPackageTest : public ::testing::Test {
 protected:
  void open(const std::string& package) {
    std::map<std::string, std::string> files;
    for (ZipArchive archive(package); archive.next();) files[archive.name()] = archive.read();
    ASSERT_EQ(files.size(), 2U);
    EXPECT_EQ(Json::parse(files.at("media")), Json::object());
    const std::string file = folder_.write("collection.anki2", files.at("collection.anki2"));
    sqlite3* opened = nullptr;
    ASSERT_EQ(sqlite3_open_v2(file.c_str(), &opened, SQLITE_OPEN_READONLY, nullptr), SQLITE_OK);
    collection_.reset(opened);
  }

  Rows rows(const char* query) {
    Rows rows;
    const auto add = [](void* to, int count, char** values, char**) {
      static_cast<Rows*>(to)->emplace_back(values, values + count);
      return 0;
    };
    EXPECT_EQ(sqlite3_exec(collection_.get(), query, add, &rows, nullptr), SQLITE_OK) << query;
    return rows;
  }

  struct Closer {
    void operator()(sqlite3* database) const { sqlite3_close(database); }
  };
  TemporaryFolder folder_;
  std::unique_ptr<sqlite3, Closer> collection_;
};

// mechanics: a note and a card per character, in their order, of the kind and deck of the
// collection; text is text.
TEST_F(AnkiPackageTest, HasANoteAndACardPerCharacter) {
  open(anki_package("形近字", {{"己", {"jǐ", "looks like <b>已</b> & 巳"}}, {"下", {}}}, kNow));
  EXPECT_EQ(rows("pragma integrity_check"), (Rows{{"ok"}}));
  EXPECT_EQ(
      rows("select sfld, flds from notes order by id"),
      (Rows{{"己", "己\x1fjǐ<br>looks like &lt;b&gt;已&lt;/b&gt; &amp; 巳"}, {"下", "下\x1f"}}));
  EXPECT_EQ(
      rows("select sfld, due, type, queue from cards join notes on nid = notes.id order by due"),
      (Rows{{"己", "1", "0", "0"}, {"下", "2", "0", "0"}}));
  const Rows collection = rows("select ver, models, decks, dconf, conf from col");
  ASSERT_EQ(collection.size(), 1U);
  EXPECT_EQ(collection[0][0], "11");
  const Json types = Json::parse(collection[0][1]), decks = Json::parse(collection[0][2]);
  const Json options = Json::parse(collection[0][3]), conf = Json::parse(collection[0][4]);
  const Rows used = rows("select distinct mid, did from cards join notes on nid = notes.id");
  ASSERT_EQ(used.size(), 1U);
  ASSERT_TRUE(types.contains(used[0][0]));
  EXPECT_EQ(types[used[0][0]]["flds"].size(), 2U) << "as many as a note has";
  ASSERT_TRUE(decks.contains(used[0][1]));
  EXPECT_EQ(decks[used[0][1]]["name"], "形近字");
  for (const auto& [id, deck] : decks.items()) {
    EXPECT_EQ(std::to_string(deck["id"].get<std::int64_t>()), id);
    EXPECT_TRUE(options.contains(std::to_string(deck["conf"].get<int>())));
  }
  EXPECT_EQ(conf["curModel"].get<std::string>(), used[0][0]);
}

// invariant: a character of a deck is the same note whenever it is made, and another in another
// deck.
TEST_F(AnkiPackageTest, NotesAreRecognised) {
  const auto notes = [&](const std::string& deck, std::chrono::sys_seconds now) {
    open(anki_package(deck, {{"己", {"jǐ"}}}, now));
    return rows("select guid, notes.id, csum, did from notes join cards on nid = notes.id")[0];
  };
  const auto first = notes("A", kNow), later = notes("A", kNow + std::chrono::hours(1));
  EXPECT_EQ(first[0], later[0]);
  EXPECT_NE(first[1], later[1]) << "the time at which it was made";
  EXPECT_EQ(first[3], later[3]);
  const auto other = notes("B", kNow);
  EXPECT_NE(first[0], other[0]);
  EXPECT_NE(first[3], other[3]);
  // oracle: sha1sum of the three bytes of the character begins with these eight digits.
  EXPECT_EQ(first[2], std::to_string(0xabb769d1));
}

}  // namespace
}  // namespace leafglyph
