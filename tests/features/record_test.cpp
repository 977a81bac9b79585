// Records: what is written comes back, and nothing of what was changed is used.
#include "features/record/record.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <string>
#include <vector>

#include "features/base/errors.h"
#include "features/base/files.h"
#include "features/base/input_file.h"
#include "features/record/sealed_json.h"
#include "tests/support/temporary_folder.h"

namespace leafglyph {
namespace {

namespace fs = std::filesystem;

constexpr RecordKind kKind = {"facts.json", "a test", 3, "test record", "test again"};

class RecordTest : public ::testing::Test {
 protected:
  RecordTest() { write(); }

  void write() {
    StagedFolder staged(at(),
                        [](const fs::path& folder) { return names_in_record(folder, kKind); });
    RecordParts parts;
    parts.files["small.txt"] = "small";
    parts.large["large.txt"] = {"head ", {"of", " it"}};
    bytes_ = write_record(staged, kKind, Facts{{"z", 1.5}, {"a", {1, 2}}}, std::move(parts));
    staged.commit();
  }
  fs::path at(const std::string& name = "") const { return folder_ / ("record/" + name); }

  TemporaryFolder folder_;
  std::uint64_t bytes_ = 0;
};

// mechanics: facts, small and large files come back, and so does the size.
TEST_F(RecordTest, ComesBack) {
  const Record record = read_record(at(), kKind);
  EXPECT_EQ(record.facts.at("z"), 1.5);
  EXPECT_EQ(record.facts.begin().key(), "z");  // in their order
  EXPECT_EQ(record.file("small.txt"), "small");
  EXPECT_EQ(record.large_file("large.txt")->read(5, 5), "of it");
  std::uint64_t bytes = 0;
  std::vector<std::string> names;
  for (const auto& entry : fs::directory_iterator(at())) {
    bytes += entry.file_size();
    names.push_back(entry.path().filename());
  }
  EXPECT_EQ(record.bytes, bytes);
  EXPECT_EQ(bytes_, bytes);
  EXPECT_EQ(facts_text(record), read_file(at("facts.json")));
  std::vector<std::string> listed = names_in_record(at(), kKind);
  std::ranges::sort(names);
  std::ranges::sort(listed);
  EXPECT_EQ(listed, names);
  EXPECT_THROW(record.file("none"), FormatError);
  EXPECT_THROW(record.large_file("small.txt"), FormatError);
}

// invariant: a change of any byte of any file is found, at the latest where the byte is used.
TEST_F(RecordTest, NoChangedByteIsUsed) {
  for (const char* name : {"facts.json", "small.txt", "large.txt", "large.txt.sha256"}) {
    const std::string good = read_file(at(name));
    for (std::size_t place = 0; place < good.size(); ++place) {
      std::string bad = good;
      bad[place] = static_cast<char>(bad[place] ^ 1);
      write_file(at(name), bad);
      EXPECT_THROW(read_record(at(), kKind).large_file("large.txt")->read(0, 10), FormatError)
          << name << ", byte " << place;
    }
    write_file(at(name), good);
  }
  EXPECT_NO_THROW(read_record(at(), kKind).large_file("large.txt")->read(0, 10));
}

// mechanics: files that are missing, pipes and folders in their place, and names that lead
// elsewhere.
TEST_F(RecordTest, RefusesFoldersThatAreNotWhole) {
  for (const char* name : {"facts.json", "small.txt", "large.txt", "large.txt.sha256"}) {
    fs::rename(at(name), at("away"));
    EXPECT_THROW(read_record(at(), kKind), FormatError) << name;
    fs::create_directory(at(name));
    EXPECT_THROW(read_record(at(), kKind), FormatError) << name;
    fs::remove(at(name));
    fs::rename(at("away"), at(name));
  }
  EXPECT_THROW(read_record(folder_ / "none", kKind), InputError);
  Facts facts = Facts::parse(read_file(at("facts.json")));
  facts["sha256"]["../record/small.txt"] = facts["sha256"]["small.txt"];
  write_file(at("facts.json"), sealed_text(facts));
  EXPECT_THROW(read_record(at(), kKind), FormatError);
}

// mechanics: another kind and another version are refused with different messages; the names of
// another version are known, because it may be replaced.
TEST_F(RecordTest, KindAndVersion) {
  RecordKind other = kKind;
  other.version = 4;
  try {
    read_record(at(), other);
    FAIL() << "another version was read";
  } catch (const FormatError& error) {
    EXPECT_NE(std::string(error.what()).find("version 3, but this LeafGlyph reads version 4"),
              std::string::npos)
        << error.what();
  }
  EXPECT_FALSE(names_in_record(at(), other).empty());
  other.format = "another";
  EXPECT_THROW(read_record(at(), other), FormatError);
  EXPECT_TRUE(names_in_record(at(), other).empty());
}

// regression: facts that are nested a million levels deep ended the program when they were compared
// with their checksum.
TEST_F(RecordTest, RefusesDeepFacts) {
  const std::string deep = std::string(1'000'000, '[') + std::string(1'000'000, ']');
  for (const std::string seal : {"", R"("manifest_sha256":"x",)"}) {
    write_file(at("facts.json"),
               R"({"format":"a test","version":3,)" + seal + R"("deep":)" + deep + "}");
    EXPECT_THROW(read_record(at(), kKind), FormatError) << seal;
    EXPECT_TRUE(names_in_record(at(), kKind).empty()) << seal;
  }
}

// invariant: the same of a record in one file.
TEST_F(RecordTest, OneFile) {
  const std::string good = record_file(kKind, Facts{{"name", "x"}}, "content\nin lines");
  const fs::path path = folder_ / "one";
  write_file(path, good);
  const RecordFile file = read_record_file(path, kKind);
  EXPECT_EQ(file.facts.at("name"), "x");
  EXPECT_EQ(file.content, "content\nin lines");
  for (std::size_t place = 0; place < good.size(); ++place) {
    std::string bad = good;
    bad[place] = static_cast<char>(bad[place] ^ 1);
    write_file(path, bad);
    EXPECT_THROW(read_record_file(path, kKind), FormatError) << "byte " << place;
    write_file(path, good.substr(0, place));
    EXPECT_THROW(read_record_file(path, kKind), FormatError) << "cut at " << place;
  }
}

// mechanics: a record in memory has the files that its facts name, unchanged.
TEST_F(RecordTest, InMemory) {
  const std::string facts = record_facts(kKind, Facts{{"n", 1}}, {{"a.txt", "text"}});
  EXPECT_EQ(record_in_memory(kKind, "it", facts, {{"a.txt", "text"}}).file("a.txt"), "text");
  EXPECT_THROW(record_in_memory(kKind, "it", facts, {{"a.txt", "texts"}}), FormatError);
  EXPECT_THROW(record_in_memory(kKind, "it", facts, {}), FormatError);
  EXPECT_THROW(record_in_memory(kKind, "it", facts + " ", {{"a.txt", "text"}}), FormatError);
}

}  // namespace
}  // namespace leafglyph
