#include "classify/serve/anki_package.h"

#include <openssl/sha.h>
#include <sqlite3.h>

#include <array>
#include <cstdint>
#include <memory>
#include <nlohmann/json.hpp>
#include <string_view>
#include <variant>

#include "classify/page/html_page.h"
#include "classify/support/zip_writer.h"
#include "features/base/errors.h"

namespace leafglyph {
namespace {

using Json = nlohmann::ordered_json;

// A package is a zip archive of an SQLite database, here in the second form that every version of
// Anki reads (schema 11), and a list of media.
constexpr const char* kTables = R"(
create table col (id integer primary key, crt integer not null, mod integer not null,
  scm integer not null, ver integer not null, dty integer not null, usn integer not null,
  ls integer not null, conf text not null, models text not null, decks text not null,
  dconf text not null, tags text not null);
create table notes (id integer primary key, guid text not null, mid integer not null,
  mod integer not null, usn integer not null, tags text not null, flds text not null,
  sfld integer not null, csum integer not null, flags integer not null, data text not null);
create table cards (id integer primary key, nid integer not null, did integer not null,
  ord integer not null, mod integer not null, usn integer not null, type integer not null,
  queue integer not null, due integer not null, ivl integer not null, factor integer not null,
  reps integer not null, lapses integer not null, left integer not null, odue integer not null,
  odid integer not null, flags integer not null, data text not null);
create table revlog (id integer primary key, cid integer not null, usn integer not null,
  ease integer not null, ivl integer not null, lastIvl integer not null, factor integer not null,
  time integer not null, type integer not null);
create table graves (usn integer not null, oid integer not null, type integer not null);
create index ix_notes_usn on notes (usn);
create index ix_cards_usn on cards (usn);
create index ix_revlog_usn on revlog (usn);
create index ix_cards_nid on cards (nid);
create index ix_cards_sched on cards (did, queue, due);
create index ix_revlog_cid on revlog (cid);
create index ix_notes_csum on notes (csum);
)";
constexpr int kSchema = 11;
// The kind of note of every package, so that Anki does not make another one for each.
constexpr std::int64_t kNoteType = 1'764'201'600'000;
// Changed here, and not yet on any server.
constexpr int kNotSynchronised = -1;

constexpr const char* kLook = R"(.card { font-size: 20px; text-align: center; }
.character { font-family: "AR PL UKai CN", KaiTi, STKaiti, "Kaiti SC", serif; font-size: 96px; }
.about { margin-top: 1em; text-align: left; }
)";

// The first `bytes` bytes of the SHA-1 digest, as a number.
std::int64_t number_of(std::string_view text, std::size_t bytes) {
  std::array<unsigned char, SHA_DIGEST_LENGTH> digest{};
  SHA1(reinterpret_cast<const unsigned char*>(text.data()), text.size(), digest.data());
  std::int64_t number = 0;
  for (std::size_t i = 0; i < bytes; ++i) number = 256 * number + digest[i];
  return number;
}

Json note_type(std::int64_t deck, std::int64_t seconds) {
  const auto field = [](const char* name, int place) {
    return Json{{"name", name},    {"ord", place}, {"sticky", false},       {"rtl", false},
                {"font", "Arial"}, {"size", 20},   {"media", Json::array()}};
  };
  const Json card = {{"name", "Card 1"},
                     {"ord", 0},
                     {"qfmt", R"(<div class="character">{{Character}}</div>)"},
                     {"afmt", R"({{FrontSide}}<hr id="answer"><div class="about">{{About}}</div>)"},
                     {"did", nullptr},
                     {"bqfmt", ""},
                     {"bafmt", ""}};
  return {{"id", kNoteType},
          {"name", "LeafGlyph"},
          {"type", 0},
          {"mod", seconds},
          {"usn", kNotSynchronised},
          {"sortf", 0},
          {"did", deck},
          {"tmpls", {card}},
          {"flds", {field("Character", 0), field("About", 1)}},
          {"css", kLook},
          {"latexPre", ""},
          {"latexPost", ""},
          {"tags", Json::array()},
          {"vers", Json::array()},
          {"req", {{0, "all", {0}}}}};
}

Json deck_of(std::int64_t id, const std::string& name, std::int64_t seconds) {
  const Json none = {0, 0};
  return {{"id", id},
          {"name", name},
          {"desc", ""},
          {"mod", seconds},
          {"usn", kNotSynchronised},
          {"collapsed", false},
          {"browserCollapsed", false},
          {"newToday", none},
          {"revToday", none},
          {"lrnToday", none},
          {"timeToday", none},
          {"dyn", 0},
          {"extendNew", 10},
          {"extendRev", 50},
          {"conf", 1}};
}

// The options of decks that Anki itself begins with.
Json deck_options() {
  return {
      {"1",
       {{"id", 1},
        {"name", "Default"},
        {"mod", 0},
        {"usn", 0},
        {"maxTaken", 60},
        {"autoplay", true},
        {"timer", 0},
        {"replayq", true},
        {"dyn", false},
        {"new",
         {{"delays", {1, 10}},
          {"ints", {1, 4, 7}},
          {"initialFactor", 2500},
          {"order", 1},
          {"perDay", 20},
          {"bury", true},
          {"separate", true}}},
        {"rev",
         {{"perDay", 200},
          {"ease4", 1.3},
          {"fuzz", 0.05},
          {"ivlFct", 1},
          {"maxIvl", 36500},
          {"minSpace", 1},
          {"bury", true}}},
        {"lapse",
         {{"delays", {10}}, {"mult", 0}, {"minInt", 1}, {"leechFails", 8}, {"leechAction", 0}}}}}};
}

Json collection_options(std::int64_t deck) {
  return {{"nextPos", 1},          {"estTimes", true},  {"activeDecks", {deck}},
          {"sortType", "noteFld"}, {"timeLim", 0},      {"sortBackwards", false},
          {"addToCur", true},      {"curDeck", deck},   {"newBury", true},
          {"newSpread", 0},        {"dueCounts", true}, {"curModel", std::to_string(kNoteType)},
          {"collapseTime", 1200}};
}

/// A database in memory.
class Database {
 public:
  Database() {
    sqlite3* opened = nullptr;
    const bool done = sqlite3_open(":memory:", &opened) == SQLITE_OK;
    database_.reset(opened);
    check(done);
  }

  void run(const char* statements) {
    check(sqlite3_exec(database_.get(), statements, nullptr, nullptr, nullptr) == SQLITE_OK);
  }

  using Value = std::variant<std::int64_t, std::string>;
  void insert(const std::string& table, const std::vector<Value>& values) {
    std::string places = "?";
    for (std::size_t i = 1; i < values.size(); ++i) places += ",?";
    sqlite3_stmt* prepared = nullptr;
    const std::string text = "insert into " + table + " values (" + places + ")";
    check(sqlite3_prepare_v2(database_.get(), text.c_str(), -1, &prepared, nullptr) == SQLITE_OK);
    const std::unique_ptr<sqlite3_stmt, int (*)(sqlite3_stmt*)> statement(prepared,
                                                                          sqlite3_finalize);
    int place = 0;
    for (const Value& value : values) {
      ++place;
      const auto* number = std::get_if<std::int64_t>(&value);
      const auto* words = std::get_if<std::string>(&value);
      check((number != nullptr ? sqlite3_bind_int64(prepared, place, *number)
                               : sqlite3_bind_text64(prepared, place, words->data(), words->size(),
                                                     SQLITE_TRANSIENT, SQLITE_UTF8)) == SQLITE_OK);
    }
    check(sqlite3_step(prepared) == SQLITE_DONE);
  }

  /// The bytes of the file that this database would be.
  std::string bytes() const {
    sqlite3_int64 size = 0;
    const std::unique_ptr<unsigned char, void (*)(void*)> made(
        sqlite3_serialize(database_.get(), "main", &size, 0), sqlite3_free);
    check(made != nullptr);
    return {reinterpret_cast<const char*>(made.get()), static_cast<std::size_t>(size)};
  }

 private:
  void check(bool done) const {
    if (!done) throw Error(std::string("SQLite: ") + sqlite3_errmsg(database_.get()));
  }

  std::unique_ptr<sqlite3, int (*)(sqlite3*)> database_{nullptr, sqlite3_close};
};

}  // namespace

std::string anki_package(const std::string& deck, const std::vector<AnkiNote>& notes,
                         std::chrono::sys_seconds now) {
  const std::int64_t seconds = now.time_since_epoch().count(), milliseconds = 1000 * seconds;
  // Where a deck of this name exists, Anki takes it.
  const std::int64_t deck_id = number_of(deck, 5) + 2;
  Database database;
  database.run(kTables);
  const Json decks = {{"1", deck_of(1, "Default", seconds)},
                      {std::to_string(deck_id), deck_of(deck_id, deck, seconds)}};
  const Json types = {{std::to_string(kNoteType), note_type(deck_id, seconds)}};
  const std::int64_t none = 0;
  database.insert(
      "col", {std::int64_t{1}, seconds, milliseconds, milliseconds, std::int64_t{kSchema}, none,
              none, none, collection_options(deck_id).dump(), types.dump(), decks.dump(),
              deck_options().dump(), "{}"});
  std::int64_t place = 0;
  for (const AnkiNote& note : notes) {
    std::string about;
    for (const std::string& line : note.lines) {
      about += (about.empty() ? "" : "<br>") + html_escaped(line);
    }
    const std::string front = html_escaped(note.character);
    const std::int64_t id = milliseconds + ++place, changed = kNotSynchronised;
    const std::string guid = std::to_string(number_of(deck + "\x1f" + note.character, 7));
    database.insert("notes", {id, guid, kNoteType, seconds, changed, "", front + "\x1f" + about,
                              front, number_of(note.character, 4), none, ""});
    database.insert("cards", {id, id, deck_id, none, seconds, changed, none, none, place, none,
                              none, none, none, none, none, none, none, ""});
  }
  ZipWriter zip(ZipWriter::Packing::kDeflated);
  const auto add = [&zip](const char* name, const std::string& bytes) {
    zip.begin(name, bytes.size());
    zip.add(bytes);
  };
  add("collection.anki2", database.bytes());
  add("media", "{}");
  zip.end();
  return zip.take();
}

}  // namespace leafglyph
